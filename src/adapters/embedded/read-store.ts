import { Worker } from 'node:worker_threads';
import { batchPerTurn } from '#src/adapters/threads/batch-per-turn.ts';
import { PendingCalls } from '#src/adapters/threads/pending-calls.ts';
import { endThread } from '#src/adapters/threads/end-thread.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { unreachable } from '#src/kernel/unreachable.ts';
import { Damaged, TimeBudgetExceeded, Unavailable } from '#src/ports/errors.ts';
import { PAGE_BYTES, type Page } from '#src/ports/page.ts';
import type {
  Caller,
  CollectionSpec,
  EntryListing,
  EntryPageListing,
  EntryRow,
  Listing,
  PageListing,
  ReadStore,
  Row,
} from '#src/ports/read-store.ts';
import { newDerivedFlags, type DerivedFlags } from './derived-flags.ts';
import type { ReadResult, ReadRequest } from './read-answer.ts';
import type { ReadOutcome, ReaderResponse, ReaderRequest, ReaderSettings } from './reader.ts';
import type { Where } from './read-sql.ts';

export type ReadStoreOptions = Readonly<{
  /** The milliseconds of the reader thread that one read may use. */
  budgetMs?: number;
  /** The milliseconds after which a read that others keep delaying ends. */
  patienceMs?: number;
  /** The maximum size of a page, in bytes. */
  pageBytes?: number;
  /** The milliseconds of silence after which the reader thread counts as dead and is replaced. */
  deadlineMs?: number;
  /** Shared with the thread that writes the file. */
  flags?: DerivedFlags;
}>;

/**
 * Opens the reading side of read.db: a dedicated thread runs the queries, so that none delays a posting. It starts with
 * the first question: a process that answers none, such as a standby, saves its memory. Questions of one turn of the
 * event loop travel in one message, and so do their results. `worker` is the entry file of the thread: it calls
 * `serveReads`.
 */
export function openEmbeddedReadStore(
  dir: string,
  worker: URL,
  options: ReadStoreOptions = {},
): ReadStore {
  const { budgetMs = BUDGET_MS, patienceMs = budgetMs * 3, pageBytes = PAGE_BYTES } = options;
  const { deadlineMs = patienceMs + GRACE_MS, flags = newDerivedFlags() } = options;
  return new EmbeddedReadStore(worker, { dir, budgetMs, patienceMs, pageBytes, flags }, deadlineMs);
}

type Ask = ReadRequest extends infer Q
  ? Q extends ReadRequest
    ? Omit<Q, 'id' | 'collection' | 'version'>
    : never
  : never;

class EmbeddedReadStore implements ReadStore {
  logId: Uuid | undefined;
  readonly #entryFile: URL;
  readonly #settings: ReaderSettings;
  readonly #deadlineMs: number;
  readonly #calls = new PendingCalls<number, Caller | undefined, ReadResult>();
  readonly #send: (request: ReadRequest) => void;
  /** One timer for all pending reads, active while there are any. */
  #checkTimer: NodeJS.Timeout | undefined;
  #worker: Worker | undefined;
  #startedMs = 0;
  #heardMs = 0;
  #lastId = 0;
  #closed = false;

  constructor(entryFile: URL, settings: ReaderSettings, deadlineMs: number) {
    this.#entryFile = entryFile;
    this.#settings = settings;
    this.#deadlineMs = deadlineMs;
    this.#send = batchPerTurn((questions) => this.#post(questions), setImmediate);
  }

