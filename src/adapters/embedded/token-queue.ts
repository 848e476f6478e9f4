import { Worker } from 'node:worker_threads';
import { PendingCalls } from '#src/adapters/threads/pending-calls.ts';
import { workerFile } from '#src/kernel/worker-file.ts';
import { Unavailable } from '#src/ports/errors.ts';
import type { TokenChange, TokenChangeResult } from './token-changes.ts';
import type { TokenWorkerAnswer, TokenWorkerData, TokenWorkerRequest } from './token-worker.ts';

/**
 * The caller's side of the token worker, which starts with the first change. Changes that arrive while others are being
 * flushed share the next transaction. A change whose outcome is unknown is rejected as Unavailable too: it may take
 * effect later, completely or not at all.
 */
export class TokenQueue {
  readonly #dir: string;
  readonly #calls = new PendingCalls<number, TokenChange, TokenChangeResult>({
    withinMs: ANSWER_WITHIN_MS,
    late: () => new Unavailable(`No response to a change of secrets in ${ANSWER_WITHIN_MS} ms`),
  });
  #worker: Worker | undefined;
  #waiting: number[] = [];
  /** The changes that the worker carries out. */
  #sent: readonly number[] = [];
  #flushDue = false;
  #lastNumber = 0;
  #closing: Promise<void> | undefined;

  constructor(dir: string) {
    this.#dir = dir;
  }

  /** Resolves when the change is durable, or was refused. Errors: Unavailable. */
  async change(change: TokenChange): Promise<TokenChangeResult> {
    if (this.#closing !== undefined) throw new Unavailable('The secrets are closed');
    const number = (this.#lastNumber += 1);
    this.#waiting.push(number);
    this.#flushSoon();
    return this.#calls.add(number, change);
  }

  /** Accepts no more changes, finishes the accepted ones, then ends the worker. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    await this.#calls.drained();
    const worker = this.#worker;
    if (worker === undefined) return;
    const exited = new Promise((resolve) => worker.once('exit', resolve));
    worker.postMessage('close' satisfies TokenWorkerRequest);
    await exited;
  }

  /** Sends changes at the end of this turn, so that all requests that were read from sockets in this turn share a flush. */
  #flushSoon(): void {
    if (this.#flushDue || this.#sent.length > 0) return;
    this.#flushDue = true;
    setImmediate(() => {
      this.#flushDue = false;
      this.#flush();
    });
  }

  #flush(): void {
    const batch = this.#waiting.filter((number) => this.#calls.get(number) !== undefined);
    this.#waiting = [];
    if (batch.length === 0) return;
    this.#sent = batch;
    this.#worker ??= this.#start();
    const changes = batch.map((number) => this.#calls.get(number)!.request);
    this.#worker.postMessage(changes satisfies TokenWorkerRequest);
  }

  /** After a failure of the thread, the next change starts another one. */
  #start(): Worker {
    const url = workerFile('token-worker', import.meta.url);
    const workerData: TokenWorkerData = { dir: this.#dir };
    const worker = new Worker(url, { workerData, name: 'secrets' });
    let cause: unknown;
    worker.on('message', (answer: TokenWorkerAnswer) => this.#take(answer));
    worker.on('error', (error) => {
      cause = error;
    });
    worker.on('exit', () => {
      this.#worker = undefined;
      this.#settle((number) => this.#calls.take(number)?.reject(unreachable(cause)));
    });
    return worker;
  }

  #take({ results, failure }: TokenWorkerAnswer): void {
    this.#settle((number, n) => {
      const call = this.#calls.take(number); // Undefined if it was rejected before.
      const result = results[n];
      if (result === undefined) call?.reject(unreachable(failure));
      else call?.resolve(result);
    });
  }

  #settle(settle: (number: number, n: number) => void): void {
    const settled = this.#sent;
    this.#sent = [];
    settled.forEach(settle);
    if (this.#waiting.length > 0) this.#flushSoon();
  }
}

const unreachable = (cause: unknown): Unavailable =>
  new Unavailable('The secrets cannot be reached', { cause });

const ANSWER_WITHIN_MS = 10_000;
