import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { shown } from '#queries/shown.ts';
import type { Uuid } from '#src/domain/ids.ts';
import { type Born, type Page, pageOf } from '#src/ports/page.ts';
import type { EntryListing, Listing, PageListing, Row } from '#src/ports/read-store.ts';
import { lifeOf, withdraw, type DerivedFlags } from './derived-flags.ts';
import { READ_FILE } from './read-layout.ts';
import { ReadView } from './read-view.ts';
import type { Where } from './read-sql.ts';
import { isDamage, openDatabase } from './sqlite.ts';

/** What the main thread sends: several questions at once. `null` asks the worker to end. */
export type Question = Readonly<{ id: number; collection: string; version: number }> &
  Readonly<
    | { get: Where }
    | { getAll: Readonly<{ ids: readonly string[]; where: Where }> }
    | { list: Listing }
    | { listEntries: EntryListing }
    | { page: PageListing }
  >;

/** What comes back: `logId` as it stood when these were answered. */
export type Answers = Readonly<{ logId: Uuid | undefined; answers: readonly Answer[] }>;
export type Answer = Readonly<{ id: number }> &
  Readonly<{ found: Found } | { failure: 'budget' | 'unavailable' | 'defect'; why: string }>;

/** Rows, or for `page` the page they make. */
export type Found = readonly Row[] | Page;

export type ReaderSettings = Readonly<{ dir: string; budgetMs: number; flags: DerivedFlags }>;

type Pending = Readonly<{
  question: Question;
  since: number;
  work: Iterator<undefined, Found>;
}>;

/**
 * Answers questions in turns. A turn gives each open question one chunk of work inside one read transaction,
 * so that a long walk delays the others by a chunk and a swap never falls into the middle of a statement.
 */
class Reader {
  readonly #settings: ReaderSettings;
  readonly #port: MessagePort;
  #db: DatabaseSync | undefined;
  #view: ReadView | undefined;
  #pending: Pending[] = [];
  #scheduled = false;
  /** Of the file that is open. */
  #life = 0;

  constructor(settings: ReaderSettings, port: MessagePort) {
    this.#settings = settings;
    this.#port = port;
  }

  take(questions: readonly Question[]): void {
    const since = performance.now();
    for (const question of questions) {
      this.#pending.push({ question, since, work: this.#begin(question) });
    }
    if (!this.#scheduled) this.#turn();
  }

  close(): void {
    this.#db?.close();
    this.#port.close();
  }

  #turn(): void {
    this.#scheduled = false;
    const answers: Answer[] = [];
    try {
      this.#snapshot(() => {
        this.#pending = this.#pending.filter((pending) => {
          const answer = this.#advance(pending);
          if (answer !== undefined) answers.push(answer);
          return answer === undefined;
        });
      });
    } catch (error) {
      this.#giveUp(error, answers);
    }
    this.#port.postMessage(
      { logId: this.#view?.logId, answers } satisfies Answers,
      answers.flatMap(bytesOf),
    );
    if (this.#pending.length === 0) return;
    this.#scheduled = true;
    setImmediate(() => this.#turn());
  }

  /** Runs `work` on one state of the file. Before the writer has made the file, there are no rows. */
  #snapshot(work: () => void): void {
    const path = join(this.#settings.dir, READ_FILE);
    const life = lifeOf(this.#settings.flags, 'read');
    if (life !== this.#life) this.#forget(); // The file was made again.
    this.#life = life;
    if (this.#db === undefined && existsSync(path)) {
      this.#db = openDatabase(path, { readOnly: true, cacheMiB: CACHE_MIB });
    }
    if (this.#db === undefined) {
      work();
      return;
    }
    this.#view ??= new ReadView(this.#db);
    this.#db.exec('BEGIN');
    try {
      this.#view.refresh();
      work();
    } finally {
      this.#db.exec('COMMIT');
    }
  }

  #advance({ question, since, work }: Pending): Answer | undefined {
    const { id, collection, version } = question;
    try {
      const step = work.next();
      if (step.done === true) return { id, found: step.value };
    } catch (error) {
      if (isFromSqlite(error)) throw error;
      if (this.#view?.live(collection)?.layout.spec.version === version) {
        return { id, failure: 'defect', why: String(error) };
      }
      return {
        id,
        failure: 'unavailable',
        why: `${collection} is being rebuilt: ${String(error)}`,
      };
    }
    const { budgetMs } = this.#settings;
    if (performance.now() - since < budgetMs) return undefined;
    const why = `Reading ${collection} took more than its ${String(budgetMs)} ms.`;
    return { id, failure: 'budget', why };
  }

  #begin(question: Question): Iterator<undefined, Found> {
    return answer(question, () => this.#view);
  }

  /** The file failed: every open question hears it, and the next one starts on a new connection. */
  #giveUp(error: unknown, answers: Answer[]): void {
    const why = `The read store cannot be read: ${String(error)}`;
    const answered = new Set(answers.map(({ id }) => id));
    for (const { question } of this.#pending) {
      if (answered.has(question.id)) continue;
      answers.push({ id: question.id, failure: 'unavailable', why });
    }
    this.#pending = [];
    if (isDamage(error)) withdraw(this.#settings.flags, 'read', true);
    this.#forget();
  }

  #forget(): void {
    this.#view = undefined;
    this.#db?.close();
    this.#db = undefined;
  }
}

function* answer(
  question: Question,
  view: () => ReadView | undefined,
): Generator<undefined, Found> {
  const { collection } = question;
  if ('get' in question) return view()?.get(collection, question.get) ?? [];
  if ('getAll' in question) return yield* ReadView.getAll(view, collection, question.getAll);
  if ('list' in question) return yield* ReadView.list(view, collection, question.list);
  if ('page' in question) {
    const { page } = question;
    const rows = yield* ReadView.list(view, collection, { ...page, limit: page.limit + 1 });
    return pageOf(rows, page, bornOf, shown[page.as ?? collection] ?? bodyOf);
  }
  return yield* ReadView.listEntries(view, collection, question.listEntries);
}

/** Bytes are handed over, not copied. */
function bytesOf(answer: Answer): ArrayBuffer[] {
  if (!('found' in answer) || !('items' in answer.found)) return [];
  const { items } = answer.found;
  return typeof items === 'string' ? [] : [items.buffer];
}

const bornOf = ({ born }: Row): Born => born;
const bodyOf = ({ body }: Row): string => body;

const isFromSqlite = (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === 'ERR_SQLITE_ERROR';

const CACHE_MIB = 64;

if (parentPort !== null) {
  const reader = new Reader(workerData as ReaderSettings, parentPort);
  parentPort.on('message', (questions: readonly Question[] | null) => {
    if (questions === null) reader.close();
    else reader.take(questions);
  });
}
