import type { Answer } from './connection.ts';
import type { Work } from './job.ts';
import { nameOf } from './names.ts';
import { get, missing } from './text.ts';
import { DEEP_EVERY, type Workload } from './workload.ts';

/** Pages of transactions. The request id tells whose answer it is; some are read and counted. */
export function pageWork(run: number, work: Work & { kind: 'page' }): Workload {
  const deep = (seq: number): boolean => seq % DEEP_EVERY === 0;
  return {
    status: 200,
    keep: deep,
    text: (seq) => get(work.paths[seq % work.paths.length] ?? '/', run, seq),
    check: (seq, answer) =>
      missing(answer.head, `req-${nameOf(run, seq)}`) ??
      (deep(seq) ? wrongPage(answer, work.items) : undefined),
  };
}

type Page = Readonly<{ items: readonly Readonly<{ operations: readonly unknown[] }>[] }>;

function wrongPage({ body }: Answer, wanted: number): string | undefined {
  const { items } = JSON.parse(body) as Page;
  if (items.length !== wanted) return `has ${String(items.length)} items, not ${String(wanted)}`;
  const whole = items.every(({ operations }) => operations.length >= 2);
  return whole ? undefined : 'has a transaction without its operations';
}
