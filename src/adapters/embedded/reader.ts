import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import type { Uuid } from '#src/kernel/ids.ts';
import { Damaged, TimeBudgetExceeded, Unavailable } from '#src/ports/errors.ts';
import type { Cut } from '#src/ports/page.ts';
import type { BodiesFromLog, Renderers } from '#src/ports/read-store.ts';
import { lifeOf, withdraw, type DerivedFlags } from './derived-flags.ts';
import { openLoggedBodies, type LoggedBodies } from './logged-bodies.ts';
import { answer, type ReadResult, type ReadRequest, type ReadRules } from './read-answer.ts';
import { READ_FILE } from './read-layout.ts';
import { ReadTurns, type PendingRead, type TurnSettings } from './read-turns.ts';
import { ReadView } from './read-view.ts';
import { isDamage, openDatabase } from './sqlite.ts';

/** A message to the reader thread: questions, or the ids of abandoned ones. `null` asks it to end. */
export type ReaderRequest = Readonly<
  { questions: readonly ReadRequest[] } | { gone: ReadonlySet<number> }
>;

/** A message from the reader thread; `logId` is the id of the file's log at the time of these results. */
export type ReaderResponse = Readonly<{ logId: Uuid | undefined; answers: readonly ReadOutcome[] }>;
export type ReadOutcome = Readonly<{ id: number }> &
  Readonly<
    | { found: ReadResult }
    | { failure: 'budget' | 'damaged' | 'unavailable' | 'defect'; why: string }
  >;

export type ReaderSettings = TurnSettings &
  Readonly<{ dir: string; pageBytes: number; flags: DerivedFlags }>;

/** Runs the reader in the calling thread. */
export function serveReads(renderers: Renderers, bodies: BodiesFromLog): void {
  if (parentPort === null) throw new Error('Reads are served by a worker thread');
  const settings = workerData as ReaderSettings;
  const logged = openLoggedBodies(settings.dir, bodies);
  const reader = new ReaderThread(settings, { renderers, bodies: logged }, parentPort);
  parentPort.on('message', (message: ReaderRequest | null) => {
    if (message === null) reader.close();
    else reader.take(message);
  });
}

/**
 * Works on questions in turns (read-turns.ts), each turn inside one read transaction, so that a swap never happens in
 * the middle of a statement.
 */
class ReaderThread {
  readonly #settings: ReaderSettings;
  readonly #port: MessagePort;
  readonly #rules: ReadRules;
  readonly #turns: ReadTurns;
  readonly #bodies: LoggedBodies;
  #db: DatabaseSync | undefined;
  #view: ReadView | undefined;
  #scheduled = false;
  /** The number of the open file (DerivedFlags). */
  #life = 0;
  #saidMs = 0;

  constructor(
    settings: ReaderSettings,
    { renderers, bodies }: Readonly<{ renderers: Renderers; bodies: LoggedBodies }>,
    port: MessagePort,
  ) {
    this.#settings = settings;
    this.#port = port;
    this.#bodies = bodies;
    this.#rules = { ...settings, renderers };
    this.#turns = new ReadTurns(settings);
  }

  take(message: ReaderRequest): void {
    if ('gone' in message) {
      this.#turns.drop(message.gone);
      return;
    }
    const sinceMs = performance.now();
    for (const question of message.questions) {
      const { id, collection, version } = question;
      const work = answer(question, () => this.#view, this.#rules);
      this.#turns.add({ id, collection, version, work, sinceMs, spentMs: 0 });
    }
    if (!this.#scheduled) this.#turn();
  }

  close(): void {
    this.#bodies.close();
    this.#db?.close();
    this.#port.close();
  }

  #turn(): void {
    this.#scheduled = false;
    const answers: ReadOutcome[] = [];
    try {
      this.#snapshot(() => {
        this.#turns.turn((pending, forMs, cut) => {
          const found = this.#go(pending, forMs, cut);
          if (found !== undefined) answers.push(found);
          return found !== undefined;
        });
      });
    } catch (error) {
      this.#failAll(error, answers);
    }
    const nowMs = performance.now();
    if (answers.length > 0 || nowMs - this.#saidMs > SILENCE_MS) {
      this.#saidMs = nowMs;
      this.#port.postMessage(
        { logId: this.#view?.logId, answers } satisfies ReaderResponse,
        answers.flatMap(bytesOf),
      );
    }
    if (this.#turns.size === 0) return;
    this.#scheduled = true;
    setImmediate(() => this.#turn());
  }

  /** Runs `work` on one state of the file. Before the writer has created the file, there are no rows. */
  #snapshot(work: () => void): void {
    const path = join(this.#settings.dir, READ_FILE);
    const life = lifeOf(this.#settings.flags, 'read');
    if (life !== this.#life) this.#forget(); // The file was recreated.
    this.#life = life;
    if (this.#db === undefined && existsSync(path)) {
      this.#db = openDatabase(path, { readOnly: true, cacheMiB: CACHE_MIB });
    }
    if (this.#db === undefined) {
      work();
      return;
    }
    this.#view ??= new ReadView(this.#db, this.#bodies);
    this.#db.exec('BEGIN');
    try {
      this.#view.refresh();
      work();
    } finally {
      this.#db.exec('COMMIT');
    }
  }

  /** Works on a question for `forMs` milliseconds; returns undefined when work remains. */
  #go(
    { id, collection, version, work }: PendingRead,
    forMs: number,
    cut?: Cut,
  ): ReadOutcome | undefined {
    const endsMs = performance.now() + forMs;
    this.#view?.slice.begin(forMs);
    try {
      do {
        const step = work.next(cut);
        if (step.done === true) return { id, found: step.value };
      } while (performance.now() < endsMs);
      return undefined;
    } catch (error) {
      if (isFromSqlite(error)) throw error;
      const why = error instanceof Error ? error.message : String(error);
      if (error instanceof TimeBudgetExceeded) return { id, failure: 'budget', why };
      if (error instanceof Damaged) return { id, failure: 'damaged', why };
      if (error instanceof Unavailable) return { id, failure: 'unavailable', why };
      if (this.#view?.live(collection)?.layout.spec.version === version) {
        return { id, failure: 'defect', why: String(error) };
      }
      const rebuilt = `${collection} is being rebuilt: ${String(error)}`;
      return { id, failure: 'unavailable', why: rebuilt };
    }
  }

  /** Fails every open question because the file failed; the next one starts on a new connection. */
  #failAll(error: unknown, answers: ReadOutcome[]): void {
    const why = `The read store cannot be read: ${String(error)}`;
    const open = new Set(this.#turns.clear().map(({ id }) => id));
    for (const { id } of answers) open.delete(id);
    for (const id of open) answers.push({ id, failure: 'unavailable', why });
    if (isDamage(error)) withdraw(this.#settings.flags, 'read', true);
    this.#forget();
  }

  #forget(): void {
    this.#view = undefined;
    this.#db?.close();
    this.#db = undefined;
  }
}

/** Collects buffers to transfer instead of copying. */
function bytesOf(answer: ReadOutcome): ArrayBuffer[] {
  if (!('found' in answer) || !('items' in answer.found)) return [];
  const { items } = answer.found;
  return typeof items === 'string' ? [] : [items.buffer];
}

const isFromSqlite = (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === 'ERR_SQLITE_ERROR';

const CACHE_MIB = 64;
/** After a longer silence, the main thread takes this one for dead. */
const SILENCE_MS = 200;
