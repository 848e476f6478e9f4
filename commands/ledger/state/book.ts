import { formatAmount, parseAmount, ZERO, type Amount } from '#src/kernel/amount.ts';
import { detached } from '#src/kernel/detached.ts';
import { ordinalOf, partId, wholeId, type Revision, type Uuid } from '#src/kernel/ids.ts';
import type {
  AccountRecord,
  BalanceRecord,
  BalanceSettings,
  BalanceState,
} from '#src/events/ledger/account.ts';
import type { OperationRecord } from '#src/events/ledger/transaction.ts';
import type { Left, Move } from '#src/events/ledger/posted-parts.ts';
import type { Side } from '#src/events/shared.ts';

/** The state of an account that postings depend on: about 500 bytes with its balance, whatever its history. */
export type Account = Readonly<{
  id: Uuid;
  alias: string;
  assetCode: string;
  /** In lower case. */
  type: string;
  segmentId: Uuid | undefined;
  external: boolean;
  blocked: boolean;
  closed: boolean;
  /** The revision of the account's last event. */
  revision: Revision;
  balances: readonly Balance[];
  /** The highest ordinal that a balance of the account ever had. */
  parts: number;
}>;

export type Balance = Readonly<{
  key: string;
  /** The number of the balance within its account, from which its id is derived. */
  ordinal: number;
  direction: Side;
  allowSending: boolean;
  allowReceiving: boolean;
  available: Amount;
  onHold: Amount;
  overdraftUsed: Amount;
  /** Undefined if debits must not exceed the available amount. */
  overdraft: Overdraft | undefined;
  version: number;
  /** The revision of the last event that contained the balance's record. */
  revision: Revision;
}>;

/** The amount by which debits may exceed the available amount; unlimited if there is no limit. */
export type Overdraft = Readonly<{ limit: Amount | undefined }>;

/** The keys of the balance that every account has, and of the companion balance, which only overdrafts move. */
export const DEFAULT_KEY = 'default';
export const OVERDRAFT_KEY = 'overdraft';

/**
 * The balances of a ledger: the one state that evolves in place, because copying it per event costs too much.
 * Readers get read-only types; only the journal's writer folds events into it.
 */
export class Book {
  readonly #byId = new Map<Uuid, Account>();
  readonly #byAlias = new Map<string, Account>();
  /** The number of accounts that hold each asset. */
  readonly #holding = new Map<string, number>();
  /** Interned account types and segments: all accounts of a type share one text. */
  readonly #shared = new Map<string, string>();

  /** Aliases are case-sensitive. */
  account(alias: string): Account | undefined {
    return this.#byAlias.get(alias);
  }

  accountById(id: Uuid): Account | undefined {
    return this.#byId.get(id);
  }

  balanceById(id: Uuid): Readonly<{ account: Account; balance: Balance }> | undefined {
    const account = this.#byId.get(wholeId(id));
    const balance = account?.balances.find(({ ordinal }) => partId(account.id, ordinal) === id);
    return account && balance && { account, balance };
  }

  /** Counts external accounts, too. */
  accountsHolding(assetCode: string): number {
    return this.#holding.get(assetCode) ?? 0;
  }

  accounts(): Iterable<Account> {
    return this.#byId.values();
  }

  open(account: AccountRecord, balance: BalanceRecord, revision: Revision): void {
    const id = detached(account.id);
    this.put({
      id,
      alias: account.alias === account.id ? id : detached(account.alias), // One shared string.
      assetCode: account.assetCode,
      type: account.type,
      segmentId: account.segmentId,
      external: account.type === 'external',
      blocked: account.blocked,
      closed: account.closedAt !== null,
      revision,
      balances: [opened(balance, revision)],
      parts: 1,
    });
  }

  put(account: Account): void {
    const stored = account as Mutable<Account>;
    stored.type = this.#interned(account.type);
    stored.segmentId = account.segmentId && this.#interned(account.segmentId);
    this.#byId.set(account.id, account);
    this.#byAlias.set(account.alias, account);
    this.#count(account.assetCode, 1);
  }

