import type { SQLInputValue } from 'node:sqlite';
import type { ListPosition } from '#src/ports/page.ts';
import type { KeyValue } from '#src/ports/read-store.ts';
import { both, type BodyColumn, type BodyOfData, type Sql, type Walk } from './read-sql.ts';

/** Runs statements; the caller prepares and caches them. */
export type RunStatement = Readonly<{
  all: (sql: string, values: readonly SQLInputValue[]) => readonly KeyValue[][];
  /** For rows with bodies: stops after the row at which the bodies grow too large to hold at once. */
  some: (
    sql: string,
    values: readonly SQLInputValue[],
    body: BodyColumn,
  ) => Readonly<{
    rows: readonly KeyValue[][];
    stopped: boolean;
    bodyOf?: BodyOfData | undefined;
  }>;
}>;

export type WalkStatements<Row> = ReturnType<typeof stretchOf<Row>>;

/**
 * Reads stretches of a walk. `? + 0`, because SQLite prepares a statement again for every value of a bare placeholder
 * after LIMIT.
 */
export function stretchOf<Row>(walk: Walk<Row>, order: 'asc' | 'desc', run: RunStatement) {
  const [beyond, upTo, direction] = order === 'asc' ? ['>', '<=', 'ASC'] : ['<', '>=', 'DESC'];
  const orderBy = (): string => `ORDER BY ${walk.order.replaceAll('%s', direction)}`;
  const between = (from: ListPosition | undefined, to: ListPosition | undefined): Sql =>
    both([
      walk.bound,
      ...(from === undefined ? [] : [{ sql: `${walk.born} ${beyond} ?`, values: [from] }]),
      ...(to === undefined ? [] : [{ sql: `${walk.born} ${upTo} ?`, values: [to] }]),
    ]);
  const matching = (from: ListPosition | undefined, to: ListPosition | undefined): Sql =>
    both([between(from, to), ...(walk.filters === undefined ? [] : [walk.filters])]);

  return {
    /** Returns the `born` at which a chunk of `size` rows ends; undefined when fewer are left. */
    edge(from: ListPosition | undefined, size: number): ListPosition | undefined {
      const { sql, values } = between(from, undefined);
      const text = `SELECT ${walk.born} FROM ${walk.walked} WHERE ${sql} ${orderBy()} LIMIT 1 OFFSET ? + 0`;
      return run.all(text, [...values, size - 1])[0]?.[0] as ListPosition | undefined;
    },
    count(from: ListPosition | undefined, to: ListPosition | undefined, size: number): number {
      if (walk.filters === undefined && to !== undefined) return size;
      const { sql, values } = matching(from, to);
      const text = `SELECT count(*) FROM ${walk.walked} ${walk.joined} WHERE ${sql}`;
      return Number(run.all(text, values)[0]?.[0] ?? 0);
    },
    rows(
      from: ListPosition | undefined,
      to: ListPosition | undefined,
      skip: number,
      limit: number,
    ) {
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
      const { rows, stopped, bodyOf } = run.some(text, [...values, limit, skip], walk.body);
      const stoppedAt = stopped ? rows.at(-1)![BORN]! : undefined;
      return { rows: rows.map((row) => walk.shape(row, bodyOf)), stoppedAt };
    },
  };
}

/** The column of every walk that holds a row's place in it. */
const BORN = 1;
