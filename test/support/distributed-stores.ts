import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { systemIds } from '#src/adapters/system.ts';
import { START, type EventStore } from '#src/ports/event-store.ts';
import { keepUp } from './engines.ts';
import { SHARED_KEYS } from './shared-keys.ts';
import type { EventStoreDouble } from '#test/doubles/eventstore/start.ts';
import type { Stores } from './stores.ts';

/** A protocol double over the folder, and a database of its own on the server of MONGODB_URL. */
export function distributedStores(dataDir: string): Stores {
  const database = `quipu_e2e_${randomUUID().slice(0, 8)}`;
  const readStoreUrl = databaseUrl(database);
  let double: Promise<EventStoreDouble> | undefined;
  let log: Promise<EventStore> | undefined;
  const reached = keepUp('mongodb', databaseUrl(database));
  reached.catch(() => undefined); // It is said where the server is started.
  const started = () => (double ??= startDouble(join(dataDir, 'eventstore')));
  const opened = () => (log ??= started().then(openLogOf));
  const count = { all: 0, byType: new Map<string, number>(), after: START };

  return {
    async settings() {
      await reached;
      const { url } = await started();
      return { EVENT_STORE_URL: url, READ_STORE_URL: readStoreUrl, ...SHARED_KEYS };
    },

    async eventCount(type) {
      const store = await opened();
      for (;;) {
        const events = await store.readAll(count.after, 1000);
        for (const event of events) {
          count.all += 1;
          count.byType.set(event.type, (count.byType.get(event.type) ?? 0) + 1);
          count.after = event.position;
        }
        if (events.length === 0) break;
      }
      return type === undefined ? count.all : (count.byType.get(type) ?? 0);
    },

    events: async (stream) => (await opened()).read(stream, 0, 100_000),

    async append(stream, event, expected) {
      await (await opened()).append(stream, [event], expected);
    },

    remove() {
      void log?.then((store) => store.close());
      void double?.then((one) => one.stop());
      dropDatabase(database).catch(() => undefined); // The next `infra/engines/down --wipe` does.
    },
  };
}

// Loaded when they are needed: most suites run without.
const startDouble = async (dir: string): Promise<EventStoreDouble> =>
  (await import('#test/doubles/eventstore/start.ts')).startEventStoreDouble(dir);

async function openLogOf({ url }: EventStoreDouble): Promise<EventStore> {
  const { openEventStoreDbHere } = await import('#src/adapters/eventstoredb/event-store-here.ts');
  return openEventStoreDbHere(url, { ids: systemIds() });
}

export function databaseUrl(database: string): string {
  const server = process.env['MONGODB_URL'];
  if (server === undefined) throw new Error('The distributed profile needs MONGODB_URL');
  const url = new URL(server);
  url.pathname = `/${database}`;
  return url.href;
}

export async function dropDatabase(database: string): Promise<void> {
  const { MongoClient } = await import('mongodb');
  const client = new MongoClient(databaseUrl(database));
  try {
    await client.db(database).dropDatabase();
  } finally {
    await client.close();
  }
}