  #interned<Text extends string>(text: Text): Text {
    const known = this.#shared.get(text) ?? detached(text);
    this.#shared.set(known, known);
    return known as Text;
  }

  change({ id, segmentId, blocked, closedAt }: AccountRecord, revision: Revision): void {
    const account = this.#known(id);
    account.segmentId = segmentId && this.#interned(segmentId);
    account.blocked = blocked;
    account.closed = closedAt !== null;
    account.revision = revision;
  }

  addBalance(record: BalanceRecord, revision: Revision): void {
    const account = this.#known(record.accountId);
    const balance = opened(record, revision);
    account.balances = [...account.balances, balance];
    account.parts = balance.ordinal;
  }

  changeBalance(record: BalanceRecord, revision: Revision): void {
    const { accountId, key, allowSending, allowReceiving, settings } = record;
    const balance = find(this.#known(accountId), key) as Mutable<Balance> | undefined;
    if (balance === undefined) throw new Error(`There is no balance ${accountId}#${key}`);
    balance.allowSending = allowSending;
    balance.allowReceiving = allowReceiving;
    balance.overdraft = overdraftOf(settings);
    balance.revision = revision;
  }

  removeBalance({ accountId, key }: BalanceRecord): void {
    const account = this.#known(accountId);
    account.balances = account.balances.filter((balance) => balance.key !== key);
  }

  remove(id: Uuid): void {
    const { alias, assetCode } = this.#known(id);
    this.#byId.delete(id);
    this.#byAlias.delete(alias);
    this.#count(assetCode, -1);
  }

  #known(id: Uuid): Mutable<Account> {
    const account = this.#byId.get(id);
    if (account === undefined) throw new Error(`There is no account ${id}`);
    return account;
  }

  #count(assetCode: string, more: number): void {
    const holding = this.accountsHolding(assetCode) + more;
    if (holding === 0) this.#holding.delete(assetCode);
    else this.#holding.set(assetCode, holding);
  }

  /** Applies the states in which operations leave balances; each is the next version of its balance. */
  move(operations: readonly Pick<Move, 'accountId' | 'balanceId' | 'balanceAfter'>[]): void {
    for (const { accountId, balanceId, balanceAfter } of operations) {
      this.leave({ accountId, ordinal: ordinalOf(balanceId), balanceAfter });
    }
  }

  /** Applies the state in which one operation leaves a balance. */
  leave({ accountId, ordinal, balanceAfter }: Left): void {
    const account = this.#byId.get(accountId);
    const balance = nthBalance(account, ordinal) as Mutable<Balance> | undefined;
    if (balance === undefined || balance.version + 1 !== balanceAfter.version) {
      throw new Error(
        `An operation leaves version ${String(balanceAfter.version)} of balance ` +
          `${String(ordinal)} of ${accountId}, which is at ${String(balance?.version)}`,
      );
    }
    leave(balance, balanceAfter);
  }

  /** Undoes operations, the last applied first. */
  moveBack(
    operations: readonly Pick<OperationRecord, 'accountId' | 'balanceId' | 'balance'>[],
  ): void {
    for (const { accountId, balanceId, balance: before } of operations.toReversed()) {
      const ordinal = ordinalOf(balanceId);
      const account = this.#byId.get(accountId);
      const balance = account?.balances.find((one) => one.ordinal === ordinal);
      if (balance?.version !== before.version + 1) {
        throw new Error(`${balanceId} is not at what an operation left`);
      }
      leave(balance, before);
    }
  }
}

const opened = (record: BalanceRecord, revision: Revision): Balance => ({
  key: record.key === DEFAULT_KEY ? DEFAULT_KEY : detached(record.key),
  ordinal: ordinalOf(record.id),
  direction: record.direction,
  allowSending: record.allowSending,
  allowReceiving: record.allowReceiving,
  available: ZERO,
  onHold: ZERO,
  overdraftUsed: ZERO,
  overdraft: overdraftOf(record.settings),
  version: 0,
  revision,
});

function overdraftOf(settings: BalanceSettings | undefined): Overdraft | undefined {
  if (settings?.allowOverdraft !== true) return undefined;
  const { overdraftLimit } = settings;
  return overdraftLimit === undefined ? UNLIMITED : { limit: parseAmount(overdraftLimit) };
}

export const UNLIMITED: Overdraft = { limit: undefined };

/** Mostly it is the first. */
function nthBalance(account: Account | undefined, ordinal: number): Balance | undefined {
  const first = account?.balances[0];
  return first?.ordinal === ordinal
    ? first
    : account?.balances.find((one) => one.ordinal === ordinal);
}

function leave(balance: Mutable<Balance>, state: BalanceState): void {
  balance.available = parseAmount(state.available);
  balance.onHold = parseAmount(state.onHold);
  if (!isInternal(balance)) balance.overdraftUsed = parseAmount(state.overdraftUsed);
  balance.version = state.version;
}

export const stateOf = ({ available, onHold, version, overdraftUsed }: Balance): BalanceState => ({
  available: formatAmount(available),
  onHold: formatAmount(onHold),
  version,
  overdraftUsed: formatAmount(overdraftUsed),
});

/** Returns true if nothing is available, on hold or owed. */
export const isEmpty = ({ available, onHold, overdraftUsed }: Balance): boolean =>
  available === ZERO && onHold === ZERO && overdraftUsed === ZERO;

/** Recognizes the companion balance, which shows the account's debt; clients cannot name it. */
export const isInternal = ({ key }: Readonly<{ key: string }>): boolean => key === OVERDRAFT_KEY;

export const find = (account: Account | undefined, key: string): Balance | undefined =>
  account?.balances.find((balance) => balance.key === key);

type Mutable<T> = { -readonly [Member in keyof T]: T[Member] };
