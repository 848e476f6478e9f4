import { unitsOf } from './decimal.ts';

/** What the wire shows of an operation and of a balance, as far as the bench checks it. */
export type OperationView = Readonly<{
  accountAlias: string;
  balanceKey: string;
  direction: 'debit' | 'credit';
  amount: Readonly<{ value: string }>;
  balance: Readonly<{ available: string; version: number }>;
  balanceAfter: Readonly<{ available: string; version: number }>;
}>;

export type BalanceView = Readonly<{
  alias: string;
  key: string;
  direction: 'debit' | 'credit';
  available: string;
  onHold: string;
  version: number;
}>;

type State = { available: bigint; version: number };

/** A replay of transactions into balances that shares no code with the product. */
export class Fold {
  readonly #states = new Map<string, State>();

  get balances(): number {
    return this.#states.size;
  }

  /** Applies one transaction. Returns what is wrong with it, if anything. */
  apply(operations: readonly OperationView[]): string | undefined {
    let debits = 0n;
    let credits = 0n;
    for (const operation of operations) {
      const amount = unitsOf(operation.amount.value);
      if (operation.direction === 'debit') debits += amount;
      else credits += amount;
      const wrong = this.#move(operation, amount);
      if (wrong !== undefined) return wrong;
    }
    return debits === credits ? undefined : 'debits and credits differ';
  }

  /** What is wrong with a balance as shown, compared with everything that was applied. */
  compare(shown: BalanceView): string | undefined {
    const { available, version } = this.#stateOf(shown.alias, shown.key);
    if (unitsOf(shown.available) !== available) return `${shown.alias} shows ${shown.available}`;
    if (shown.onHold !== '0') return `${shown.alias} holds ${shown.onHold}`;
    return shown.version === version ? undefined : `${shown.alias} is at another version`;
  }

  #move(operation: OperationView, amount: bigint): string | undefined {
    const { accountAlias, balanceKey, direction, balance, balanceAfter } = operation;
    const state = this.#stateOf(accountAlias, balanceKey);
    const chained = balance.version === state.version;
    if (!chained || unitsOf(balance.available) !== state.available) {
      return `an operation of ${accountAlias} does not begin where the one before it ended`;
    }
    const grows = direction === ownSide(accountAlias);
    state.available += grows ? amount : -amount;
    state.version += 1;
    const right = unitsOf(balanceAfter.available) === state.available;
    return right && balanceAfter.version === state.version
      ? undefined
      : `an operation of ${accountAlias} ends wrong`;
  }

  #stateOf(alias: string, key: string): State {
    const name = `${alias}#${key}`;
    let state = this.#states.get(name);
    if (state === undefined) {
      state = { available: 0n, version: 0 };
      this.#states.set(name, state);
    }
    return state;
  }
}

const ownSide = (alias: string): 'debit' | 'credit' =>
  alias.startsWith('@external/') ? 'debit' : 'credit';
