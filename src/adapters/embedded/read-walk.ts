import type { SQLInputValue } from 'node:sqlite';
import type { Born } from '#src/ports/page.ts';
import type { KeyValue, Listing } from '#src/ports/read-store.ts';
import { both, type Sql, type Walk } from './read-sql.ts';

/** Runs a statement; the caller prepares and keeps it. */
export type Run = (sql: string, values: readonly SQLInputValue[]) => readonly KeyValue[][];

/** What a walk needs of its surroundings. They may change while it pauses: a swap, a new snapshot. */
export type Surroundings<Found> = () => Readonly<{ run: Run; walk: Walk<Found> | undefined }>;

/**
 * Walks in chunks and pauses between them, so that the caller can look at the clock and serve others. A walk
 * keeps nothing open while it pauses: it knows the `born` it came to, which is the same in every generation.
 */
export function* walkInChunks<Found>(
  surroundings: Surroundings<Found>,
  { after, skip = 0, limit, order }: Pick<Listing, 'after' | 'skip' | 'limit' | 'order'>,
): Generator<undefined, readonly Found[]> {
  const found: Found[] = [];
  let from = after;
  let left = skip;
  for (;;) {
    const { run, walk } = surroundings();
    if (walk === undefined) return found; // Nothing of the collection is there yet.

    const stretch = stretchOf(walk, order, run);
    const inOneGo = walk.filters === undefined && left < CHUNK_ROWS;
    const edge = inOneGo ? undefined : stretch.edge(from);
    const skipped = left === 0 ? 0 : Math.min(left, inOneGo ? left : stretch.count(from, edge));
    left -= skipped;
    if (left === 0) {
      const rows = stretch.rows(from, edge, skipped, limit - found.length);
      for (const row of rows) found.push(walk.shape(row));
    }
    if (edge === undefined || found.length >= limit) return found;
    from = edge;
    yield;
  }
}

/** `? + 0`, because SQLite prepares a statement anew for every value of a bare hole after LIMIT. */
function stretchOf<Found>(walk: Walk<Found>, order: 'asc' | 'desc', run: Run) {
  const [beyond, upTo, direction] = order === 'asc' ? ['>', '<=', 'ASC'] : ['<', '>=', 'DESC'];
  const orderBy = (): string => `ORDER BY ${walk.order.replaceAll('%s', direction)}`;
  const between = (from: Born | undefined, to: Born | undefined): Sql =>
    both([
      walk.bound,
      ...(from === undefined ? [] : [{ sql: `${walk.born} ${beyond} ?`, values: [from] }]),
      ...(to === undefined ? [] : [{ sql: `${walk.born} ${upTo} ?`, values: [to] }]),
    ]);
  const matching = (from: Born | undefined, to: Born | undefined): Sql =>
    both([between(from, to), ...(walk.filters === undefined ? [] : [walk.filters])]);

  return {
    /** The `born` at which a chunk ends; undefined when fewer rows than a chunk are left. */
    edge(from: Born | undefined): Born | undefined {
      const { sql, values } = between(from, undefined);
      const text = `SELECT ${walk.born} FROM ${walk.walked} WHERE ${sql} ${orderBy()} LIMIT 1 OFFSET ? + 0`;
      return run(text, [...values, CHUNK_ROWS - 1])[0]?.[0] as Born | undefined;
    },
    count(from: Born | undefined, to: Born | undefined): number {
      if (walk.filters === undefined && to !== undefined) return CHUNK_ROWS;
      const { sql, values } = matching(from, to);
      const text = `SELECT count(*) FROM ${walk.walked} ${walk.joined} WHERE ${sql}`;
      return Number(run(text, values)[0]?.[0] ?? 0);
    },
    rows(from: Born | undefined, to: Born | undefined, skip: number, limit: number) {
      const form = `${order}${from === undefined ? '' : ' from'}${to === undefined ? '' : ' to'}`;
      let text = walk.texts?.get(form);
      if (text === undefined) {
        const source = `${walk.walked} ${walk.joined} WHERE ${matching(from, to).sql}`;
        text = `SELECT ${walk.columns} FROM ${source} ${orderBy()} LIMIT ? + 0 OFFSET ? + 0`;
        walk.texts?.set(form, text);
      }
      const values = [...walk.bound.values];
      if (from !== undefined) values.push(from);
      if (to !== undefined) values.push(to);
      if (walk.filters !== undefined) values.push(...walk.filters.values);
      return run(text, [...values, limit, skip]);
    },
  };
}

/** A chunk of the dearest filter, on metadata, takes some 5 ms. */
const CHUNK_ROWS = 1000;
