import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { openEmbeddedCheckpointStore } from '#src/adapters/embedded/checkpoint-store.ts';
import { openEmbeddedLog } from '#src/adapters/embedded/log.ts';
import { openEmbeddedSecretStore } from '#src/adapters/embedded/secret-store.ts';
import { reach } from '#src/adapters/eventstoredb/event-store-here.ts';
import { openMongoCheckpointStore } from '#src/adapters/mongodb/checkpoint-store.ts';
import { openMongoSecretStore } from '#src/adapters/mongodb/secret-store.ts';
import type { Checkpoint, CheckpointStore } from '#src/ports/checkpoint-store.ts';
import { Destroyed, type SecretStore } from '#src/ports/secret-store.ts';
import { START, type EventStore, type Position } from '#src/ports/event-store.ts';
import { readOn } from '#test/contracts/samples.ts';
import { bytes } from '#test/contracts/secret-store.contract.ts';
import { startEventStoreDouble, type EventStoreDouble } from '#test/doubles/eventstore/start.ts';
import { posted, transfer, type Book } from '#test/e2e/books.ts';
import { clientOf } from '#test/support/client.ts';
import { copied, eventsOnServer, writeBooks } from '#test/support/moved.ts';
import { removeFolder, startServer, stopServer, temporaryFolder } from '#test/support/server.ts';
import { databaseUrl, describeOnMongo, MONGODB_URL, newMongoPlace } from './mongo.ts';

