import { SHARED_KEYS } from '#test/support/shared-keys.ts';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { connectionTo } from '#src/adapters/kafka/connection.ts';
import { connectMongo } from '#src/adapters/mongodb/database.ts';
import { startEventStoreDouble } from '#test/doubles/eventstore/start.ts';

/** Which engines a stage runs on; what is left out is embedded, and publishes nothing. */
export type Wanted = Readonly<{ log: boolean; reads: boolean; broker: boolean }>;

export type Engines = Readonly<{
  /** The settings with which the product finds them. */
  settings: Readonly<Record<string, string>>;
  /** Takes away what was made: the double and its log, the database, the topics. */
  remove(): Promise<void>;
}>;

/** A log, a database and topics that nobody used before. Errors: an engine that is away. */
export async function openEngines(folder: string, wanted: Wanted): Promise<Engines> {
  const given = process.env['EVENTSTOREDB_URL'] ?? '';
  const double =
    wanted.log && given === ''
      ? await startEventStoreDouble(join(folder, 'eventstore'))
      : undefined;
  const name = `bench_${randomUUID().slice(0, 8)}`;
  const database = databaseUrl(name);
  return {
    settings: {
      ...(wanted.log && { EVENT_STORE_URL: double?.url ?? given }),
      ...(wanted.reads && { READ_STORE_URL: database, ...SHARED_KEYS }),
      ...(wanted.broker && streamingTo(name)),
    },
    async remove() {
      await double?.stop();
      if (wanted.reads) await dropDatabase(database);
      if (wanted.broker) await deleteTopics(name);
    },
  };
}

/** What answers at the addresses in the environment, by its own name. Errors: what is not set, or away. */
export async function describeEngines(): Promise<string> {
  const log =
    (process.env['EVENTSTOREDB_URL'] ?? '') === ''
      ? 'log: a protocol double of EventStoreDB, which says nothing about that server'
      : 'log: the server of EVENTSTOREDB_URL';
  const { db, close } = await connectMongo(databaseUrl('admin'));
  try {
    const build = await db.command({ buildInfo: 1 });
    const ferret = (build['ferretdb'] as { version?: string } | undefined)?.version;
    const reads =
      ferret === undefined
        ? `MongoDB ${String(build['version'])}`
        : `FerretDB ${ferret} over DocumentDB on PostgreSQL, which is not MongoDB`;
    return `${log}; reads: ${reads}; broker: Kafka at ${brokers().join(',')}`;
  } finally {
    await close();
  }
}

const streamingTo = (platform: string): Record<string, string> => ({
  PLATFORM: platform,
  STREAMING_ENABLED: 'true',
  STREAMING_CLOUDEVENTS_SOURCE: 'urn:quipu:bench',
  STREAMING_BROKERS: brokers().join(','),
  STREAMING_START_AT: 'beginning',
  STREAMING_TOPICS_AUTOCREATE: 'true',
});

function databaseUrl(database: string): string {
  const url = new URL(setting('MONGODB_URL'));
  url.pathname = `/${database}`;
  return url.href;
}

const brokers = (): readonly string[] => setting('KAFKA_BROKERS').split(',');

function setting(name: string): string {
  const value = process.env[name] ?? '';
  if (value === '') throw new Error(`The distributed profile needs ${name}`);
  return value;
}

async function dropDatabase(url: string): Promise<void> {
  const { db, close } = await connectMongo(url);
  try {
    await db.dropDatabase();
  } finally {
    await close();
  }
}

async function deleteTopics(platform: string): Promise<void> {
  const admin = connectionTo({ brokers: brokers(), clientId: 'bench' }).admin();
  await admin.connect();
  try {
    const topics = (await admin.listTopics()).filter((name) => name.startsWith(`${platform}.`));
    if (topics.length > 0) await admin.deleteTopics({ topics });
  } finally {
    await admin.disconnect();
  }
}
