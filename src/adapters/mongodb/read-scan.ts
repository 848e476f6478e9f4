import { TimeBudgetExceeded } from '#src/ports/errors.ts';
import type { ListPosition, Walked } from '#src/ports/page.ts';
import type { Caller } from '#src/ports/read-store.ts';

/** The source of a scan's rows. */
export type ScanSource<Row> = Readonly<{
  /**
   * Returns the rows that meet the filters, after one place and up to another, in order; `stoppedAt` is where it
   * stopped because the rows grew too long to hold. Errors: TimeBudgetExceeded when the server took longer than
   * `maxMs`.
   */
  read: (
    bounds: Readonly<{
      after: ListPosition | undefined;
      to: ListPosition | undefined;
      limit: number;
      maxMs: number;
    }>,
  ) => Promise<Readonly<{ rows: readonly Row[]; stoppedAt?: ListPosition | undefined }>>;
  /** Returns the place up to which the next `size` rows reach, regardless of filters; undefined when fewer are left. */
  edge: (
    after: ListPosition | undefined,
    size: number,
    maxMs: number,
  ) => Promise<ListPosition | undefined>;
  bornOf: (row: Row) => ListPosition;
  /** Returns false while rows still have to be skipped first. */
  canResume: () => boolean;
}>;

export type Scan<Row, Found> = Readonly<{
  after: ListPosition | undefined;
  limit: number;
  /** Maps a row to an item, to nothing (it is left out), or to the end of the list. */
  take: (row: Row) => Found | undefined | null;
  /** `take` leaves rows out, so that the number of rows to read is unknown. */
  sieves: boolean;
  isFull: (found: readonly Found[]) => boolean;
  budgetMs: number;
  caller: Caller | undefined;
}>;

/**
 * Reads rows until there are enough, and ends early when its time is over. It first asks the server for all of them.
 * When the filters find too little in half of the time, it walks the rest in stretches that any index of the list
 * bounds, so that its progress is known. Errors: Unavailable.
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
      // Extended if necessary: a scan without any progress could not be resumed.
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
