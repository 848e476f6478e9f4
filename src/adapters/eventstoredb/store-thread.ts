import { Worker } from 'node:worker_threads';
import { batchPerTurn } from '#src/adapters/threads/batch-per-turn.ts';
import { PendingCalls } from '#src/adapters/threads/pending-calls.ts';
import { workerFile } from '#src/kernel/worker-file.ts';
import { Unavailable } from '#src/ports/errors.ts';
import type { Position, StoredEvent } from '#src/ports/event-store.ts';
import {
  errorFrom,
  type WorkerAnswer,
  type WorkerRequest,
  type StoreWorkerData,
} from './worker-messages.ts';

/** A request without its number. */
export type Question = WorkerRequest extends infer One
  ? One extends WorkerRequest
    ? Omit<One, 'number'>
    : never
  : never;

type StoreCall = Readonly<{
  /** Returns the error for a worker that dies before it responds. */
  lost: (cause: Error) => Error;
  events?: (events: readonly StoredEvent[]) => void;
}>;

/**
 * The caller's side of the store worker. Requests of one turn travel in one message. If the worker dies, all pending
 * requests fail, and another one is started; after one that died young, only after a pause.
 */
export class StoreThread {
  readonly #data: StoreWorkerData;
  readonly #calls = new PendingCalls<number, StoreCall, unknown>();
  readonly #send: (request: WorkerRequest) => void;
  /** Undefined while there is none: during the pause after one that died young, and once closed. */
  #worker: Worker | undefined;
  #startedMs = 0;
  #lastNumber = 0;
  #closing: Promise<void> | undefined;

  constructor(data: StoreWorkerData) {
    this.#data = data;
    this.#send = batchPerTurn((requests) => this.#worker?.postMessage(requests));
    this.#start();
  }

  /** Sends a request. Errors: the store's; `lost` when the worker dies; Unavailable when there is none. */
  async ask<Value>(question: Question, lost: StoreCall['lost'] = unavailable): Promise<Value> {
    this.#mustServe();
    return this.#ask({ ...question, number: this.#nextNumber() }, { lost }) as Promise<Value>;
  }

  /** Subscribes: `events` is called with each batch until the subscription ends. */
  listen(after: Position, events: (events: readonly StoredEvent[]) => void): Listening {
    this.#mustServe();
    const number = this.#nextNumber();
    const ended = this.#ask({ is: 'subscribe', after, number }, { lost: unavailable, events });
    return {
      ended,
      taken: () => this.#send({ is: 'taken', number }),
      stop: () => this.#send({ is: 'unsubscribe', number }),
    };
  }

  /** Accepts no more requests, finishes the accepted ones, then ends the worker. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    const worker = this.#worker;
    if (worker === undefined) return;
    const close = { is: 'close', number: this.#nextNumber() } as const;
    await this.#ask(close, { lost: unavailable }).catch(() => {});
    await worker.terminate();
  }

  #mustServe(): void {
    if (this.#closing !== undefined) throw new Unavailable('The event store is closed');
    if (this.#worker === undefined) {
      throw new ThreadEnded("The event store's thread is being restarted");
    }
  }

  #nextNumber(): number {
    return (this.#lastNumber += 1);
  }

  #ask(request: WorkerRequest, call: StoreCall): Promise<unknown> {
    this.#send(request);
    return this.#calls.add(request.number, call);
  }

  #start(): void {
    const file = workerFile('store-worker', import.meta.url);
    const worker = new Worker(file, { workerData: this.#data, name: 'event store' });
    this.#worker = worker;
    this.#startedMs = performance.now();
    let cause = new Error('The store worker ended');
    worker.on('message', (answers: readonly WorkerAnswer[]) => {
      for (const answer of answers) this.#take(answer);
    });
    worker.on('error', (error: Error) => (cause = error));
    worker.on('exit', () => this.#lose(cause));
  }

  #take(answer: WorkerAnswer): void {
    if ('events' in answer) this.#calls.get(answer.number)?.request.events?.(answer.events);
    else if ('fault' in answer) this.#calls.take(answer.number)?.reject(errorFrom(answer.fault));
    else this.#calls.take(answer.number)?.resolve(answer.value);
  }

  #lose(cause: Error): void {
    this.#worker = undefined;
    if (this.#closing === undefined) {
      const livedMs = performance.now() - this.#startedMs;
      if (livedMs > SHORT_LIFE_MS) this.#start();
      else setTimeout(() => this.#startAgain(), SHORT_LIFE_MS);
    }
    this.#calls.rejectAll(({ lost }) => lost(cause));
  }

  #startAgain(): void {
    if (this.#closing === undefined) this.#start();
  }
}

/** The worker died; another one is being started. */
export class ThreadEnded extends Unavailable {}

/** The caller's side of a subscription in the worker. */
export type Listening = Readonly<{
  /** Settles when the subscription ends; rejects with ThreadEnded when the worker died. */
  ended: Promise<unknown>;
  taken: () => void;
  stop: () => void;
}>;

const unavailable = (cause: Error): Error =>
  new ThreadEnded(`The event store's thread ended: ${cause.message}`, { cause });

const SHORT_LIFE_MS = 1000;
