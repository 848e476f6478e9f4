import { tally } from '#projections/projection.ts';
import { parseAmount, ZERO, type Amount } from '#src/kernel/amount.ts';
import type { Instant } from '#src/kernel/instant.ts';
import type { LedgerEvent } from '#src/events/ledger/ledger.ts';
import type { TransactionRecord, TransactionStatus } from '#src/events/ledger/transaction.ts';
import type { Posted } from '#src/events/ledger/posted-parts.ts';
import { readPosted } from '#src/events/ledger/posted.ts';
import type { Addition, Recorded } from '#src/ports/projection.ts';

/**
 * Activity in a ledger by the `createdAt` of its transactions: a row for each day and one for each minute with any,
 * with sums per second. A window of any length is therefore read from a few thousand short rows at most. Transactions
 * that name a `route` or a `routeId` are also counted under it, and there for each day and source account, too.
 */
export const activity = tally<LedgerEvent>(
  {
    name: 'activity',
    version: 2,
    keys: { tenantId: 'text', ledgerId: 'text', grain: 'text', route: 'text' },
    indexes: [['tenantId', 'ledgerId', 'grain', 'route']],
  },
  {
    TransactionPosted: (event) => {
      const posted = readPosted(event.text);
      return additions(event, posted, { APPROVED: 1 }, volume(posted));
    },
    TransactionHeld: (event) => additions(event, event.data.transaction, { PENDING: 1 }),
    TransactionNoted: (event) => additions(event, event.data.transaction, { NOTED: 1 }),
    TransactionCommitted(event) {
      const { transaction } = event.data;
      return additions(event, transaction, { PENDING: -1, APPROVED: 1 }, volume(transaction));
    },
    TransactionCanceled: (event) =>
      additions(event, event.data.transaction, { PENDING: -1, CANCELED: 1 }),
  },
);

/**
 * Rows of a day; rows of a minute, in which the second precedes each name; or rows of a day and a source account, whose
 * list position is the day, a blank and the alias.
 */
export type Grain = 'day' | 'minute' | 'account';

type Happened = Pick<TransactionRecord, 'ledgerId' | 'createdAt'> &
  Readonly<{ route?: string | undefined; routeId?: string | undefined }> &
  (Readonly<{ routedFrom: readonly string[] }> | Pick<TransactionRecord, 'source'>);
type Counts = Readonly<Partial<Record<TransactionStatus, 1 | -1>>>;
type Add = Readonly<Record<string, Amount>>;

function additions(
  { tenantId }: Pick<Recorded, 'tenantId'>,
  happened: Happened,
  counts: Counts,
  moved: Add = {},
): Addition[] {
  const { ledgerId, createdAt, route, routeId } = happened;
  const counted: Record<string, Amount> = {};
  for (const status of Object.keys(counts) as TransactionStatus[]) {
    counted[`count ${status}`] = ONCE[counts[status] ?? 1];
  }
  const second = secondOf(createdAt);
  const rows = (of: string, add: Add): Addition[] => {
    const { day, minute } = datesFor(tenantId, ledgerId, of, createdAt);
    return [
      { ...day, add },
      { ...minute, add: bySecond(second, add) },
    ];
  };
  const all = rows('', { ...counted, ...moved });
  if (route === undefined && routeId === undefined) return all;
  const routes = [...new Set([route, routeId])].filter((one) => one !== undefined && one !== '');
  if (routes.length === 0) return all;
  const sources = new Set('source' in happened ? happened.source : happened.routedFrom);
  for (const of of routes as string[]) {
    all.push(...rows(of, counted));
    for (const alias of sources) {
      const keys = { tenantId, ledgerId, grain: 'account', route: of } as const;
      all.push({ ...row(keys, `${dayOf(createdAt)} ${alias}`), add: counted });
    }
  }
  return all;
}

type RowOfActivity = Omit<Addition, 'add'>;

const row = (
  keys: Readonly<{ tenantId: string; ledgerId: string; grain: Grain; route: string }>,
  at: string,
): RowOfActivity => ({
  // Aliases have no blanks, but routes do: without the word, the row of an account could have the id of a day's.
  id: `${keys.grain === 'account' ? 'account ' : ''}${keys.ledgerId} ${at} ${keys.route}`,
  born: at,
  keys,
});

/** Remembers the last rows of dates, because consecutive transactions often share their minute. */
function datesFor(tenantId: string, ledgerId: string, route: string, createdAt: Instant) {
  const { keys } = last.minute;
  const isSame =
    keys['ledgerId'] === ledgerId &&
    keys['tenantId'] === tenantId &&
    keys['route'] === route &&
    createdAt.startsWith(String(last.minute.born));
  if (!isSame) last = newDates(tenantId, ledgerId, route, createdAt);
  return last;
}

const newDates = (tenantId: string, ledgerId: string, route: string, createdAt: Instant) => ({
  day: row({ tenantId, ledgerId, grain: 'day', route }, dayOf(createdAt)),
  minute: row({ tenantId, ledgerId, grain: 'minute', route }, minuteOf(createdAt)),
});

function bySecond(second: string, add: Add): Add {
  const sums: Record<string, Amount> = {};
  for (const name of Object.keys(add)) sums[`${second} ${name}`] = add[name] ?? ZERO;
  return sums;
}

/** Gross volume, including reversals, which are also counted separately. */
function volume({
  amount,
  assetCode,
  parentTransactionId,
}: Pick<Posted, 'amount' | 'assetCode'> &
  Readonly<{ parentTransactionId?: string | undefined }>): Add {
  const moved = parseAmount(amount);
  const sums: Record<string, Amount> = {};
  sums[`volume ${assetCode}`] = moved;
  sums[`moved ${assetCode}`] = ONCE[1];
  if (parentTransactionId !== undefined) {
    sums[`reversed ${assetCode}`] = moved;
    sums[`reversals ${assetCode}`] = ONCE[1];
  }
  return sums;
}

const dayOf = (at: Instant): string => at.slice(0, 10);
const minuteOf = (at: Instant): string => at.slice(0, 16);
const secondOf = (at: Instant): string => at.slice(17, 19);

let last = newDates('', '', '', '' as Instant);

const ONCE = { [1]: parseAmount('1'), [-1]: parseAmount('-1') } as const;
