import { parseAmount, ZERO, type Amount } from '#src/domain/amount.ts';
import { detached } from '#src/domain/detached.ts';
import { ordinalOf, type Revision, type Uuid } from '#src/domain/ids.ts';
import type { AccountRecord, BalanceRecord } from '#src/events/ledger.ts';
import type { Move } from '#src/events/posted.ts';
import type { Side } from '#src/events/shared.ts';

/** What posting needs to know of an account. About 500 bytes with its balance, whatever its history. */
export type Account = Readonly<{
  id: Uuid;
  alias: string;
  assetCode: string;
  external: boolean;
  blocked: boolean;
  /** Of the account's last event. */
  revision: Revision;
  balances: readonly Balance[];
}>;

export type Balance = Readonly<{
  key: string;
  /** Which part of the account it is; its id follows from that. */
  ordinal: number;
  direction: Side;
  allowSending: boolean;
  allowReceiving: boolean;
  available: Amount;
  onHold: Amount;
  overdraftUsed: Amount;
  version: number;
}>;

/**
 * The balances of a ledger: the one state that evolves in place, because copying it per event costs too much.
 * Readers get read-only types; only the journal's writer folds events into it.
 */
export class Book {
  readonly #byId = new Map<Uuid, Account>();
  readonly #byAlias = new Map<string, Account>();

  /** Aliases are compared with case. */
  account(alias: string): Account | undefined {
    return this.#byAlias.get(alias);
  }

  accountById(id: Uuid): Account | undefined {
    return this.#byId.get(id);
  }

  accounts(): Iterable<Account> {
    return this.#byId.values();
  }

  open(account: AccountRecord, balance: BalanceRecord, revision: Revision): void {
    const id = detached(account.id);
    this.put({
      id,
      alias: account.alias === account.id ? id : detached(account.alias), // One string, not two.
      assetCode: account.assetCode,
      external: account.type === 'external',
      blocked: account.blocked,
      revision,
      balances: [
        {
          key: balance.key,
          ordinal: 1,
          direction: balance.direction,
          allowSending: balance.allowSending,
          allowReceiving: balance.allowReceiving,
          available: ZERO,
          onHold: ZERO,
          overdraftUsed: ZERO,
          version: 0,
        },
      ],
    });
  }

  put(account: Account): void {
    this.#byId.set(account.id, account);
    this.#byAlias.set(account.alias, account);
  }

  /** Takes over the balances that operations leave behind, each the next version of what there is. */
  move(operations: readonly Pick<Move, 'accountId' | 'balanceId' | 'balanceAfter'>[]): void {
    for (const { accountId, balanceId, balanceAfter } of operations) {
      const ordinal = ordinalOf(balanceId);
      const account = this.#byId.get(accountId);
      const balance = account?.balances.find((one) => one.ordinal === ordinal) as
        Mutable<Balance> | undefined;
      if (balance === undefined || balance.version + 1 !== balanceAfter.version) {
        throw new Error(
          `An operation leaves version ${String(balanceAfter.version)} of ${balanceId}, ` +
            `which is at ${String(balance?.version)}`,
        );
      }
      balance.available = parseAmount(balanceAfter.available);
      balance.onHold = parseAmount(balanceAfter.onHold);
      balance.overdraftUsed = parseAmount(balanceAfter.overdraftUsed);
      balance.version = balanceAfter.version;
    }
  }
}

export const find = (account: Account | undefined, key: string): Balance | undefined =>
  account?.balances.find((balance) => balance.key === key);

type Mutable<T> = { -readonly [Member in keyof T]: T[Member] };