describeOnMongo('quipu copy --with a MongoDB', () => {
  const folder = temporaryFolder();
  const dir = join(folder, 'data');
  let double: EventStoreDouble;
  let place: Awaited<ReturnType<typeof newMongoPlace>>;
  let secrets: SecretStore;
  let checkpoints: CheckpointStore;
  let target: Omit<EventStore, 'logId'>;
  let books: readonly Book[];

  beforeEach(async () => {
    removeFolder(dir);
    mkdirSync(dir);
    await running(async (client) => {
      books = await writeBooks(client, 12);
    });
    double = await startEventStoreDouble();
    place = await newMongoPlace();
    secrets = openMongoSecretStore(place);
    checkpoints = openMongoCheckpointStore(place);
    target = reach(double.url, 30_000);
  });
  afterEach(async () => {
    await target.close();
    await double.stop();
    await place.remove();
  });
  after(() => {
    removeFolder(folder);
  });

  const copy = () =>
    copied(
      ['--from', `embedded:${dir}`, '--to', double.url, '--with'].concat(
        databaseUrl(MONGODB_URL, place.db.databaseName),
      ),
    );
  async function running(work: (client: ReturnType<typeof clientOf>) => Promise<void>) {
    const server = await startServer({ dataDir: dir });
    const client = clientOf(() => server);
    try {
      await work(client);
    } finally {
      client.close();
      await stopServer(server);
    }
  }
  async function inSecrets(work: (store: SecretStore) => Promise<void>): Promise<void> {
    const store = openEmbeddedSecretStore(dir);
    await work(store);
    await store.close();
  }
  async function publishedTo(lanes: Readonly<Record<string, Checkpoint>>): Promise<void> {
    const store = openEmbeddedCheckpointStore(dir);
    for (const [lane, checkpoint] of Object.entries(lanes)) await store.save(lane, checkpoint, 3);
    await store.close();
  }
  const idsAfter = async (log: Pick<EventStore, 'readAll'>, position: Position) =>
    (await readOn(log, position)).map(({ id }) => id);

  it('moves secrets, and the names of those that were destroyed', async () => {
    const values = Array.from({ length: 130 }, (_, n) => [`key ${n}`, randomUUID()] as const);
    await inSecrets(async (store) => {
      for (const [name, value] of values) await store.put(name, bytes(value));
      await store.put('key 1', bytes('changed'));
      await store.destroy('key 2');
    });
    for (const round of [1, 2]) {
      const said = await copy();
      expect(said, `round ${round}`).to.include({ code: 0, stderr: '' });
      expect(said.stdout).to.include(
        'Moved 129 secrets and the published positions of 0 topics.\n',
      );
      expect((await secrets.get('key 1'))?.value).to.deep.equal(bytes('changed'));
      expect((await secrets.get('key 129'))?.value).to.deep.equal(bytes(values[129]![1]));
      const late = await secrets.put('key 2', bytes('late')).catch((error: unknown) => error);
      expect(late).to.be.instanceOf(Destroyed);
    }
  });

  it('brings none back that was destroyed on either side', async () => {
    await inSecrets(async (store) => {
      await store.put('here', bytes('one'));
      await store.put('there', bytes('two'));
    });
    expect((await copy()).code).to.equal(0);
    await inSecrets((store) => store.destroy('here'));
    await secrets.destroy('there');
    expect((await copy()).stdout).to.include('Moved 0 secrets');
    expect(await secrets.get('here')).to.equal(undefined);
    expect(await secrets.get('there')).to.equal(undefined);
  });

  it('copies nothing where another secret has the name', async () => {
    await inSecrets(async (store) => {
      await store.put('first', bytes('top secret'));
      await store.put('second', bytes('top secret'));
    });
    await secrets.put('second', bytes('another secret'));
    const said = await copy();
    expect(said).to.include({ code: 2, stdout: '' });
    expect(said.stderr)
      .to.match(/^quipu copy: The new deployment already has a different secret named second\./)
      .and.not.match(/top secret|another secret/);
    expect(await secrets.get('first')).to.equal(undefined);
    expect((await secrets.get('second'))?.value).to.deep.equal(bytes('another secret'));
    expect(await eventsOnServer(double)).to.deep.equal({ logId: undefined, events: [] });
  });

  it('lets every topic go on with the very next event', async () => {
    const log = openEmbeddedLog(dir);
    const events = await readOn(log, START);
    const lanes: Record<string, Checkpoint> = { 'at the start': { position: START, done: 0 } };
    for (const n of [0, 7, 20, 21, events.length - 1]) {
      lanes[`at ${n}`] = { position: events[n]!.position, done: n % 3 };
    }
    await publishedTo(lanes);
    for (const round of [1, 2]) {
      const said = await copy();
      expect(said, `round ${round}`).to.include({ code: 0, stderr: '' });
      expect(said.stdout).to.include('Moved 0 secrets and the published positions of 6 topics.\n');
      const moved = await checkpoints.load();
      expect([...moved.keys()].sort()).to.deep.equal(Object.keys(lanes).sort());
      for (const [lane, { position, done }] of Object.entries(lanes)) {
        const there = moved.get(lane)!;
        expect(there.done, lane).to.equal(done);
        const rest = await idsAfter(log, position);
        expect(await idsAfter(target, there.position), lane).to.deep.equal(rest);
      }
    }
    await log.close();
  });

  it('moves neither while a server runs, and both when it has stopped', async () => {
    await inSecrets(async (store) => {
      await store.put('key', bytes('one'));
    });
    await running(async (client) => {
      const said = await copy();
      expect(said.code, said.stderr).to.equal(0);
      expect(said.stderr).to.include('Stop it, then copy again.');
      expect(await secrets.get('key')).to.equal(undefined);
      await posted(client, books[0]!.at, transfer('@alice', '@bob', '1'));
    });
    await inSecrets(async (store) => {
      await store.put('key', bytes('two'));
    });
    const log = openEmbeddedLog(dir);
    const end = await log.end();
    await log.close();
    await publishedTo({ topic: { position: end, done: 0 } });
    expect(await copy()).to.include({ code: 0, stderr: '' });
    expect((await secrets.get('key'))?.value).to.deep.equal(bytes('two'));
    expect(await idsAfter(target, (await checkpoints.load()).get('topic')!.position)).to.be.empty;
  });

  it('leaves a relay alone that has gone on there, and refuses one that stands behind', async () => {
    const log = openEmbeddedLog(dir);
    const [first, second] = await log.readAll(START, 2);
    await log.close();
    await publishedTo({ topic: { position: first!.position, done: 0 } });
    expect((await copy()).code).to.equal(0);
    const further = { position: (await target.readAll(START, 9))[8]!.position, done: 2 };
    await checkpoints.save('topic', further, 1);
    const said = await copy();
    expect(said).to.include({
      code: 0,
      stderr: 'topic has been published further by the new deployment.\n',
    });
    expect((await checkpoints.load()).get('topic')).to.deep.equal(further);

    await publishedTo({ other: { position: second!.position, done: 0 } });
    await checkpoints.save('other', { position: START, done: 1 }, 1);
    const behind = await copy();
    expect(behind.code).to.equal(2);
    expect(behind.stderr).to.match(
      /^quipu copy: The relay of the new deployment already works on other/m,
    );
  });

  it('says so when a topic stands where the log has nothing', async () => {
    await publishedTo({ topic: { position: '0000000000099999' as Position, done: 0 } });
    const said = await copy();
    expect(said).to.include({ code: 2, stdout: '' });
    expect((await eventsOnServer(double)).events).to.be.empty;
    expect(said.stderr).to.include(
      'topic was published up to event 99999, which the log does not have.',
    );
  });
});
