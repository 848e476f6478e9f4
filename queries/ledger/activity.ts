import { activity, type Grain } from '#projections/ledger/activity.ts';
import { sums, sumsOf, type Sums } from '#queries/sums.ts';
import { add, formatAmount, parseAmount } from '#src/kernel/amount.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { ledgerJournal } from '#src/kernel/journal-name.ts';
import type { Request } from '#src/http/request.ts';
import type { Services } from '#src/http/services.ts';
import type { Row } from '#src/ports/read-store.ts';
import { dayOf, partsOf, type Window } from './window.ts';

/**
 * Sums the activity in a window, by day, over all transactions or those that name one route. Days without activity are
 * left out. Whole days are read as one row each; a first or last day that is partly in the window, by the minute.
 * Errors: as readRow.
 */
export async function readActivity(
  { context: { tenantId }, consistencyToken }: Request,
  { reads, progress }: Services,
  ledgerId: Uuid,
  window: Window,
  route = '',
): Promise<ReadonlyMap<string, Sums>> {
  const { collection } = activity;
  await progress.reached(collection.name, ledgerJournal(ledgerId), consistencyToken);
  const rowsOf = (grain: Grain, after: string): Promise<readonly Row[]> =>
    reads.list(collection, {
      where: { tenantId, ledgerId, grain, route },
      order: 'asc',
      after,
      limit: ROWS,
    });

  const found = new Map<string, Sums>();
  const parts = partsOf(window);
  for (let after = justBefore(dayOf(window.first)); ;) {
    const rows = await rowsOf('day', after);
    for (const row of rows) {
      const day = String(row.born);
      if (day > dayOf(window.last)) break;
      if (!parts.includes(day)) found.set(day, sumsOf(row));
    }
    after = String(rows.at(-1)?.born ?? '');
    if (rows.length < ROWS || after >= dayOf(window.last)) break;
  }
  for (const day of parts) {
    const minutes = await rowsOf('minute', justBefore(`${day}T00:00`));
    const ofDay = minutes.filter(({ born }) => String(born).startsWith(day));
    if (ofDay.length > 0) found.set(day, within(window, ofDay));
  }
  return found;
}

/** Sums the seconds of the minutes that lie in the window. */
function within({ first, last }: Window, minutes: readonly Row[]): Sums {
  const total = new Map<string, string>();
  for (const row of minutes) {
    for (const [name, sum] of sumsOf(row).entries()) {
      const second = `${String(row.born)}:${name.slice(0, 2)}`;
      if (second < first || second > last) continue;
      const what = name.slice(3);
      const before = total.get(what);
      total.set(
        what,
        before === undefined ? sum : formatAmount(add(parseAmount(before), parseAmount(sum))),
      );
    }
  }
  return sums(Object.fromEntries(total));
}

/** A row's list position is its name, and a walk starts after the given position. */
const justBefore = (born: string): string =>
  born.slice(0, -1) + String.fromCharCode(born.charCodeAt(born.length - 1) - 1) + '~';

/** Rows per read; a day has as many minutes. */
const ROWS = 1440;
