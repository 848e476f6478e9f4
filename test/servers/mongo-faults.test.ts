import { expect } from 'chai';
import { openMongoCheckpointStore } from '#src/adapters/mongodb/checkpoint-store.ts';
import { openMongoJournalIndex } from '#src/adapters/mongodb/journal-index.ts';
import { openMongoLeases } from '#src/adapters/mongodb/leases.ts';
import { openMongoClusterMessages } from '#src/adapters/mongodb/cluster-messages.ts';
import { connectMongo, type MongoDatabase } from '#src/adapters/mongodb/database.ts';
import { openMongoReadStore } from '#src/adapters/mongodb/read-store.ts';
import { openMongoReadStoreWriter } from '#src/adapters/mongodb/read-store-writer.ts';
import { openMongoSecretStore } from '#src/adapters/mongodb/secret-store.ts';
import { openMongoSnapshotStore } from '#src/adapters/mongodb/snapshot-store.ts';
import { systemScheduler } from '#src/adapters/system.ts';
import { Unavailable } from '#src/ports/errors.ts';
import type { Change, CollectionSpec } from '#src/ports/read-store.ts';
import { checkpoint } from '#test/contracts/checkpoint-store.contract.ts';
import { batch, known, position } from '#test/contracts/journal-index.contract.ts';
import { newUuid } from '#test/contracts/samples.ts';
import { bytes } from '#test/contracts/secret-store.contract.ts';
import { taken } from '#test/contracts/snapshot-store.contract.ts';
import { databaseUrl, describeOnMongo, MONGODB_URL, newMongoPlace } from './mongo.ts';
import { openProxy, type Proxy } from './proxy.ts';

