import type { components } from './api.ts';
import { linesOf } from './lines.ts';
import { ConnectionLost, QuipuProblem, type ProblemDocument } from './problem.ts';
import { isTemporaryStatus, pauseAfter, type RetryPolicy } from './retry.ts';

export type TransactionToCreate = components['schemas']['CreateTransactionBatchLine'];

/** The result of the item at `index`, counted over all items. */
export type BatchResult = Readonly<{ index: number; status: number }> &
  Readonly<
    | { transaction: components['schemas']['Transaction']; error?: never }
    | { transaction?: never; error: ProblemDocument }
  >;

export type BatchItems = Iterable<TransactionToCreate> | AsyncIterable<TransactionToCreate>;

/**
 * Sends items in requests of some hundred lines and yields their results in the same order. Every item has a key: when
 * a connection is lost, or the server is busy, the items without a result are sent again.
 */
export async function* batchResults(
  post: (lines: string) => Promise<Response>,
  items: BatchItems,
  policy: RetryPolicy,
): AsyncGenerator<BatchResult, void, undefined> {
  let index = 0;
  for await (const lines of groupsOf(items)) {
    let failures = 0;
    let done = 0;
    while (done < lines.length) {
      try {
        const response = await post(lines.slice(done).join(''));
        for await (const result of linesOf<BatchResult>(response, policy.signal)) {
          if (isTemporaryStatus(result.status)) throw new QuipuProblem(result.status, result.error);
          yield { ...result, index };
          index += 1;
          done += 1;
          failures = 0;
        }
        if (done < lines.length) throw new ConnectionLost('The results of a batch broke off.');
      } catch (error) {
        await pauseAfter(error, failures, policy);
        failures += 1;
      }
    }
  }
}

async function* groupsOf(items: BatchItems): AsyncGenerator<readonly string[], void, undefined> {
  let group: string[] = [];
  for await (const item of items) {
    const { idempotencyKey = crypto.randomUUID() } = item;
    group.push(`${JSON.stringify({ ...item, idempotencyKey })}\n`);
    if (group.length === LINES_MAX) {
      yield group;
      group = [];
    }
  }
  if (group.length > 0) yield group;
}

/**
 * The server accepts this many lines before it waits for their results to be read. A browser reads a response only after
 * it has sent the whole request, so with more lines both could wait for each other.
 */
const LINES_MAX = 500;
