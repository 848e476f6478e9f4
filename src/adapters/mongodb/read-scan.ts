import { TimeBudgetExceeded } from '#src/ports/errors.ts';
import type { ListPosition, Walked } from '#src/ports/page.ts';
import type { Caller } from '#src/ports/read-store.ts';

/** Where a scan gets its rows from. */
export type ScanSource<Row> = Readonly<{
  /**
   * The rows that meet the filters, after one place and up to another, in order; `stoppedAt` where it read no further,
   * because they were too long to be held. Errors: TimeBudgetExceeded when the server took longer than `maxMs`.
   */
  read: (
    bounds: Readonly<{
      after: ListPosition | undefined;
      to: ListPosition | undefined;
      limit: number;
      maxMs: number;
    }>,
  ) => Promise<Readonly<{ rows: readonly Row[]; stoppedAt?: ListPosition | undefined }>>;
  /** The place up to which the next `size` rows stand, filters aside; undefined when fewer are left. */
  edge: (
    after: ListPosition | undefined,
    size: number,
    maxMs: number,
  ) => Promise<ListPosition | undefined>;
  bornOf: (row: Row) => ListPosition;
  /** False while rows still have to be left out first. */
  canResume: () => boolean;
}>;

export type Scan<Row, Found> = Readonly<{
  after: ListPosition | undefined;
  limit: number;
  /** What becomes of a row: an item, nothing, or the end of the list. */
  take: (row: Row) => Found | undefined | null;
  /** `take` leaves rows out, so that it is not known how many have to be read. */
  sieves: boolean;
  isFull: (found: readonly Found[]) => boolean;
  budgetMs: number;
  caller: Caller | undefined;
}>;

/**
 * Reads rows until there are enough, and ends early when its time is over. The server is asked for all of them first.
 * When its filters find too little in half of the time, the rest is walked in stretches that any index of the list
 * bounds, so that it is known how far the scan has come. Errors: Unavailable.
 */
export async function scan<Row, Found>(
  { read, edge, bornOf, canResume }: ScanSource<Row>,
  { after, limit, take, sieves, isFull, budgetMs, caller }: Scan<Row, Found>,
): Promise<Walked<Found>> {
  const endsMs = performance.now() + budgetMs;
  const isOver = (sinceMs = endsMs): boolean =>
    performance.now() >= sinceMs || caller?.gone === true;
  const found: Found[] = [];
  let from = after;
  let size: number | undefined;
  for (;;) {
    const wanted = sieves ? ROWS_AT_ONCE : limit - found.length;
    const maxMs = Math.ceil(budgetMs / (size === undefined ? 2 : 4));
    let chunk: Awaited<ReturnType<typeof read>>;
    let to: ListPosition | undefined;
    try {
      to = size === undefined ? undefined : await edge(from, size, maxMs);
      chunk = await read({ after: from, to, limit: wanted, maxMs });
    } catch (error) {
      if (!(error instanceof TimeBudgetExceeded)) throw error;
      if (!canResume()) return { found, ended: { cut: 'time', reached: undefined } };
      // Longer, if need be: one that has not come on could not be gone on with.
      if (isOver(from === after ? endsMs + budgetMs : endsMs)) {
        return { found, ended: { cut: 'time', reached: from } };
      }
      size = size === undefined ? FIRST_ROWS : Math.max(1, size >> 2);
      continue;
    }
    for (const row of chunk.rows) {
      const one = take(row);
      if (one === null) return { found };
      if (one === undefined) continue;
      found.push(one);
      if (found.length === limit) return { found };
      if (isFull(found)) return { found, ended: { cut: 'bytes', reached: bornOf(row) } };
    }
    const last = chunk.rows.at(-1);
    const isWhole = chunk.stoppedAt === undefined && chunk.rows.length < wanted;
    if (isWhole && to === undefined) return { found };
    from = isWhole ? to : (chunk.stoppedAt ?? (last && bornOf(last)));
    if (isOver()) return { found, ended: { cut: 'time', reached: from } };
    if (isWhole && size !== undefined) size = Math.min(size * 2, ROWS_MAX);
  }
}

const ROWS_AT_ONCE = 250;
const FIRST_ROWS = 500;
const ROWS_MAX = 32_000;