describeOnMongo('a MongoDB-compatible server that fails', () => {
  let direct: Awaited<ReturnType<typeof newMongoPlace>>;
  let proxy: Proxy;
  let place: MongoDatabase;
  const logId = newUuid();

  beforeEach(async () => {
    direct = await newMongoPlace();
    const { hostname, port } = new URL(MONGODB_URL);
    proxy = await openProxy(hostname, Number(port || 27_017));
    place = await connectMongo(through(proxy.port, direct.db.databaseName));
  });
  afterEach(async () => {
    await place.close();
    await proxy.close();
    await direct.remove();
  });

  /** One of everything that is asked of each store. */
  async function questions(): Promise<Readonly<Record<string, () => Promise<unknown>>>> {
    const writer = openMongoReadStoreWriter(place);
    await writer.open(logId, [accounts]);
    const reader = openMongoReadStore(place);
    const index = await openMongoJournalIndex(place, logId);
    const leases = openMongoLeases(place, systemScheduler);
    const lease = (await leases.acquire('projector', 'me', 1000))!;
    const checkpoints = openMongoCheckpointStore(place);
    const board = openMongoClusterMessages(place);
    const secrets = openMongoSecretStore(place);
    const snapshots = openMongoSnapshotStore(place);
    let n = 1;
    const next = () => (n += 1);
    const walk = { where: { tenantId: 'n1' }, order: 'asc', limit: 10 } as const;
    return {
      'apply to the read store': () => writer.apply([changes([put(next(), 'a')], n)]),
      'open the read store': () => writer.open(logId, [accounts]),
      'get a row': () => reader.get(accounts, { id: 'a' }),
      'list rows': () => reader.list(accounts, walk),
      'look up a key': () => index.find('ledger-a', 'idempotency', ['key']),
      'apply to the index': () => index.apply(batch([known('key', 1)], next())),
      'renew a lease': () => leases.renew(lease),
      'ask for a lease': () => leases.acquire('projector', 'other', 1000),
      'save a checkpoint': () => checkpoints.save('lane', checkpoint(next()), 1),
      'post a notice': () => board.post('progress', '1', 1),
      'read a notice': () => board.read('progress'),
      'put a secret': () => secrets.put('key', bytes('value')),
      'save a snapshot': () => snapshots.save('ledger-a', taken(1, ['a'])),
      'load a snapshot': () => snapshots.load('ledger-a'),
    };
  }

  const answersOf = async (asked: Readonly<Record<string, () => Promise<unknown>>>) => {
    const answers = Object.entries(asked).map(async ([what, ask]) => {
      const since = performance.now();
      const error: unknown = await ask().then(
        () => undefined,
        (failure: unknown) => failure,
      );
      return { what, error, ms: performance.now() - since };
    });
    return Promise.all(answers);
  };

  for (const [how, fault, withinMs] of [
    // It looks for 2.5 s, and waits for 20 s; the driver itself would look for 30 s, and wait for ever.
    ['is gone', 'cut', 20_000],
    ['says nothing any more', 'hang', 45_000],
  ] as const) {
    it(`is Unavailable within bounds when it ${how}, and is used again once it is back`, async () => {
      const asked = await questions();
      for (const { what, error } of await answersOf(asked)) expect(error, what).to.equal(undefined);

      proxy[fault]();
      for (const { what, error, ms } of await answersOf(asked)) {
        expect(error, what).to.be.instanceOf(Unavailable);
        expect(ms, what).to.be.lessThan(withinMs);
      }
      proxy.heal();
      await eventually(async () => {
        for (const { what, error } of await answersOf(asked)) {
          expect(error, what).to.equal(undefined);
        }
      });
    });
  }

  it('is Unavailable to whoever connects first, within bounds', async () => {
    proxy.cut();
    const since = performance.now();
    const error = await connectMongo(through(proxy.port, 'x')).catch((failure: unknown) => failure);
    expect(error).to.be.instanceOf(Unavailable);
    expect(performance.now() - since).to.be.lessThan(20_000);
  });

  it('ends with what the log says when connections break in the middle of batches', async () => {
    const writer = openMongoReadStoreWriter(place);
    await writer.open(logId, [accounts]);
    const ids = Array.from({ length: 1500 }, (_, n) => `a${String(n)}`);
    let broken = 0;
    const persist = async (n: number, made: readonly Change[]) => {
      for (let round = 0; ; round += 1) {
        if (round < 2) setTimeout(() => proxy.shake(), 10 + 25 * round);
        try {
          await writer.apply([changes(made, n)]);
          return;
        } catch (error) {
          expect(error).to.be.instanceOf(Unavailable);
          broken += 1;
          expect(broken, String(error)).to.be.lessThan(50);
          await systemScheduler.sleep(20);
        }
      }
    };
    await persist(
      1,
      ids.map((id) => put(1, id)),
    );
    let last = 1;
    while (last < 5 || (broken === 0 && last < 50)) {
      const n = (last += 1);
      await persist(
        n,
        ids.map((id) => set(n, id)),
      );
    }
    expect(broken).to.be.greaterThan(0);

    const reader = openMongoReadStore(direct, { budgetMs: 30_000 });
    const walk = { where: { tenantId: 'n1' }, order: 'asc', limit: 2000 } as const;
    const rows = await reader.list(accounts, walk);
    expect(rows.map(({ values }) => values)).to.deep.equal(
      ids.map(() => ({ available: `${String(last)}.10`, version: last })),
    );
    expect((await writer.open(logId, [accounts])).get('account')?.checkpoint).to.equal(
      position(last),
    );
  });
});

const accounts: CollectionSpec = {
  name: 'account',
  version: 1,
  keys: { tenantId: 'text' },
  values: { available: 'text', version: 'integer' },
  indexes: [['tenantId']],
};

const put = (n: number, id: string): Change => ({
  position: position(n),
  put: { id, born: Number(/\d*$/.exec(id)?.[0]), keys: { tenantId: 'n1' }, body: '{}' },
});
const set = (n: number, id: string): Change => ({
  position: position(n),
  set: { id, values: { available: `${String(n)}.10`, version: n } },
});
const changes = (made: readonly Change[], n: number) => {
  return { collection: 'account', changes: made, checkpoint: position(n) };
};

function through(port: number, database: string): string {
  const url = new URL(databaseUrl(MONGODB_URL, database));
  url.hostname = '127.0.0.1';
  url.port = String(port);
  url.searchParams.set('directConnection', 'true');
  return url.href;
}

async function eventually(check: () => Promise<void>): Promise<void> {
  const until = performance.now() + 60_000;
  for (;;) {
    try {
      await check();
      return;
    } catch (error) {
      if (performance.now() > until) throw error;
      await systemScheduler.sleep(50);
    }
  }
}
