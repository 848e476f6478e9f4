import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { Unavailable } from '#src/ports/errors.ts';
import type { Position, StoredEvent } from '#src/ports/event-store.ts';
import {
  untell,
  type WorkerAnswer,
  type WorkerRequest,
  type StoreWorkerData,
} from './worker-messages.ts';

/** What is asked, before it has a number. */
export type Question = WorkerRequest extends infer One
  ? One extends WorkerRequest
    ? Omit<One, 'number'>
    : never
  : never;

type Asked = Readonly<{
  resolve: (value: unknown) => void;
  reject: (error: Error) => void;
  /** What to say when the worker dies before it answers. */
  lost: (cause: Error) => Error;
  events?: (events: readonly StoredEvent[]) => void;
}>;

/**
 * The caller's side of the store worker. Requests of one turn travel in one message. Should the worker die, everything
 * in hand fails, and another one is started; one that does not live long, only after a pause.
 */
export class StoreThread {
  readonly #data: StoreWorkerData;
  readonly #asked = new Map<number, Asked>();
  /** Undefined while there is none: for a moment after one died young, and once closed. */
  #worker: Worker | undefined;
  #startedMs = 0;
  #outgoing: WorkerRequest[] = [];
  #lastNumber = 0;
  #closing: Promise<void> | undefined;

  constructor(data: StoreWorkerData) {
    this.#data = data;
    this.#start();
  }

  /** Errors: the store's; `lost` when the worker dies; Unavailable when there is none. */
  async ask<Value>(question: Question, lost: Asked['lost'] = unavailable): Promise<Value> {
    this.#mustServe();
    return this.#ask({ ...question, number: this.#nextNumber() }, { lost }) as Promise<Value>;
  }

  /** The same for what brings events before it ends. */
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

  /** Takes no more, finishes what was accepted, then ends the worker. */
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
      throw new ThreadEnded("The event store's thread is being started again");
    }
  }

  #nextNumber(): number {
    return (this.#lastNumber += 1);
  }

  #ask(request: WorkerRequest, rest: Pick<Asked, 'lost' | 'events'>): Promise<unknown> {
    this.#send(request);
    return new Promise((resolve, reject) => {
      this.#asked.set(request.number, { resolve, reject, ...rest });
    });
  }

  #send(request: WorkerRequest): void {
    if (this.#outgoing.length === 0) process.nextTick(() => this.#flush());
    this.#outgoing.push(request);
  }

  #flush(): void {
    const requests = this.#outgoing;
    this.#outgoing = [];
    this.#worker?.postMessage(requests);
  }

  #start(): void {
    const file = new URL(`./store-worker${extname(import.meta.url)}`, import.meta.url);
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
    const asked = this.#asked.get(answer.number);
    if (asked === undefined) return;
    if ('events' in answer) {
      asked.events?.(answer.events);
      return;
    }
    this.#asked.delete(answer.number);
    if ('fault' in answer) asked.reject(untell(answer.fault));
    else asked.resolve(answer.value);
  }

  #lose(cause: Error): void {
    this.#worker = undefined;
    this.#outgoing = [];
    if (this.#closing === undefined) {
      const livedMs = performance.now() - this.#startedMs;
      if (livedMs > SHORT_LIFE_MS) this.#start();
      else setTimeout(() => this.#startAgain(), SHORT_LIFE_MS);
    }
    const asked = [...this.#asked.values()];
    this.#asked.clear();
    for (const { reject, lost } of asked) reject(lost(cause));
  }

  #startAgain(): void {
    if (this.#closing === undefined) this.#start();
  }
}

/** Another one is about to serve. */
export class ThreadEnded extends Unavailable {}

/** A subscription in the worker, from here. */
export type Listening = Readonly<{
  /** Settles when it is over; ThreadEnded when the worker died. */
  ended: Promise<unknown>;
  taken: () => void;
  stop: () => void;
}>;

const unavailable = (cause: Error): Error =>
  new ThreadEnded(`The event store's thread ended: ${cause.message}`, { cause });

const SHORT_LIFE_MS = 1000;
