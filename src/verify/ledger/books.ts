import { add, parseAmount, ZERO, type Amount } from '#src/kernel/amount.ts';
import { partId, wholeId, type Uuid } from '#src/kernel/ids.ts';
import { differ } from '#src/verify/difference.ts';
import type {
  AuditedAccount,
  AuditedAsset,
  AuditedBalance,
  AuditedOperation,
  AuditedState,
} from './shapes.ts';

type OverdraftLimit = Readonly<{ allowed: boolean; limit: Amount | undefined }>;

/** A balance after the events that were read so far. */
export type BookedBalance = {
  readonly id: string;
  readonly accountId: string;
  readonly alias: string;
  readonly key: string;
  readonly assetCode: string;
  readonly direction: 'debit' | 'credit';
  readonly external: boolean;
  /** True for a companion balance, which shows the debt of its account's other balances. */
  readonly internal: boolean;
  live: boolean;
  overdraft: OverdraftLimit;
  /** The reason why nothing may move the balance, if there is one. */
  stopped: Stop | undefined;
  available: Amount;
  onHold: Amount;
  /** The state that the last operation recorded. */
  state: AuditedState;
};

export type Stop = 'closed' | 'blocked';

/** Accounts, balances and assets of one ledger. */
export class Books {
  readonly #assets = new Map<string, string>();
  readonly #accounts = new Map<string, BookedAccount>();
  readonly #aliases = new Map<string, string>();
  readonly #balances = new Map<string, BookedBalance>();

