import { expect } from 'chai';
import {
  openMongoReadStore,
  type MongoReadStoreOptions,
} from '#src/adapters/mongodb/read-store.ts';
import {
  openMongoReadStoreWriter,
  type MongoReadStoreWriterOptions,
} from '#src/adapters/mongodb/read-store-writer.ts';
import {
  createReadMemory,
  memoryReadStore,
  memoryReadStoreWriter,
} from '#test/doubles/memory/read-store.ts';
import { seededRandom } from '#test/doubles/memory/simulated.ts';
import { systemScheduler } from '#src/adapters/system.ts';
import { listFilter } from '#src/adapters/mongodb/read-filter.ts';
import { Fenced } from '#src/ports/checkpoint-store.ts';
import { TimeBudgetExceeded, Unavailable } from '#src/ports/errors.ts';
import { START, type Position } from '#src/ports/event-store.ts';
import { renderers } from '#src/bootstrap/renderers.ts';
import type { Change, CollectionSpec, ReadStore, ReadStoreWriter } from '#src/ports/read-store.ts';
import { metadataIndexContract } from '#test/contracts/metadata-index.contract.ts';
import { readStoreContract } from '#test/contracts/read-store.contract.ts';
import { newUuid } from '#test/contracts/samples.ts';
import { until } from '#test/support/until.ts';
import { describeOnMongo, newMongoPlace } from './mongo.ts';

