import { activity, type Grain } from '#projections/ledger/activity.ts';
import type { BillingPeriod } from '#commands/fees/billing/period.ts';
import type { BilledStatus, VolumePackageFields } from '#src/events/fees/billing-package.ts';
import type { Request } from '#src/http/request.ts';
import type { Services } from '#src/http/services.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { ledgerJournal } from '#src/kernel/journal-name.ts';
import type { Row } from '#src/ports/read-store.ts';

export type BilledEvents = Readonly<{
  ledgerId: Uuid;
  filter: VolumePackageFields['eventFilter'];
  period: BillingPeriod;
}>;

/** Counts the transactions of a period by its daily sums, at most 31 rows. Errors: as readRow. */
export async function countTransactions(
  request: Request,
  services: Services,
  events: BilledEvents,
): Promise<number> {
  let total = 0;
  for await (const row of rowsOf(request, services, 'day', events)) {
    total += countIn(row, events.filter.status);
  }
  return total;
}

/**
 * Counts the transactions of a period by source account; a transaction with several sources counts for each. Undefined if
 * more accounts have some than `most`. Errors: as readRow.
 */
export async function countByAccount(
  request: Request,
  services: Services,
  events: BilledEvents,
  most: number,
): Promise<ReadonlyMap<string, number> | undefined> {
  const counts = new Map<string, number>();
  for await (const row of rowsOf(request, services, 'account', events)) {
    const count = countIn(row, events.filter.status);
    const alias = String(row.born).slice(DAY_AND_BLANK);
    if (count > 0) counts.set(alias, (counts.get(alias) ?? 0) + count);
    if (counts.size > most) return undefined;
  }
  return counts;
}

/** Reads the sums of a period in the order of its days, when they have everything that was acknowledged. */
async function* rowsOf(
  { context: { tenantId }, consistencyToken }: Request,
  { reads, progress }: Services,
  grain: Grain,
  { ledgerId, filter, period }: BilledEvents,
): AsyncGenerator<Row> {
  const { collection } = activity;
  await progress.reached(collection.name, ledgerJournal(ledgerId), consistencyToken);
  const where = { tenantId, ledgerId, grain, route: filter.transactionRoute };
  // The position of a row begins with its day, so this one is after all rows of the day before.
  for (let after = `${period.before}~`; ;) {
    const rows = await reads.list(collection, { where, order: 'asc', after, limit: ROWS });
    for (const row of rows) {
      after = String(row.born);
      if (after.slice(0, period.last.length) > period.last) return;
      yield row;
    }
    if (rows.length < ROWS) return;
  }
}

/** Transactions are approved in the step that creates them. */
function countIn({ values: { sums } }: Row, status: BilledStatus): number {
  const counts = JSON.parse(String(sums)) as Readonly<Record<string, string>>;
  return Number(counts[`count ${status === 'CREATED' ? 'APPROVED' : status}`] ?? '0');
}

const DAY_AND_BLANK = '2026-01-31 '.length;
const ROWS = 500;
