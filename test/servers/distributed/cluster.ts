import { SHARED_KEYS } from '#test/support/shared-keys.ts';
import { randomUUID } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { definitions } from '#src/bootstrap/definitions.ts';
import { connectionTo } from '#src/adapters/kafka/connection.ts';
import { startEventStoreDouble, type EventStoreDouble } from '#test/doubles/eventstore/start.ts';
import {
  killServer,
  launchServer,
  removeFolder,
  startServer,
  stopServer,
  type Server,
} from '#test/support/server.ts';
import { BROKERS } from '../kafka.ts';
import { databaseUrl, MONGODB_URL } from '../mongo.ts';

/** The product on the distributed profile: a double of its own, a database of its own, topics of its own. */
export type Cluster = Readonly<{
  platform: string;
  double: EventStoreDouble;
  topics: Readonly<{ posted: string; changed: string }>;
  /** A process with these roles (`api,projector`), ready; `env` beside what all of the cluster have. */
  start(roles: string, env?: Environment): Promise<Server>;
  /** The same before it is ready: for a time at which it cannot be. */
  launch(roles: string, env?: Environment): ReturnType<typeof launchServer>;
  /** As a power cut would end it. */
  kill(server: Pick<Server, 'child'>): Promise<void>;
  /** Ends what still runs in good order, then removes all that there is of it. */
  remove(): Promise<void>;
}>;

type Environment = Readonly<Record<string, string>>;

/** Streaming goes to Kafka, unless `env` says otherwise. */
export async function startCluster(env: Environment = ON_KAFKA): Promise<Cluster> {
  const name = `test_${randomUUID().slice(0, 8)}`;
  const double = await startEventStoreDouble();
  const common = {
    EVENT_STORE_URL: double.url,
    READ_STORE_URL: databaseUrl(MONGODB_URL, `quipu_${name}`),
    ...SHARED_KEYS,
    PLATFORM: name,
    STREAMING_ENABLED: 'true',
    STREAMING_CLOUDEVENTS_SOURCE: SOURCE,
    STREAMING_START_AT: 'beginning',
    STREAMING_EVENT_POLICIES: ONLY_MONEY,
    ...env,
  };
  const servers = new Map<Server['child'], Pick<Server, 'child' | 'output' | 'dataDir'>>();
  const known = <Known extends Pick<Server, 'child' | 'output' | 'dataDir'>>(server: Known) => {
    servers.set(server.child, server);
    return server;
  };
  const topic = (tail: string) => `${name}.streaming.${tail}`;

  return {
    platform: name,
    double,
    topics: {
      posted: topic('ledger_transaction.posted'),
      changed: topic('ledger_balance.changed'),
    },
    start: async (roles, own) =>
      known(await startServer({ env: { ...common, ROLES: roles, ...own } })),
    launch: async (roles, own) =>
      known(await launchServer({ env: { ...common, ROLES: roles, ...own } })),
    kill: killServer,
    async remove() {
      const ends = await Promise.allSettled([...servers.values()].map(stopServer));
      for (const { dataDir } of servers.values()) removeFolder(dataDir);
      await double.stop();
      await dropDatabase(common.READ_STORE_URL);
      await deleteTopics(`${name}.`);
      const bad = ends.find((end) => end.status === 'rejected');
      if (bad !== undefined) throw bad.reason;
    },
  };
}

/** The events that the stories count. Each other one would be a topic that a killed broker has to recover. */
const ONLY_MONEY = definitions
  .filter(({ key, enabled }) => enabled && !['transaction.posted', 'balance.changed'].includes(key))
  .map(({ key }) => `${key}.enabled=false`)
  .join();

export const SOURCE = 'quipu.ledger';

const ON_KAFKA = {
  STREAMING_BROKERS: BROKERS.join(','),
  STREAMING_TOPICS_AUTOCREATE: 'true',
};

async function dropDatabase(url: string): Promise<void> {
  const client = new MongoClient(url);
  try {
    await client.db().dropDatabase();
  } finally {
    await client.close();
  }
}

async function deleteTopics(prefix: string): Promise<void> {
  if (BROKERS.length === 0) return;
  const admin = connectionTo({ brokers: BROKERS, clientId: 'test-admin' }).admin();
  await admin.connect();
  try {
    const topics = (await admin.listTopics()).filter((topic) => topic.startsWith(prefix));
    if (topics.length > 0) await admin.deleteTopics({ topics });
  } finally {
    await admin.disconnect();
  }
}