  addAsset({ code, id }: AuditedAsset): void {
    if (this.#assets.has(code)) differ(`asset ${code} exists already`);
    this.#assets.set(code, id);
  }

  keepAsset({ code, id }: AuditedAsset): void {
    if (this.#assets.get(code) !== id) differ(`there is no asset ${code} with id ${id}`);
  }

  dropAsset(asset: AuditedAsset): void {
    this.keepAsset(asset);
    this.#assets.delete(asset.code);
  }

  openAccount(account: AuditedAccount, balance: AuditedBalance): void {
    const { id, alias, assetCode, ledgerId, organizationId, type, blocked } = account;
    if (this.#accounts.has(id)) differ(`account ${id} exists already`);
    if (this.#aliases.has(alias)) differ(`alias ${alias} is taken`);
    if (!this.#assets.has(assetCode)) differ(`there is no asset ${assetCode}`);
    if (account.closedAt !== null) differ(`account ${id} is closed from the beginning`);
    this.#accounts.set(id, {
      ...{ id, organizationId, ledgerId, alias, assetCode, type, blocked, closedAt: null },
      ...{ live: true, balances: [] },
    });
    this.#aliases.set(alias, id);
    if (balance.id !== partId(id as Uuid, 1)) differ(`balance ${balance.id} is not its first part`);
    this.#openBalance(balance);
  }

  /** An account without a default balance can get only that one, or its companion balance. */
  addBalance(balance: AuditedBalance): void {
    const { type, alias, balances } = this.#account(balance.accountId);
    if (stopOf(this.#account(balance.accountId)) === 'closed') differ(`${alias} is closed`);
    if (type === 'external') differ(`${alias} stands for the world outside, and has one balance`);
    const hasDefault = balances.some(({ live, key }) => live && key === 'default');
    if (!hasDefault && balance.key !== 'default' && !isInternal(balance.key)) {
      differ(`${alias} has no default balance`);
    }
    this.#openBalance(balance);
  }

  #openBalance(balance: AuditedBalance): void {
    const { id, key, direction } = balance;
    const account = this.#account(balance.accountId);
    const { alias, assetCode, type } = account;
    const external = type === 'external';
    if (wholeId(id as Uuid) !== account.id) differ(`balance ${id} is no part of ${account.id}`);
    if (this.#balances.has(id)) differ(`balance ${id} exists already`);
    if (account.balances.some((other) => other.live && other.key === key)) {
      differ(`${alias} has a balance ${key} already`);
    }
    if (balance.alias !== alias || balance.assetCode !== assetCode) {
      differ(`balance ${id} is of another alias or asset than its account`);
    }
    const internal = isInternal(key);
    if (internal !== (balance.settings?.balanceScope === 'internal')) {
      differ(`balance ${alias}#${key} has the scope of another key`);
    }
    if (internal && direction !== 'debit') differ(`${alias}#${key} must be a debit balance`);
    if (external && direction !== 'debit') differ('an external account must have a debit balance');
    const standing: BookedBalance = {
      ...{ id, accountId: account.id, alias, key, assetCode, direction, external, live: true },
      internal,
      overdraft: overdraftOf(balance),
      stopped: stopOf(account),
      available: ZERO,
      onHold: ZERO,
      state: { available: '0', onHold: '0', version: 0, overdraftUsed: '0' },
    };
    this.#balances.set(id, standing);
    account.balances.push(standing);
  }

  changeAccount(account: AuditedAccount): void {
    const known = this.#same(account);
    if (known.closedAt !== account.closedAt) differ(`closedAt of account ${account.id} changed`);
    known.blocked = account.blocked;
    stop(known);
  }

  /** Closes an account, which is possible once and only if it is empty. */
  closeAccount(account: AuditedAccount): void {
    const { id, closedAt } = account;
    const known = this.#same(account);
    if (known.closedAt !== null) differ(`account ${id} was closed at ${known.closedAt}`);
    if (closedAt === null) differ(`account ${id} is closed without saying when`);
    for (const balance of known.balances) if (balance.live) checkEmpty(balance);
    known.closedAt = closedAt;
    stop(known);
  }

  dropAccount(account: AuditedAccount): void {
    const known = this.#same(account);
    for (const balance of known.balances) if (balance.live) close(balance);
    known.live = false;
    this.#aliases.delete(known.alias);
  }

  keepBalance({ id, accountId, key, assetCode, direction }: AuditedBalance): BookedBalance {
    const known = this.#balances.get(id);
    if (known?.live !== true) differ(`there is no balance ${id}`);
    const same =
      known.accountId === accountId &&
      known.key === key &&
      known.assetCode === assetCode &&
      known.direction === direction;
    return same ? known : differ(`account, key, asset or direction of balance ${id} changed`);
  }

  /** Takes new permissions or settings, which the debt so far must not exceed. */
  changeBalance(balance: AuditedBalance): void {
    const known = this.keepBalance(balance);
    const name = `${known.alias}#${known.key}`;
    if (known.internal) differ(`${name} is nobody's to change`);
    const { allowed, limit } = (known.overdraft = overdraftOf(balance));
    const used = parseAmount(known.state.overdraftUsed);
    if (allowed && known.external) differ(`${name} may owe anyhow`);
    const within = allowed && (limit === undefined || used <= limit);
    if (used !== ZERO && !within) differ(`${name} owes more than its settings allow`);
  }

  /** The debt of all balances of an account, according to their last operations. */
  owedBy({ accountId }: BookedBalance): Amount {
    const { balances } = this.#account(accountId);
    return balances
      .filter(({ live, internal }) => live && !internal)
      .reduce((sum, { state }) => add(sum, parseAmount(state.overdraftUsed)), ZERO);
  }

  closeBalance(balance: AuditedBalance, state: AuditedState): void {
    const known = this.keepBalance(balance);
    if (known.internal) differ(`${known.alias}#${known.key} goes with its account`);
    if (known.external) differ(`${known.alias}#${known.key} goes with its asset`);
    if (!sameState(state, known.state)) differ(`balance ${balance.id} was in another state`);
    close(known);
  }

  /** Finds the balance of an operation, which must match in id, account, alias and key. */
  of(
    { balanceId, accountId, accountAlias, balanceKey }: AuditedOperation,
    assetCode: string,
  ): BookedBalance {
    const found = this.#balances.get(balanceId);
    if (found?.live !== true) differ(`there is no balance ${balanceId}`);
    if (found.accountId !== accountId || found.alias !== accountAlias || found.key !== balanceKey) {
      differ(`balance ${balanceId} is ${found.alias}#${found.key} of account ${found.accountId}`);
    }
    if (found.assetCode !== assetCode) differ(`${found.alias} holds ${found.assetCode}`);
    return found;
  }

  hasAlias(alias: string): boolean {
    return this.#aliases.has(alias);
  }

  /** Finds an account, whose alias, asset, ledger and type must not have changed. */
  #same({ id, alias, assetCode, ledgerId, type }: AuditedAccount): BookedAccount {
    const known = this.#account(id);
    const same =
      known.alias === alias &&
      known.assetCode === assetCode &&
      known.ledgerId === ledgerId &&
      known.type === type;
    return same ? known : differ(`alias, asset, ledger or type of account ${id} changed`);
  }

  #account(id: string): BookedAccount {
    const account = this.#accounts.get(id);
    return account?.live === true ? account : differ(`there is no account ${id}`);
  }
}

/** Recognizes the key of companion balances, which clients cannot use. */
export const isInternal = (key: string): boolean => key === 'overdraft';

function overdraftOf({ settings }: AuditedBalance): OverdraftLimit {
  const { allowOverdraft = false, overdraftLimitEnabled = false, overdraftLimit } = settings ?? {};
  if (overdraftLimitEnabled !== (overdraftLimit !== undefined)) {
    differ('a limit is enabled and missing, or the reverse');
  }
  const limit = overdraftLimit === undefined ? undefined : parseAmount(overdraftLimit);
  if (limit !== undefined && limit <= ZERO) differ(`an overdraft limit is ${overdraftLimit}`);
  return { allowed: allowOverdraft, limit };
}

export const sameState = (a: AuditedState, b: AuditedState): boolean =>
  a.available === b.available &&
  a.onHold === b.onHold &&
  a.version === b.version &&
  a.overdraftUsed === b.overdraftUsed;

type BookedAccount = { -readonly [Name in keyof AuditedAccount]: AuditedAccount[Name] } & {
  live: boolean;
  readonly balances: BookedBalance[];
};

const stopOf = ({ blocked, closedAt }: BookedAccount): Stop | undefined =>
  closedAt !== null ? 'closed' : blocked ? 'blocked' : undefined;

function stop(account: BookedAccount): void {
  for (const balance of account.balances) balance.stopped = stopOf(account);
}

function checkEmpty({ available, onHold, alias, key, internal, state }: BookedBalance): void {
  const owes = !internal && state.overdraftUsed !== '0';
  if (available !== ZERO || onHold !== ZERO || owes) {
    differ(`${alias}#${key} is closed and not empty`);
  }
}

function close(balance: BookedBalance): void {
  checkEmpty(balance);
  balance.live = false;
}
