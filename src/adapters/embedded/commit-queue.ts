import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { batchPerTurn } from '#src/adapters/threads/batch-per-turn.ts';
import { PendingCalls } from '#src/adapters/threads/pending-calls.ts';
import type { Revision } from '#src/kernel/ids.ts';
import { workerFile } from '#src/kernel/worker-file.ts';
import { Ambiguous, Unavailable } from '#src/ports/errors.ts';
import { WrongExpectedRevision, type Appended, type NewEvent } from '#src/ports/event-store.ts';
import type {
  AppendOutcome,
  AppendRequest,
  CommitAnswer,
  CommitRequest,
  CommitWorkerData,
} from './commit-worker.ts';
import { formatPosition } from './log.ts';

export type CommitQueueOptions = CommitWorkerData &
  Readonly<{
    /** The time an append may take, in milliseconds, before its outcome counts as unknown. */
    answerWithinMs: number;
    /** Called once, when commits have stopped for good. */
    onFatal: (error: Error) => void;
  }>;

/**
 * The caller's side of the commit worker. Appends issued in one turn of the event loop travel in one message. The first
 * failure of the worker is final: all pending appends are rejected, `onFatal` is called, and nothing is acknowledged
 * from then on.
 */
export class CommitQueue {
  readonly #worker: Worker;
  readonly #onFatal: (error: Error) => void;
  readonly #exited: Promise<void>;
  readonly #calls: PendingCalls<number, AppendRequest, Appended>;
  readonly #send: (request: AppendRequest) => void;
  #lastNumber = 0;
  /** The error that rejects further appends, once the queue is closed or has failed. */
  #refusal: Unavailable | undefined;
  #failed = false;
  #closing: Promise<void> | undefined;

  private constructor(worker: Worker, { answerWithinMs, onFatal }: CommitQueueOptions) {
    this.#worker = worker;
    this.#onFatal = onFatal;
    this.#calls = new PendingCalls({
      withinMs: answerWithinMs,
      late: ({ stream }) =>
        new Ambiguous(`No response to an append to ${stream} in ${answerWithinMs} ms`),
    });
    this.#send = batchPerTurn((requests) => this.#post(requests));
    worker.on('message', (answer: CommitAnswer) => this.#take(answer));
    worker.on('error', (error: Error) => this.#fail(error, 'maybe'));
    this.#exited = new Promise((resolve) => {
      worker.on('exit', () => {
        const expected = this.#closing !== undefined && this.#calls.size === 0;
        if (!expected) this.#fail(new Error('The commit worker ended'), 'maybe');
        resolve();
      });
    });
  }

  /** Errors: any error that keeps the worker from opening the file. */
  static async start(options: CommitQueueOptions): Promise<CommitQueue> {
    const url = workerFile('commit-worker', import.meta.url);
    const { path, newLogId } = options;
    const workerData: CommitWorkerData = { path, newLogId };
    const worker = new Worker(url, { workerData, name: 'committer' });
    await once(worker, 'message'); // Rejects with the worker's error if that comes first.
    return new CommitQueue(worker, options);
  }

  async append(stream: string, events: readonly NewEvent[], expected: Revision): Promise<Appended> {
    if (this.#refusal !== undefined) throw this.#refusal;
    const number = (this.#lastNumber += 1);
    const request = { number, stream, expected, texts: textsOf(events) };
    this.#send(request);
    return this.#calls.add(number, request);
  }

  /** Accepts no more appends, finishes the accepted ones, then ends the worker. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    this.#refusal ??= new Unavailable('The event store is closed');
    await this.#calls.drained();
    this.#post('close'); // Sent after a failure too: closing the file writes nothing that matters.
    await this.#exited;
  }

  #post(request: CommitRequest): void {
    this.#worker.postMessage(request);
  }

  #take(answer: CommitAnswer): void {
    if (answer === 'ready') return;
    if ('failed' in answer) this.#fail(answer.failed, answer.written);
    else if ('full' in answer) this.#refuse(answer.full, answer.written);
    else for (const outcome of answer) this.#settle(outcome);
  }

  #refuse(numbers: readonly number[], written: 'nothing' | 'maybe'): void {
    const Fault = written === 'maybe' ? Ambiguous : Unavailable;
    for (const number of numbers) {
      this.#calls.take(number)?.reject(new Fault('No space is left on the disk of the log'));
    }
  }

  #settle(outcome: AppendOutcome): void {
    const call = this.#calls.take(outcome.number);
    if (call === undefined) return; // It was rejected before.
    if ('actual' in outcome) {
      const { stream, expected } = call.request;
      call.reject(new WrongExpectedRevision(stream, expected, outcome.actual));
    } else {
      const { revision, position } = outcome;
      call.resolve({ revision, position: formatPosition(position) });
    }
  }

  #fail(cause: Error, written: 'nothing' | 'maybe'): void {
    if (this.#failed) return;
    this.#failed = true;
    const message = `Nothing is committed any more: ${cause.message}`;
    this.#refusal = new Unavailable(message, { cause });
    const Fault = written === 'maybe' ? Ambiguous : Unavailable;
    this.#calls.rejectAll(() => new Fault(message, { cause }));
    this.#onFatal(new Error(message, { cause }));
  }
}

/**
 * Returns the JSON texts of events. Errors: a defect of the caller, which must pass texts as JSON.stringify writes
 * them.
 */
function textsOf(events: readonly NewEvent[]): string[] {
  if (events.length === 0) throw new Error('An append needs an event');
  const texts: string[] = [];
  for (const { id, type, data, metadata } of events) {
    // UTF-8 has no lone surrogates: they would change when read back, and break the hash chain.
    if (!data.isWellFormed() || !metadata.isWellFormed()) throw new Error(`${id} is not Unicode`);
    texts.push(id, type, data, metadata);
  }
  return texts;
}