describeOnMongo('read store: MongoDB', () => {
  const pointerMs = 20;

  const stored = async () => {
    const place = await newMongoPlace();
    return {
      writer: async () => openMongoReadStoreWriter(place, { pointerMs }),
      reader: async () =>
        openMongoReadStore(place, { pointerMs, budgetMs: PATIENCE_MS, renderers }),
      remove: async (reader: ReadStore) => {
        await reader.close();
        await place.remove();
      },
    };
  };
  readStoreContract(stored);
  metadataIndexContract(stored);

  describe('on a place of its own', () => {
    let place: Awaited<ReturnType<typeof newMongoPlace>>;
    const logId = newUuid();
    beforeEach(async () => {
      place = await newMongoPlace();
    });
    afterEach(() => place.remove());

    const reader = (options: MongoReadStoreOptions = {}) =>
      openMongoReadStore(place, { pointerMs, budgetMs: PATIENCE_MS, ...options });
    const opened = async (options: MongoReadStoreWriterOptions = {}, spec = spent) => {
      const writer = openMongoReadStoreWriter(place, { pointerMs, ...options });
      await writer.open(logId, [spec]);
      return writer;
    };
    const physical = async () => {
      const found = await place.db.listCollections({ name: /^read_spent_/ }).toArray();
      return found.map(({ name }) => name).sort();
    };

    it('has one index of the server for all that is wanted of metadata, which leads filters', async () => {
      const writer = await opened();
      const rows = Array.from({ length: 2000 }, (_, n) => {
        const { position, put: row } = put(n + 1, `a${String(n)}`, '1');
        const tier = n % 500 === 0 ? 'gold' : 'tin';
        return { position, put: { ...row, body: JSON.stringify({ metadata: { tier, n } }) } };
      });
      const wish = async (n: number, key: string, wanted: boolean) => {
        const one = { collection: 'spent', key, tenantId: 'n1', wanted, position: at(n) };
        const batch = { collection: 'spent', changes: [], checkpoint: START };
        await writer.apply([{ ...batch, wishes: [one] }]);
        const deadline = performance.now() + PATIENCE_MS;
        while (await writer.indexMetadata()) expect(performance.now()).to.be.below(deadline);
      };
      await writer.apply([{ collection: 'spent', changes: rows, checkpoint: START }]);
      const [name = ''] = await physical();
      const indexes = async () =>
        (await place.db.collection(name).indexes()).filter((index) => index.name === 'metadata');
      const golden = {
        where: { tenantId: 'n1' },
        filters: [{ metadata: 'tier', is: 'gold' }],
        order: 'asc',
        limit: 10,
      } as const;
      const plan = async () =>
        JSON.stringify(
          await place.db
            .collection(name)
            .find(listFilter(spent, golden))
            .sort({ born: 1 })
            .explain(),
        );
      const found = async () => (await reader().list(spent, golden)).map(({ id }) => id);
      const all = ['a0', 'a500', 'a1000', 'a1500'];
      expect(await found()).to.deep.equal(all);

      await wish(9000, 'tier', true);
      await wish(9001, 'n', true);
      expect(await indexes()).to.have.length(1);
      expect(await plan()).to.match(/"[iI]ndex ?[nN]ame":"metadata"/);
      expect(await found()).to.deep.equal(all);

      await wish(9002, 'tier', false);
      expect(await indexes()).to.have.length(1);
      await wish(9003, 'n', false);
      expect(await indexes()).to.have.length(0);
      expect(await found()).to.deep.equal(all);
    });

    for (const seed of [1, 2, 3, 4]) {
      it(`ends as the log says when two holders apply it at once, cut differently (seed ${String(seed)})`, async () => {
        const random = seededRandom(seed);
        const log = story(random, 400);
        const memory = createReadMemory();
        const model = memoryReadStoreWriter(memory, systemScheduler);
        await model.open(logId, [spent]);
        await applyInTurn(model, log, () => log.length);

        const holders = [await opened(), await opened()];
        await Promise.all(
          holders.map((holder) => applyInTurn(holder, log, () => 1 + Math.floor(random() * 60))),
        );
        // A third comes after a crash that took every checkpoint.
        await place.db
          .collection('read_checkpoints')
          .updateMany({}, { $set: { checkpoint: START } });
        await applyInTurn(await opened(), log, () => 1 + Math.floor(random() * 200));

        expect(await everythingIn(reader())).to.deep.equal(
          await everythingIn(memoryReadStore(memory, systemScheduler)),
        );
      });
    }

    it('refuses an earlier holder of the lease, and what it wrote late changes nothing', async () => {
      const earlier = await opened({ fence: 1 });
      await earlier.apply([batch([put(1, 'a', '1.10')], 1)]);
      const later = await opened({ fence: 2 });
      await later.apply([batch([set(2, 'a', '2.20')], 2)]);

      const late = [batch([put(1, 'a', '1.10')], 3)];
      for (const attempt of [
        () => earlier.apply(late),
        () => earlier.open(logId, [spent]),
        () => earlier.open(logId, [{ ...spent, version: 2 }]),
      ]) {
        expect(await rejection(attempt())).to.be.instanceOf(Fenced);
      }
      expect((await reader().get(spent, { id: 'a' }))?.values).to.include({ left: '2.20' });
      expect((await later.open(logId, [spent])).get('spent')?.checkpoint).to.equal(at(2));
    });

    it('keeps a generation for those who still read it, and drops it later', async () => {
      const next = { ...spent, version: 2 };
      await opened();
      const patient = await opened({ keepMs: 60_000 }, next);
      await patient.swap('spent');
      expect(await physical()).to.deep.equal(['read_spent_1', 'read_spent_2']);
      await patient.close();

      await opened({ keepMs: 10 }, next);
      const isDropped = async () => (await physical()).length < 2;
      await until(isDropped, PATIENCE_MS, 'the former generation is dropped');
      expect(await physical()).to.deep.equal(['read_spent_2']);
    });

    it('shows no rows of another log to a reader that says which it reads', async () => {
      const writer = await opened();
      await writer.apply([batch([put(1, 'a', '1')], 1)]);
      expect(await reader({ logId }).get(spent, { id: 'a' })).to.include({ id: 'a' });
      const error = await rejection(reader({ logId: newUuid() }).get(spent, { id: 'a' }));
      expect(error).to.be.instanceOf(Unavailable);
    });

    it('keeps amounts as the texts they are, and integers beyond 32 bits as numbers', async () => {
      const writer = await opened();
      const amount = `${'9'.repeat(30)}.${'1'.repeat(34)}`;
      const version = 2 ** 40 + 1;
      const change = put(1, 'a', amount);
      const far = { ...change.put, born: 2 ** 52 + 65_536, values: { left: amount, version } };
      await writer.apply([batch([{ ...change, put: far }], 1)]);
      const row = await reader().get(spent, { id: 'a' });
      expect(row).to.deep.include({ born: 2 ** 52 + 65_536, values: { left: amount, version } });
    });

    it('ends a query that takes more than it may, and says so', async () => {
      const writer = await opened();
      const many = Array.from({ length: 4000 }, (_, n) => put(n + 1, `r${String(n)}`, '1'));
      await writer.apply([batch(many, 4000)]);
      const hasty = reader({ budgetMs: 1 });
      const slow = () =>
        hasty.list(spent, {
          where: { tenantId: 'n1' },
          filters: [{ metadata: 'no', is: 'where' }],
          order: 'desc',
          limit: 4000,
        });
      let error = await rejection(slow());
      // A server that stands still does not even say that.
      for (let n = 0; error instanceof Unavailable && n < 10; n += 1)
        error = await rejection(slow());
      expect(error).to.be.instanceOf(TimeBudgetExceeded);
    });

    it('says which row it cannot hold when entries come from a third put', async () => {
      const writer = await opened();
      const three = [1, 2, 3].map((n) => put(n, 'a', '1', { born: n * 65_536, ordinals: [n] }));
      const error = await rejection(writer.apply([batch(three, 3)]));
      expect(String(error)).to.include('Row a has entries in three places');
    });
  });
});

