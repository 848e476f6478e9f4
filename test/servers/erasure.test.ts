import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { connect } from 'amqplib';
import { MongoClient, type Binary } from 'mongodb';
import { startEventStoreDouble, type EventStoreDouble } from '#test/doubles/eventstore/start.ts';
import { createOrganization, got, made, type List } from '#test/e2e/books.ts';
import { filesBelow, foundIn, tracesIn, type Traces } from '#test/support/byte-search.ts';
import { clientOf } from '#test/support/client.ts';
import { areOurs } from '#test/support/engines.ts';
import { newPerson } from '#test/support/person.ts';
import { SHARED_KEYS } from '#test/support/shared-keys.ts';
import {
  removeFolder,
  startServer,
  stopServer,
  temporaryFolder,
  type Server,
} from '#test/support/server.ts';
import { until } from '#test/support/until.ts';
import { BROKERS, describeOnKafka, newPlatform } from './kafka.ts';
import { hasOwnFerretDb, startOwnFerretDb } from './own-ferretdb.ts';
import { AMQP_URL } from './rabbitmq.ts';

type Shown = Readonly<{ id: string }>;

/** The files of every server of the distributed profile are searched as raw bytes. */
describeOnKafka('an erased holder on servers', function () {
  const platform = newPlatform();
  const plain = { victim: newPerson('victim'), twin: newPerson('twin') };
  const holders = { victim: '', twin: '' };
  const traces: Record<'victim' | 'twin', Traces> = { victim: {}, twin: {} };
  const stops: (() => void | Promise<void>)[] = [];
  let database: Awaited<ReturnType<typeof startOwnFerretDb>>;
  let double: EventStoreDouble;
  let logDir = '';
  let server: Server;
  let org = '';
  const client = clientOf(() => server);
  const at = (rest = '') => `/v2/organizations/${org}/holders${rest}`;

  before(async function () {
    this.timeout(300_000);
    const isHere = hasOwnFerretDb() && areOurs('kafka', 'rabbitmq') && AMQP_URL !== '';
    if (!isHere) this.skip(); // The files of other servers cannot be read.
    database = await startOwnFerretDb();
    stops.push(() => database.remove());
    logDir = temporaryFolder();
    stops.push(() => {
      removeFolder(logDir);
    });
    double = await startEventStoreDouble(logDir);
    stops.push(() => double.stop());
    const queue = await openQueue();
    stops.push(() => queue.remove());
    server = await startServer({ env: settings() });
    stops.push(async () => {
      client.close();
      await stopServer(server);
      removeFolder(server.dataDir);
    });
    const subscription = {
      name: 'Holders',
      filters: { types: ['holder.*'] },
      target: { kind: 'queue', provider: 'rabbitmq', address: queue.address, credentials: 'TEST' },
    };
    await made(client, '/v1/subscriptions', subscription);
    org = (await createOrganization(client)).id;
    for (const who of ['victim', 'twin'] as const) {
      const { body, changes } = plain[who];
      const { id } = await made<Shown>(client, at(), body, { 'X-Idempotency': who });
      holders[who] = id;
      expect((await client.patch(at(`/${id}`), changes)).status).to.equal(200);
      const listed = await got<List<Shown>>(client, at(`?document=${body.document}`));
      expect(listed.items.map((one) => one.id)).to.deep.equal([id]);
      traces[who] = { ...someOf(plain[who].texts), ...(await secretsOf(id)) };
    }
    const isPublished = () => {
      const of = { twin: holders.twin };
      return inKafka(of).length > 0 && named('RabbitMQ', RABBITMQ, of).length > 0;
    };
    await until(isPublished, 120_000, 'events about the twin at the brokers');
  });
  after(async () => {
    for (const stop of stops.toReversed()) await stop();
  });

  const settings = () => ({
    ...SHARED_KEYS,
    EVENT_STORE_URL: double.url,
    READ_STORE_URL: `${database.url}${DATABASE}`,
    STREAMING_ENABLED: 'true',
    STREAMING_CLOUDEVENTS_SOURCE: `${platform}.ledger`,
    STREAMING_BROKERS: BROKERS.join(','),
    STREAMING_TOPICS_AUTOCREATE: 'true',
    STREAMING_START_AT: 'beginning',
    STREAMING_COMPRESSION: 'none', // So that the search sees what Kafka stores.
    DELIVERY_ALLOWED_CIDRS: '127.0.0.0/8',
    DELIVERY_CREDENTIALS_TEST: `${broker.username}:${broker.password}@${broker.hostname}`,
    PLATFORM: platform,
  });

  /** A durable queue that nobody reads, so that RabbitMQ stores its messages. */
  const openQueue = async () => {
    const connection = await connect(AMQP_URL);
    const channel = await connection.createChannel();
    const { queue } = await channel.assertQueue(platform, { durable: true });
    return {
      address: `amqp://${broker.host}?queue=${queue}`,
      async remove() {
        await channel.deleteQueue(queue);
        await connection.close();
      },
    };
  };

  /** Reads the wrapped key and the token of a record, as they are stored. */
  const secretsOf = async (id: string): Promise<Traces> => {
    const mongo = new MongoClient(database.url);
    try {
      const secrets = mongo.db(DATABASE).collection<SecretDocument>('secrets');
      const found = await secrets.findOne({ _id: { $regex: `/${id}$` } });
      const text = Buffer.from(found!.value.value()).toString();
      const { wrapped } = JSON.parse(text) as { wrapped: string };
      return { 'wrapped key': wrapped.split(':').at(-1)!, token: found!.tokens[0]! };
    } finally {
      await mongo.close();
    }
  };

  /** Only segments hold records; their indexes have numbers, in gigabytes of holes. */
  const inKafka = (of: Traces): string[] =>
    readdirSync(KAFKA)
      .filter((folder) => folder.startsWith(`${platform}.`))
      .flatMap((folder) => filesBelow(join(KAFKA, folder)).map((file) => join(folder, file)))
      .filter((file) => file.endsWith('.log'))
      .flatMap((file) => foundIn(readFileSync(join(KAFKA, file)), of, 'Kafka'));

  /** Names each store in which a trace is found, once. */
  const found = (of: Traces): string[] => {
    const all = [
      ...named('PostgreSQL', database.dir, of),
      ...named('the event store', logDir, of),
      ...named('the data folder', server.dataDir, of),
      ...named('RabbitMQ', RABBITMQ, of),
      ...inKafka(of),
    ];
    return [...new Set(all)].sort();
  };
  const named = (place: string, dir: string, of: Traces): string[] =>
    tracesIn(dir, of).map((one) => one.replace(/ in .*$/, ` in ${place}`));

  const SECRETS = ['token in PostgreSQL', 'wrapped key in PostgreSQL'];

  it('was found by its wrapped key and its token only, and the search sees all stores', () => {
    for (const who of ['victim', 'twin'] as const) {
      expect(found(traces[who]), who).to.deep.equal(SECRETS);
      const ids = ['Kafka', 'PostgreSQL', 'RabbitMQ', 'the event store'].map(
        (one) => `id in ${one}`,
      );
      expect(found({ id: holders[who] }), who).to.deep.equal(ids);
    }
  });

  it('is found nowhere once the operator has rewritten the table and dropped the old log', async () => {
    const response = await client.delete(at(`/${holders.victim}?hard_delete=true`));
    expect(response.status, response.text).to.equal(204);
    expect((await client.get(at(`/${holders.victim}`))).status).to.equal(404);
    expect(found(traces.victim), 'what PostgreSQL keeps by itself').to.deep.equal(SECRETS);
    await database.sql(VACUUM);
    expect(found(traces.victim)).to.deep.equal([]);
    expect(found(traces.twin)).to.deep.equal(SECRETS);
    expect((await client.get(at(`/${holders.twin}`))).text).to.include(plain.twin.changes.name);
  });

  it('is not brought back by requests with its data, or by a restart', async () => {
    const again = await client.post(at(), plain.victim.body, { 'X-Idempotency': 'victim' });
    expect(again.status, again.text).to.equal(404);
    const listed = await got<List<Shown>>(client, at(`?document=${plain.victim.body.document}`));
    expect(listed.items).to.deep.equal([]);
    const { dataDir } = server;
    await stopServer(server);
    server = await startServer({ dataDir, env: settings() });
    expect((await client.get(at(`/${holders.victim}`))).status).to.equal(404);
    expect(found(traces.victim)).to.deep.equal([]);
    expect(found({ nonsense: randomBytes(12).toString('hex') })).to.deep.equal([]);
  });
});

type SecretDocument = { _id: string; value: Binary; tokens: string[] };

/** The files of PostgreSQL are large, and each text is searched for in many forms. */
const someOf = (texts: Traces): Traces =>
  Object.fromEntries(
    Object.entries(texts).filter(([field]) =>
      ['name', 'document', 'primaryEmail', 'changed name', 'primary.line1'].includes(field),
    ),
  );

const DATABASE = 'quipu_erasure';

/** As infra/README.md tells operators. */
const VACUUM = `
alter system set wal_recycle = off;
select pg_reload_conf();
select format('vacuum full documentdb_data.documents_%s', collection_id)
  from documentdb_api_catalog.collections
  where database_name = '${DATABASE}' and collection_name = 'secrets' \\gexec
checkpoint;
select pg_switch_wal();
checkpoint;
`;

const CACHE = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
const [KAFKA, RABBITMQ] = ['kafka', 'rabbitmq'].map((engine) =>
  join(CACHE, 'quipu', 'run', 'data', engine),
) as [string, string];
const broker = new URL(AMQP_URL === '' ? 'amqp://guest:guest@127.0.0.1' : AMQP_URL);