  async get(spec: CollectionSpec, where: Where): Promise<Row | undefined> {
    return ((await this.#ask(spec, { get: where })) as readonly Row[])[0];
  }

  async getAll(
    spec: CollectionSpec,
    ids: readonly string[],
    where: Where,
  ): Promise<readonly Row[]> {
    return (await this.#ask(spec, { getAll: { ids: [...new Set(ids)], where } })) as readonly Row[];
  }

  async list(spec: CollectionSpec, listing: Listing): Promise<readonly Row[]> {
    return (await this.#ask(spec, { list: listing })) as readonly Row[];
  }

  async page(spec: CollectionSpec, listing: PageListing, caller?: Caller): Promise<Page> {
    return (await this.#ask(spec, { page: listing }, caller)) as Page;
  }

  async pageEntries(
    spec: CollectionSpec,
    listing: EntryPageListing,
    caller?: Caller,
  ): Promise<Page> {
    return (await this.#ask(spec, { pageEntries: listing }, caller)) as Page;
  }

  async listEntries(spec: CollectionSpec, listing: EntryListing): Promise<readonly EntryRow[]> {
    return (await this.#ask(spec, { listEntries: listing })) as readonly EntryRow[];
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#checkTimer);
    const worker = this.#worker;
    this.#worker = undefined;
    this.#calls.rejectAll(() => new Unavailable('The read store is closed.'));
    if (worker !== undefined) await endThread(worker, null, GRACE_MS);
  }

  #ask({ name, version }: CollectionSpec, ask: Ask, caller?: Caller): Promise<ReadResult> {
    if (this.#closed) throw new Unavailable('The read store is closed.');
    const id = (this.#lastId += 1);
    this.#send({ id, collection: name, version, ...ask });
    return this.#calls.add(id, caller);
  }

  #post(questions: readonly ReadRequest[]): void {
    if (this.#closed) return;
    try {
      this.#worker ??= this.#start();
    } catch (cause) {
      // The system has no room for another thread. The next question tries again.
      const error = new Unavailable('The reader thread cannot be started.', { cause });
      this.#calls.rejectAll(() => error);
      return;
    }
    this.#worker.postMessage({ questions } satisfies ReaderRequest);
    this.#checkTimer ??= setTimeout(
      () => this.#check(),
      Math.min(CHECK_MS, this.#deadlineMs),
    ).unref();
  }

  /** Checks that the thread still responds, and that the callers of reads pending for a while still wait. */
  #check(): void {
    this.#checkTimer = undefined;
    const [oldest] = this.#calls;
    const worker = this.#worker;
    if (oldest === undefined || worker === undefined) return;
    // A thread that sends anything is alive, however long its queue is.
    const silentSinceMs = Math.max(oldest[1].sinceMs, this.#heardMs);
    const nowMs = performance.now();
    if (nowMs - silentSinceMs >= this.#deadlineMs) {
      const waited = String(this.#deadlineMs);
      const error = new Unavailable(`The read store did not respond within ${waited} ms.`);
      // A thread that takes long to start serves the next questions; another one would take as long.
      const isStarting = this.#heardMs < this.#startedMs && nowMs - this.#startedMs < START_MS;
      if (isStarting) {
        this.#calls.rejectAll(() => error);
      } else {
        void worker.terminate();
        this.#lose(worker, error);
      }
      return;
    }
    this.#forgetThoseGone(worker);
    this.#checkTimer = setTimeout(
      () => this.#check(),
      Math.min(CHECK_MS, this.#deadlineMs),
    ).unref();
  }

  #forgetThoseGone(worker: Worker): void {
    const gone = new Set<number>();
    const beforeMs = performance.now() - CHECK_MS;
    for (const [id, { sinceMs, request: caller }] of this.#calls) {
      if (sinceMs > beforeMs) break;
      if (caller?.gone !== true) continue;
      gone.add(id);
      this.#calls.take(id)?.reject(new Unavailable('The caller no longer waits.'));
    }
    if (gone.size === 0) return;
    worker.postMessage({ gone } satisfies ReaderRequest);
  }

  /** Errors: ERR_WORKER_INIT_FAILED. */
  #start(): Worker {
    this.#startedMs = performance.now();
    const worker = new Worker(this.#entryFile, { workerData: this.#settings, name: 'reader' });
    worker.on('message', ({ logId, answers }: ReaderResponse) => {
      if (worker !== this.#worker) return;
      this.#heardMs = performance.now();
      this.logId = logId;
      for (const answer of answers) this.#settle(answer);
    });
    worker.on('error', (cause) => {
      this.#lose(worker, new Unavailable('The reader thread failed.', { cause }));
    });
    worker.on('exit', () => this.#lose(worker, new Unavailable('The reader thread ended.')));
    return worker;
  }

  /** Drops a worker; the next question starts another one. */
  #lose(worker: Worker, error: Unavailable): void {
    if (worker !== this.#worker) return;
    this.#worker = undefined;
    this.#calls.rejectAll(() => error);
  }

  #settle(answer: ReadOutcome): void {
    const call = this.#calls.take(answer.id);
    if ('found' in answer) call?.resolve(answer.found);
    else call?.reject(failure(answer));
  }
}

function failure({ failure: kind, why }: Extract<ReadOutcome, { why: string }>): Error {
  switch (kind) {
    case 'budget':
      return new TimeBudgetExceeded(why);
    case 'damaged':
      return new Damaged(why);
    case 'unavailable':
      return new Unavailable(why);
    case 'defect':
      return new Error(why);
    default:
      return unreachable(kind);
  }
}

const BUDGET_MS = 500;
/** An abandoned call is detected only at this interval. */
const CHECK_MS = 50;
const GRACE_MS = 2000;
/** The time that a thread may take until its first response. */
const START_MS = 30_000;
