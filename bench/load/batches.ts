import type { Answer } from './connection.ts';
import type { BatchWork } from './job.ts';
import { nameOf } from './names.ts';
import { missing, post, requestId } from './text.ts';
import {
  transferBody,
  transfersOf,
  wrongOperations,
  type Side,
  type Transfer,
} from './transfers.ts';
import { isKept, type Workload } from './workload.ts';

/**
 * Many transfers a request. Per item each has its own idempotency key and its own fate: one that was told to come
 * later counts as that, any other refusal as a fault. Atomic: one key, and all of them or none.
 */
export function batchWork(run: number, work: BatchWork): Workload {
  const { size, atomic } = work;
  const transfer = transfersOf(run, work);
  const asked = (seq: number, item: number): Transfer => transfer(seq * size + item);
  const itemText = (seq: number, item: number): string => {
    const one = asked(seq, item);
    const body = transferBody(one);
    return atomic ? body : `{"idempotencyKey":"${one.name}",${body.slice(1)}`;
  };
  return {
    status: atomic ? 201 : 200,
    keep: atomic ? isKept : () => true,
    text(seq) {
      const items = Array.from({ length: size }, (_, item) => itemText(seq, item));
      const key = atomic ? `X-Idempotency: batch-${nameOf(run, seq)}\r\n` : '';
      const body = `{"atomic":${String(atomic)},"transactions":[${items.join(',')}]}`;
      return post(`${work.ledgerPath}/transactions/batch`, requestId(run, seq) + key, body);
    },
    count: (answer) => (atomic ? { accepted: size, busy: 0 } : endsOf(answer)),
    check(seq, answer) {
      const { accepted, busy } = endsOf(answer);
      if (accepted + busy !== size) return `refuses an item: ${refusalIn(answer.body)}`;
      return (
        missing(answer.head, `req-${nameOf(run, seq)}`) ??
        (busy === 0 ? missing(answer.body, nameOf(run, seq * size)) : undefined) ??
        (isKept(seq) ? wrongResults(answer, size, (i) => asked(seq, i)) : undefined)
      );
    },
  };

  /** Found by text search: reading the answer would cost the generator more than sending the batch. */
  function endsOf({ body }: Answer): Ends {
    const accepted = occurrences(body, '"status":201');
    if (accepted === size) return { accepted, busy: 0 };
    return {
      accepted,
      busy: occurrences(body, '"status":429') + occurrences(body, '"status":503'),
    };
  }
}

type Ends = Readonly<{ accepted: number; busy: number }>;

type Result = Readonly<{
  index: number;
  status: number;
  transaction?: Readonly<{ description: string; operations: readonly Side[] }>;
}>;

function wrongResults(
  { body }: Answer,
  size: number,
  asked: (item: number) => Transfer,
): string | undefined {
  const { results } = JSON.parse(body) as { results: readonly Result[] };
  if (results.length !== size) return `has ${String(results.length)} results`;
  for (const [n, { index, status, transaction }] of results.entries()) {
    if (index !== n) return `has result ${String(index)} at place ${String(n)}`;
    if (status !== 201) continue;
    const one = asked(n);
    if (transaction?.description !== one.name) return `misses ${one.name}`;
    const wrong = wrongOperations(one, transaction.operations);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

function refusalIn(body: string): string {
  const at = body.indexOf('"error":');
  return body.slice(at, at + 300);
}

function occurrences(text: string, part: string): number {
  let count = 0;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) count += 1;
  return count;
}
