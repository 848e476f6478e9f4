import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Revision } from '#src/kernel/ids.ts';
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

type Pending = Readonly<{
  stream: string;
  expected: Revision;
  sinceMs: number;
  resolve: (appended: Appended) => void;
  reject: (error: Error) => void;
}>;

export type CommitQueueOptions = CommitWorkerData &
  Readonly<{
    /** How long an append may take before its outcome counts as unknown. */
    answerWithinMs: number;
    /** Told once, when nothing is committed any more. */
    onFatal: (error: Error) => void;
  }>;

/**
 * The caller's side of the commit worker. Appends issued in one turn of the event loop travel in one message.
 * The first failure of the worker is its last: everything in hand is rejected, `onFatal` is told, and
 * nothing is acknowledged ever again.
 */
export class CommitQueue {
  readonly #worker: Worker;
  readonly #options: CommitQueueOptions;
  readonly #exited: Promise<void>;
  /** In the order they were issued, so the first one is the oldest. */
  readonly #pending = new Map<number, Pending>();
  #collected: AppendRequest[] = [];
  #lastNumber = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Why no further append is taken. */
  #refusal: Unavailable | undefined;
  #failed = false;
  #drained: (() => void) | undefined;
  #closing: Promise<void> | undefined;

  private constructor(worker: Worker, options: CommitQueueOptions) {
    this.#worker = worker;
    this.#options = options;
    worker.on('message', (answer: CommitAnswer) => this.#take(answer));
    worker.on('error', (error: Error) => this.#fail(error, 'maybe'));
    this.#exited = new Promise((resolve) => {
      worker.on('exit', () => {
        const expected = this.#closing !== undefined && this.#pending.size === 0;
        if (!expected) this.#fail(new Error('The commit worker ended'), 'maybe');
        resolve();
      });
    });
  }

  /** Errors: whatever keeps the worker from opening the file. */
  static async start(options: CommitQueueOptions): Promise<CommitQueue> {
    const url = new URL(`./commit-worker${extname(import.meta.url)}`, import.meta.url);
    const { path, newLogId } = options;
    const workerData: CommitWorkerData = { path, newLogId };
    const worker = new Worker(url, { workerData, name: 'committer' });
    await once(worker, 'message'); // Rejects with the worker's error, should that come first.
    return new CommitQueue(worker, options);
  }

  async append(stream: string, events: readonly NewEvent[], expected: Revision): Promise<Appended> {
    if (this.#refusal !== undefined) throw this.#refusal;
    const number = (this.#lastNumber += 1);
    const texts = textsOf(events);
    if (this.#collected.length === 0) process.nextTick(() => this.#send());
    this.#collected.push({ number, stream, expected, texts });
    this.#timer ??= setTimeout(() => this.#giveUp(), this.#options.answerWithinMs);

    return new Promise((resolve, reject) => {
      const sinceMs = performance.now();
      this.#pending.set(number, { stream, expected, sinceMs, resolve, reject });
    });
  }

  /** Takes no more, finishes what was accepted, then ends the worker. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#refusal ??= new Unavailable('The event store is closed');
    if (this.#pending.size > 0) await new Promise<void>((drained) => (this.#drained = drained));
    clearTimeout(this.#timer);
    this.#post('close'); // Also after a failure: closing the file writes nothing that counts.
    await this.#exited;
  }

  #send(): void {
    const collected = this.#collected;
    this.#collected = [];
    if (collected.length > 0) this.#post(collected);
  }

  #post(request: CommitRequest): void {
    this.#worker.postMessage(request);
  }

  #take(answer: CommitAnswer): void {
    if (answer === 'ready') return;
    if ('failed' in answer) this.#fail(answer.failed, answer.written);
    else if ('full' in answer) this.#refuse(answer.full, answer.written);
    else {
      for (const outcome of answer) this.#settle(outcome);
      this.#noteDrained();
    }
  }

  #refuse(numbers: readonly number[], written: 'nothing' | 'maybe'): void {
    const Fault = written === 'maybe' ? Ambiguous : Unavailable;
    for (const number of numbers) {
      this.#pending.get(number)?.reject(new Fault('No space is left on the disk of the log'));
      this.#pending.delete(number);
    }
    this.#noteDrained();
  }

  #settle(outcome: AppendOutcome): void {
    const pending = this.#pending.get(outcome.number);
    if (pending === undefined) return; // Given up before.
    this.#pending.delete(outcome.number);
    if ('actual' in outcome) {
      const { stream, expected } = pending;
      pending.reject(new WrongExpectedRevision(stream, expected, outcome.actual));
    } else {
      const { revision, position } = outcome;
      pending.resolve({ revision, position: formatPosition(position) });
    }
  }

  #fail(cause: Error, written: 'nothing' | 'maybe'): void {
    if (this.#failed) return;
    this.#failed = true;
    this.#collected = [];
    clearTimeout(this.#timer);
    const message = `Nothing is committed any more: ${cause.message}`;
    this.#refusal = new Unavailable(message, { cause });
    const Fault = written === 'maybe' ? Ambiguous : Unavailable;
    for (const { reject } of this.#pending.values()) reject(new Fault(message, { cause }));
    this.#pending.clear();
    this.#noteDrained();
    this.#options.onFatal(new Error(message, { cause }));
  }

  /** Rejects what waited too long and waits on for the rest. */
  #giveUp(): void {
    this.#timer = undefined;
    const { answerWithinMs } = this.#options;
    const now = performance.now();
    for (const [number, { stream, sinceMs, reject }] of this.#pending) {
      const leftMs = sinceMs + answerWithinMs - now;
      if (leftMs > 0) {
        this.#timer = setTimeout(() => this.#giveUp(), leftMs);
        break;
      }
      this.#pending.delete(number);
      reject(new Ambiguous(`No answer to an append to ${stream} in ${answerWithinMs} ms`));
    }
    this.#noteDrained();
  }

  #noteDrained(): void {
    if (this.#pending.size === 0) this.#drained?.();
  }
}

/** Errors: a defect of the caller, which must hand over JSON texts as JSON.stringify writes them. */
function textsOf(events: readonly NewEvent[]): string[] {
  if (events.length === 0) throw new Error('An append needs an event');
  const texts: string[] = [];
  for (const { id, type, data, metadata } of events) {
    // UTF-8 has no lone surrogates: they would come back changed, and break the hash chain.
    if (!data.isWellFormed() || !metadata.isWellFormed()) throw new Error(`${id} is not Unicode`);
    texts.push(id, type, data, metadata);
  }
  return texts;
}
