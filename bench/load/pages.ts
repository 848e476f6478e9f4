import type { Answer } from './connection.ts';
import type { Work } from './job.ts';
import { nameOf } from './names.ts';
import { get, missing } from './text.ts';
import { isKept, type Workload } from './workload.ts';

/** Pages of transactions. */
export function pageWork(run: number, work: Work & { kind: 'page' }): Workload {
  return {
    status: 200,
    keep: isKept,
    text: (seq) => get(work.paths[seq % work.paths.length] ?? '/', run, seq),
    check: (seq, answer) =>
      missing(answer.head, `req-${nameOf(run, seq)}`) ?? wrongPage(answer, work.items),
  };
}

type Page = Readonly<{ items: readonly Readonly<{ operations: readonly unknown[] }>[] }>;

function wrongPage({ body }: Answer, wanted: number): string | undefined {
  const { items } = JSON.parse(body) as Page;
  if (items.length !== wanted) return `has ${String(items.length)} items, not ${String(wanted)}`;
  const whole = items.every(({ operations }) => operations.length >= 2);
  return whole ? undefined : 'has a transaction without its operations';
}