/** For a machine that stands still. */
const PATIENCE_MS = 30_000;

const spent: CollectionSpec = {
  name: 'spent',
  version: 1,
  keys: { tenantId: 'text', alias: 'text' },
  values: { left: 'text', version: 'integer' },
  indexes: [['tenantId']],
  unique: [['tenantId', 'alias']],
  entries: { key: 'accountId', facts: { type: 'text' } },
};

const at = (n: number) => String(n).padStart(16, '0') as Position;

function put(
  n: number,
  id: string,
  left: string | undefined,
  { born = n * 65_536, ordinals = [1] }: { born?: number; ordinals?: readonly number[] } = {},
) {
  return {
    position: at(n),
    put: {
      id,
      born,
      keys: { tenantId: 'n1', alias: n % 3 === 0 ? null : `@${String(n)}` },
      ...(left !== undefined && { values: { left } }),
      body: JSON.stringify({ n, metadata: { n } }),
      entries: ordinals.map((ordinal) => {
        return { at: `acc-${String(ordinal % 2)}`, ordinal, facts: { type: `T${String(n)}` } };
      }),
    },
  };
}
const set = (n: number, id: string, left: string): Change => {
  return { position: at(n), set: { id, values: { left } } };
};

const batch = (changes: readonly Change[], n: number) => {
  return { collection: 'spent', changes, checkpoint: at(n) };
};

/** A log in which rows are opened, moved, settled once with a further entry, changed, and sometimes removed. */
function story(random: () => number, length: number): readonly Change[] {
  const lives = new Map<string, { born: number; puts: number }>();
  return Array.from({ length }, (_, index): Change => {
    const n = index + 1;
    const id = `row ${String(Math.floor(random() * 25))}`;
    const life = lives.get(id) ?? { born: n * 65_536, puts: 0 };
    const what = random();
    if (what < 0.5) return set(n, id, String(n));
    if (what < 0.55) return { position: at(n), set: { id, values: { version: n } } };
    if (what < 0.58) return { position: at(n), remove: { id } };
    const puts = life.puts + 1;
    lives.set(id, { ...life, puts });
    const left = what < 0.8 ? String(n) : undefined;
    if (puts === 1) {
      lives.set(id, { born: n * 65_536, puts });
      return put(n, id, left, { ordinals: [1, 2] });
    }
    return put(n, id, left, { ordinals: [1, 2, 3] });
  });
}

async function applyInTurn(
  writer: ReadStoreWriter,
  log: readonly Change[],
  size: () => number,
): Promise<void> {
  for (let from = 0; from < log.length;) {
    const to = Math.min(log.length, from + size());
    try {
      await writer.apply([batch(log.slice(from, to), to)]);
      from = to;
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error; // They may stand in each other's way.
    }
  }
}

async function everythingIn(store: ReadStore) {
  const all = { order: 'asc', limit: 1000 } as const;
  const rows = await store.list(spent, { where: { tenantId: 'n1' }, ...all });
  const entries = ['acc-0', 'acc-1'].map((account) =>
    store.listEntries(spent, { at: account, ...all }),
  );
  const named = rows.map(({ id }) => store.get(spent, { id }));
  return { rows, entries: await Promise.all(entries), named: await Promise.all(named) };
}

const rejection = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );
