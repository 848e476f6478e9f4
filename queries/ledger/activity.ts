import { activity, type Grain } from '#projections/ledger/activity.ts';
import { sums, sumsOf, type Sums } from '#queries/sums.ts';
import { add, formatAmount, parseAmount } from '#src/domain/amount.ts';
import type { Uuid } from '#src/domain/ids.ts';
import { ledgerJournal } from '#src/domain/journal-name.ts';
import type { Request } from '#src/http/request.ts';
import type { Services } from '#src/http/services.ts';
import type { Row } from '#src/ports/read-store.ts';
import { daysOf, holdsDay, type Window } from './window.ts';

/** What happened on one day, as far as it lies in the window. */
export type DayOfActivity = Readonly<{ day: string; sums: Sums }>;

/**
 * The days of a window, empty ones included, of all transactions or of those that name a route. Whole days are read
 * as such, the first and the last one by the minute. Errors: as readRow.
 */
export async function readActivity(
  { context: { tenantId }, consistencyToken }: Request,
  { reads, progress }: Services,
  ledgerId: Uuid,
  window: Window,
  route = '',
): Promise<readonly DayOfActivity[]> {
  const { collection } = activity;
  await progress.reached(collection.name, ledgerJournal(ledgerId), consistencyToken);
  const rowsOf = (grain: Grain, first: string, limit: number): Promise<readonly Row[]> =>
    reads.list(collection, {
      where: { tenantId, ledgerId, grain, route },
      order: 'asc',
      after: justBefore(first),
      limit,
    });

  const days = daysOf(window);
  const whole = days.filter((day) => holdsDay(window, day));
  const found = whole[0] === undefined ? [] : await rowsOf('day', whole[0], whole.length);
  const byDay = new Map(found.map((row) => [String(row.born), sumsOf(row)]));
  const parts = days.filter((day) => !whole.includes(day));
  for (const day of parts) {
    const minutes = await rowsOf('minute', `${day}T00:00`, MINUTES_OF_DAY);
    byDay.set(
      day,
      within(
        window,
        minutes.filter(({ born }) => String(born).startsWith(day)),
      ),
    );
  }
  return days.map((day) => ({ day, sums: byDay.get(day) ?? sums({}) }));
}

/** What the seconds in the window add up to. */
function within({ from, to }: Window, minutes: readonly Row[]): Sums {
  const total = new Map<string, string>();
  for (const row of minutes) {
    for (const [name, sum] of sumsOf(row).entries()) {
      const second = `${String(row.born)}:${name.slice(0, 2)}`;
      if (second < from.slice(0, 19) || second >= to.slice(0, 19)) continue;
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

/** Rows are born at what they are named by, and a walk begins after something. */
const justBefore = (born: string): string =>
  born.slice(0, -1) + String.fromCharCode(born.charCodeAt(born.length - 1) - 1) + '~';

const MINUTES_OF_DAY = 1440;
