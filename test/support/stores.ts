import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Uuid } from '#src/kernel/ids.ts';
import { openEmbeddedEventStore } from '#src/adapters/embedded/event-store.ts';
import { systemIds } from '#src/adapters/system.ts';
import type { NewEvent, Position, StoredEvent } from '#src/ports/event-store.ts';
import { distributedStores } from './distributed-stores.ts';

/** What a server under test keeps its data in, as tests look at it from beside. */
export interface Stores {
  /** Settings that lead the server there. */
  settings(): Promise<Readonly<Record<string, string>>>;
  eventCount(type?: string): Promise<number>;
  events(stream: string): Promise<readonly StoredEvent[]>;
  /** While no server runs on it. */
  append(stream: string, event: NewEvent, expected: number): Promise<void>;
  /** The server is gone and does not come back. */
  remove(): void;
}

/** Which profile the suites over HTTP run on. */
export const PROFILE = process.env['QUIPU_TEST_PROFILE'] ?? 'embedded';

/** For what is true of data folders only: on servers these are no tests at all. */
export const inFolders = {
  it(title: string, test: Mocha.Func | Mocha.AsyncFunc): void {
    if (PROFILE === 'embedded') it(title, test as Mocha.AsyncFunc); // Each file has globals of its own.
  },
  describe(title: string, stories: (this: Mocha.Suite) => void): void {
    if (PROFILE === 'embedded') describe(title, stories);
  },
};

/** Those that belong to a data folder. */
export function storesOf(dataDir: string): Stores {
  const stores =
    known.get(dataDir) ??
    (PROFILE === 'embedded' ? embeddedStores(dataDir) : distributedStores(dataDir));
  known.set(dataDir, stores);
  return stores;
}
const known = new Map<string, Stores>();

/** What was not removed would keep the run alive: clients wait for events that nobody appends any more. */
if (PROFILE !== 'embedded' && 'after' in globalThis) {
  after(() => {
    for (const stores of known.values()) stores.remove();
  });
}

/** The files as they are, not through the code under test. */
const embeddedStores = (dataDir: string): Stores => ({
  settings: async () => ({}),
  async eventCount(type) {
    const where = type === undefined ? '' : ' WHERE type = ?';
    return withLog(dataDir, (db) => {
      const count = db.prepare(`SELECT count(*) AS n FROM events${where}`);
      return Number((type === undefined ? count.get() : count.get(type))?.['n']);
    });
  },
  events: async (stream) =>
    withLog(dataDir, (db) =>
      db
        .prepare(
          `SELECT e.* FROM events e JOIN streams USING (stream) WHERE name = ? ORDER BY revision`,
        )
        .all(stream)
        .map(({ revision, position, id, type, data, metadata }): StoredEvent => ({
          stream,
          revision: Number(revision),
          position: String(position).padStart(16, '0') as Position,
          id: String(id) as Uuid,
          type: String(type),
          data: String(data),
          metadata: String(metadata),
        })),
    ),
  async append(stream, event, expected) {
    const store = await openEmbeddedEventStore(dataDir, {
      ids: systemIds(),
      onFatal: (error) => {
        throw error;
      },
    });
    await store.append(stream, [event], expected);
    await store.close();
  },
  remove: () => {
    known.delete(dataDir);
  },
});

function withLog<Result>(dataDir: string, work: (db: DatabaseSync) => Result): Result {
  const db = new DatabaseSync(join(dataDir, 'log.db'), { readOnly: true, timeout: 30_000 });
  try {
    return work(db);
  } finally {
    db.close();
  }
}
