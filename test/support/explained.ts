import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { ReadView } from '#src/adapters/embedded/read-view.ts';

/** From now on, how SQLite goes about each statement of a view. */
export function explained(db: DatabaseSync, view: ReadView): readonly string[] {
  const plans: string[] = [];
  const { run } = view;
  const explain = (sql: string, values: readonly SQLInputValue[]) => {
    const plan = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values);
    plans.push(plan.map(({ detail }) => String(detail)).join('; '));
  };
  view.run = {
    all(sql, values) {
      explain(sql, values);
      return run.all(sql, values);
    },
    some(sql, values, column) {
      explain(sql, values);
      return run.some(sql, values, column);
    },
  };
  return plans;
}
