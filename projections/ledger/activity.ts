import { tally } from '#projections/projection.ts';
import { parseAmount } from '#src/kernel/amount.ts';
import type { Instant } from '#src/kernel/instant.ts';
import type { LedgerEvent } from '#src/events/ledger/ledger.ts';
import type { TransactionRecord, TransactionStatus } from '#src/events/ledger/transaction.ts';
import type { Posted } from '#src/events/ledger/posted-parts.ts';
import { readPosted } from '#src/events/ledger/posted.ts';
import type { Addition, Recorded, Sum } from '#src/ports/projection.ts';

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
      return additions(event, posted, APPROVED, volume(posted));
    },
    TransactionHeld: (event) => additions(event, event.data.transaction, PENDING),
    TransactionNoted: (event) => additions(event, event.data.transaction, NOTED),
    TransactionCommitted(event) {
      const { transaction } = event.data;
      return additions(event, transaction, COMMITTED, volume(transaction));
    },
    TransactionCanceled: (event) => additions(event, event.data.transaction, CANCELED),
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

function additions(
  { tenantId }: Pick<Recorded, 'tenantId'>,
  happened: Happened,
  counted: readonly Sum[],
  moved: readonly Sum[] = [],
): Addition[] {
  const { ledgerId, createdAt, route, routeId } = happened;
  const second = secondOf(createdAt);
  const rows = (of: string, add: readonly Sum[]): Addition[] => {
    const { day, minute } = datesFor(tenantId, ledgerId, of, createdAt);
    return [adding(day, add), adding(minute, bySecond(second, add))];
  };
  const all = rows('', [...counted, ...moved]);
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

const adding = ({ id, born, keys }: RowOfActivity, add: readonly Sum[]): Addition => ({
  id,
  born,
  keys,
  add,
});

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

const bySecond = (second: string, add: readonly Sum[]): Sum[] =>
  add.map(([name, amount]) => [named(second, name), amount]);

/** Gross volume, including reversals, which are also counted separately. */
function volume({
  amount,
  assetCode,
  parentTransactionId,
}: Pick<Posted, 'amount' | 'assetCode'> &
  Readonly<{ parentTransactionId?: string | undefined }>): Sum[] {
  const moved = parseAmount(amount);
  const sums: Sum[] = [
    [named('volume', assetCode), moved],
    [named('moved', assetCode), ONCE[1]],
  ];
  if (parentTransactionId !== undefined) {
    sums.push([named('reversed', assetCode), moved], [named('reversals', assetCode), ONCE[1]]);
  }
  return sums;
}

/** Returns two words as one name, and the same string each time, so that looking it up needs no hash of a new one. */
function named(first: string, second: string): string {
  let others = names.get(first);
  if (others === undefined) names.set(first, (others = new Map<string, string>()));
  let name = others.get(second);
  if (name === undefined) {
    if (others.size >= NAMES_MAX) others.clear();
    others.set(second, (name = `${first} ${second}`));
  }
  return name;
}

/** By first word: a second of a minute or a kind of sum. */
const names = new Map<string, Map<string, string>>();
const NAMES_MAX = 1000;

const dayOf = (at: Instant): string => at.slice(0, 10);
const minuteOf = (at: Instant): string => at.slice(0, 16);

/** Returns one string for the second of consecutive events. */
function secondOf(at: Instant): string {
  if (!at.startsWith(lastSecond, 17) || lastSecond === '') lastSecond = at.slice(17, 19);
  return lastSecond;
}
let lastSecond = '';

let last = newDates('', '', '', '' as Instant);

const ONCE = { [1]: parseAmount('1'), [-1]: parseAmount('-1') } as const;
const once = (status: TransactionStatus, more: 1 | -1 = 1): Sum => [`count ${status}`, ONCE[more]];
const APPROVED = [once('APPROVED')];
const PENDING = [once('PENDING')];
const NOTED = [once('NOTED')];
const COMMITTED = [once('PENDING', -1), once('APPROVED')];
const CANCELED = [once('PENDING', -1), once('CANCELED')];
