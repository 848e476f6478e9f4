import { formatAmount, parseAmount } from '#src/kernel/amount.ts';
import type { Revision, Uuid } from '#src/kernel/ids.ts';
import type { Side } from '#src/events/shared.ts';
import {
  exceptionsToSnapshot,
  exceptionsFromSnapshot,
  type ExceptionSnapshot,
} from './live-exceptions.ts';
import type { Asset } from '#commands/ledger/records/declared.ts';
import {
  debtsFromSnapshot,
  debtsToSnapshot,
  isDebtsChunk,
  type DebtsChunk,
} from './debts-snapshot.ts';
import { recordsToSnapshot, recordsFromSnapshot, type RecordsChunk } from './records-snapshot.ts';
import type { Reservation } from './reservations.ts';
import type { Ledger } from './ledger-state.ts';
import { isRouteSnapshot } from './route-book.ts';
import { UNLIMITED, type Account, type Balance, type Overdraft } from './book.ts';

/** Serializes a ledger: its rules first, then its records and routes, then its accounts, a few thousand per chunk. */
export function* ledgerToSnapshot(ledger: Ledger): Iterable<string> {
  const { assets, rates, records, routes, book, pending, parts, exceptions, debts, ...rules } =
    ledger;
  const frozen: FrozenRules = {
    ...rules,
    assets: [...assets.all()],
    rates: [...rates],
    pending: [...pending],
    parts: [...parts],
    exceptions: exceptionsToSnapshot(exceptions),
  };
  yield JSON.stringify(frozen);
  yield* recordsToSnapshot(records);
  yield* routes.toSnapshot();
  yield* debtsToSnapshot(debts);
  let rows: AccountSnapshot[] = [];
  for (const account of book.accounts()) {
    rows.push(accountToSnapshot(account));
    if (rows.length < ACCOUNTS_PER_CHUNK) continue;
    yield JSON.stringify(rows);
    rows = [];
  }
  if (rows.length > 0) yield JSON.stringify(rows);
}

export function ledgerFromSnapshot(empty: Ledger, chunks: Iterable<string>): Ledger {
  let ledger: Ledger | undefined;
  for (const chunk of chunks) {
    if (ledger === undefined) {
      ledger = rulesFromSnapshot(empty, chunk);
      continue;
    }
    if (isRouteSnapshot(chunk)) {
      ledger.routes.fromSnapshot(chunk);
      continue;
    }
    const rows = JSON.parse(chunk) as AccountSnapshot[] | RecordsChunk | DebtsChunk;
    if (Array.isArray(rows)) for (const row of rows) ledger.book.put(accountFromSnapshot(row));
    else if (isDebtsChunk(rows)) debtsFromSnapshot(ledger.debts, rows);
    else recordsFromSnapshot(ledger.records, rows);
  }
  if (ledger === undefined) throw new Error('A snapshot without rules');
  return ledger;
}

type FrozenRules = Omit<
  Ledger,
  'assets' | 'rates' | 'records' | 'routes' | 'book' | 'pending' | 'parts' | 'exceptions' | 'debts'
> & {
  assets: Asset[];
  rates: [string, Revision][];
  pending: [Uuid, Revision][];
  parts: [Uuid, Reservation][];
  exceptions: ExceptionSnapshot[];
};
type AccountSnapshot = [
  id: Uuid,
  alias: string | 0,
  assetCode: string,
  flags: number,
  revision: Revision,
  balances: BalanceSnapshot[],
  parts: number,
  type: string,
  segmentId?: Uuid,
];
type BalanceSnapshot = Unlimited | [...Unlimited, limit: string];
type Unlimited = [
  key: string,
  ordinal: number,
  direction: Side,
  flags: number,
  available: string,
  onHold: string,
  overdraftUsed: string,
  version: number,
  revision: Revision,
];

const ACCOUNTS_PER_CHUNK = 4_000;

function rulesFromSnapshot(empty: Ledger, chunk: string): Ledger {
  const { assets, rates, pending, parts, exceptions, ...rules } = JSON.parse(chunk) as FrozenRules;
  exceptionsFromSnapshot(empty.exceptions, exceptions);
  for (const [id, revision] of pending) empty.pending.set(id, revision);
  for (const [pair, revision] of rates) empty.rates.set(pair, revision);
  for (const [id, part] of parts) empty.parts.set(id, part);
  for (const asset of assets) empty.assets.put(asset);
  return { ...empty, ...rules };
}

const accountToSnapshot = (account: Account): AccountSnapshot => [
  account.id,
  account.alias === account.id ? 0 : account.alias,
  account.assetCode,
  (account.external ? 1 : 0) | (account.blocked ? 2 : 0) | (account.closed ? 4 : 0),
  account.revision,
  account.balances.map(balanceToSnapshot),
  account.parts,
  account.type,
  ...((account.segmentId === undefined ? [] : [account.segmentId]) as [Uuid?]),
];

const accountFromSnapshot = ([
  id,
  alias,
  assetCode,
  flags,
  revision,
  balances,
  parts,
  type,
  segmentId,
]: AccountSnapshot): Account => ({
  id,
  alias: alias === 0 ? id : alias,
  assetCode,
  type,
  segmentId,
  external: (flags & 1) !== 0,
  blocked: (flags & 2) !== 0,
  closed: (flags & 4) !== 0,
  revision,
  balances: balances.map(balanceFromSnapshot),
  parts,
});

const balanceToSnapshot = (balance: Balance): BalanceSnapshot => {
  const limit = balance.overdraft?.limit;
  const frozen = frozenBalance(balance);
  return limit === undefined ? frozen : [...frozen, formatAmount(limit)];
};

const frozenBalance = (balance: Balance): Unlimited => [
  balance.key,
  balance.ordinal,
  balance.direction,
  (balance.allowSending ? 1 : 0) | (balance.allowReceiving ? 2 : 0) | (balance.overdraft ? 4 : 0),
  formatAmount(balance.available),
  formatAmount(balance.onHold),
  formatAmount(balance.overdraftUsed),
  balance.version,
  balance.revision,
];

const balanceFromSnapshot = ([
  key,
  ordinal,
  direction,
  flags,
  ...state
]: BalanceSnapshot): Balance => ({
  key,
  ordinal,
  direction,
  allowSending: (flags & 1) !== 0,
  allowReceiving: (flags & 2) !== 0,
  available: parseAmount(state[0]),
  onHold: parseAmount(state[1]),
  overdraftUsed: parseAmount(state[2]),
  overdraft: (flags & 4) === 0 ? undefined : overdraftFromSnapshot(state[5]),
  version: state[3],
  revision: state[4],
});

const overdraftFromSnapshot = (limit: string | undefined): Overdraft =>
  limit === undefined ? UNLIMITED : { limit: parseAmount(limit) };
