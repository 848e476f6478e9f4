import type { ListPosition, Cut, Walked } from '#src/ports/page.ts';
import type { Listing } from '#src/ports/read-store.ts';
import { SliceOver, type ReadSlice } from './read-slice.ts';
import type { Walk } from './read-sql.ts';
import { stretchOf, type RunStatement, type WalkStatements } from './read-stretch.ts';

/**
 * Returns a walk's current context, which may change while it pauses: a swap, a new snapshot. Several walks cover
 * entries of one journal: they are merged in the order of `born`. None: the collection does not exist yet.
 */
export type WalkContext<Row> = () => Readonly<{
  run: RunStatement;
  walks: readonly Walk<Row>[];
  slice: ReadSlice;
}>;

/** Maps a row to an item, to nothing (it is left out), or to the end of the list. */
export type TakeRow<Row, Found> = (row: Row) => Found | undefined | null;

export type Order<Row, Found> = Pick<Listing, 'after' | 'skip' | 'limit' | 'order'> &
  Readonly<{
    take: TakeRow<Row, Found>;
    /** `take` leaves rows out, so that the number of rows to read is unknown. */
    sieves?: boolean;
    bornOf: (row: Row) => ListPosition;
    /** Returns true if the walk may end early because of the items found. */
    isFull?: (found: readonly Found[]) => boolean;
  }>;

/**
 * Walks in chunks and pauses between them, so that the caller can check the clock and serve others. A walk holds
 * nothing open while it pauses: it keeps only the `born` it reached, which is the same in every generation. When the
 * caller sends a reason into the pause, the walk ends early with its results so far.
 */
export function* walkInChunks<Row, Found>(
  contextNow: WalkContext<Row>,
  { after, skip = 0, limit, order, take, sieves = false, bornOf, isFull }: Order<Row, Found>,
): Generator<undefined, Walked<Found>, Cut | undefined> {
  const found: Found[] = [];
  let from = after;
  let left = skip;
  let size = FIRST_ROWS;
  /** Without any row read, there would be no place to resume from. */
  const hasProgressed = (): boolean => left > 0 || from !== after;
  /** A walk that has not reached the first row of the page cannot be resumed from its place. */
  const early = (cut: Cut): Walked<Found> => {
    return { found, ended: { cut, reached: left > 0 ? undefined : from } };
  };
  for (;;) {
    const { run, walks, slice } = contextNow();
    if (walks.length === 0) return { found };

    const filtered = sieves || walks.some(({ filters }) => filters !== undefined);
    const wanted = sieves ? size : limit - found.length;
    const startedMs = performance.now();
    let chunk: Chunk<Row>;
    slice.bind(size);
    try {
      const stretches = walks.map((walk) => stretchOf(walk, order, run));
      const unbounded = !filtered && left < SKIPPED_AT_ONCE;
      chunk = readChunk(stretches, { from, left, size, wanted, unbounded, order, bornOf });
    } catch (error) {
      if (!(error instanceof SliceOver)) throw error;
      size = Math.max(1, size >> 2);
      const cut = yield;
      if (cut !== undefined && hasProgressed()) return early(cut);
      continue;
    }

    left -= chunk.skipped;
    from = chunk.edge ?? from;
    let isLast = chunk.edge === undefined;
    for (const row of chunk.rows) {
      const one = take(row);
      if (one === null) return { found };
      if (one !== undefined) {
        found.push(one);
        if (found.length === limit) return { found };
        if (isFull?.(found)) return { found, ended: { cut: 'bytes', reached: bornOf(row) } };
      }
      if (sieves && slice.isOver) {
        from = bornOf(row);
        isLast = false;
        break;
      }
    }
    if (isLast) return { found };
    size = nextSize(size, performance.now() - startedMs);
    const cut = yield;
    if (cut !== undefined && hasProgressed()) return early(cut);
  }
}

/** Some rows, and the `born` they reach to: undefined at the end of the list. */
type Chunk<Row> = Readonly<{
  rows: readonly Row[];
  skipped: number;
  edge: ListPosition | undefined;
}>;

type ChunkOrder<Row> = Readonly<{
  from: ListPosition | undefined;
  left: number;
  size: number;
  wanted: number;
  /** The wanted rows are simply the next ones. */
  unbounded: boolean;
  order: Listing['order'];
  bornOf: (row: Row) => ListPosition;
}>;

function readChunk<Row>(
  stretches: readonly WalkStatements<Row>[],
  { from, left, size, wanted, unbounded, order, bornOf }: ChunkOrder<Row>,
): Chunk<Row> {
  const [first] = stretches;
  const edge = unbounded
    ? undefined
    : nearest(order, ...stretches.map((one) => one.edge(from, size)));
  const skipped = left === 0 || unbounded ? left : Math.min(left, first!.count(from, edge, size));
  if (skipped < left) return { rows: [], skipped, edge };

  const parts = stretches.map((one) => one.rows(from, edge, skipped, wanted));
  if (parts.length === 1) return { ...parts[0]!, skipped, edge: parts[0]!.stoppedAt ?? edge };
  // A part that was not read to its end limits how far the others count.
  const reached = nearest(order, edge, ...parts.map(({ stoppedAt }) => stoppedAt));
  const isWithin = (row: Row) =>
    reached === undefined || (order === 'asc' ? bornOf(row) <= reached : bornOf(row) >= reached);
  const sign = order === 'asc' ? 1 : -1;
  const rows = parts
    .flatMap((part) => part.rows)
    .filter(isWithin)
    .sort((a, b) => (bornOf(a) < bornOf(b) ? -sign : sign));
  return { rows, skipped, edge: reached };
}

/** Returns the place that a walk reaches first. */
function nearest(
  order: Listing['order'],
  ...borns: readonly (ListPosition | undefined)[]
): ListPosition | undefined {
  let found: ListPosition | undefined;
  for (const born of borns) {
    if (born === undefined) continue;
    if (found === undefined || (order === 'asc' ? born < found : born > found)) found = born;
  }
  return found;
}

/** Keeps a chunk at some milliseconds, whatever its filters cost and however long its bodies are. */
function nextSize(size: number, tookMs: number): number {
  if (tookMs > CHUNK_MS * 2) return Math.max(1, size >> 1);
  return tookMs < CHUNK_MS ? Math.min(size * 2, ROWS_MAX) : size;
}

/** The first chunk is small, because bodies may have 900 KB. */
const FIRST_ROWS = 16;
const ROWS_MAX = 8192;
const CHUNK_MS = 2;
const SKIPPED_AT_ONCE = 1000;
