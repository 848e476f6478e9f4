import { expect } from 'chai';
import { openMongoJournalIndex } from '#src/adapters/mongodb/journal-index.ts';
import { openMongoReadStoreWriter } from '#src/adapters/mongodb/read-store-writer.ts';
import { systemScheduler } from '#src/adapters/system.ts';
import { MemoryEventStore } from '#test/doubles/memory/event-store.ts';
import { MemoryLog } from '#test/doubles/memory/log.ts';
import { confirmedIndex } from '#src/journal/confirmed-index.ts';
import { GENESIS, seal } from '#src/journal/chain.ts';
import { Unavailable } from '#src/ports/errors.ts';
import type { NewEvent } from '#src/ports/event-store.ts';
import { createProjector } from '#src/runtime/project.ts';
import { happened } from '#test/contracts/samples.ts';
import { metadataOf } from '#test/support/stored-samples.ts';
import { until } from '#test/support/until.ts';
import { describeOnMongo, newMongoPlace } from './mongo.ts';

describeOnMongo('derived data on MongoDB', () => {
  let place: Awaited<ReturnType<typeof newMongoPlace>>;
  before(async () => {
    place = await newMongoPlace();
  });
  after(() => place.remove());

  const JOURNAL = 'ledger-a';
  const logOf = (events: readonly NewEvent[]): MemoryLog => {
    const log = new MemoryLog();
    log.append(JOURNAL, events, -1);
    return log;
  };
  const keyed = (key: string): NewEvent => {
    const event = happened(key);
    const changes = { idempotencyKey: key, requestHash: 'h' };
    const { metadata } = seal(event.type, event.data, metadataOf(GENESIS, changes));
    return { ...event, metadata };
  };

  /** Projects a log to its end. Answers what was built again, and what the index says of some keys then. */
  async function projected(log: MemoryLog, keys: readonly string[]) {
    const store = new MemoryEventStore({ scheduler: systemScheduler, log });
    const index = await openMongoJournalIndex(place, log.id);
    const guarded = confirmedIndex(index, store);
    const early = await guarded.find(JOURNAL, 'idempotency', keys).catch((error: unknown) => error);
    const rebuilt: string[] = [];
    let level = false;
    const projector = createProjector({
      ...{ log: store, index, scheduler: systemScheduler, projections: [PROJECTION] },
      indexTable: new Map(),
      writer: openMongoReadStoreWriter(place, { pointerMs: 50 }),
      onProgress: ({ caughtUp }) => (level = caughtUp),
      onFault: ({ message }) => {
        throw new Error(message);
      },
      onRebuild: (message) => rebuilt.push(message),
    });
    const running = projector.run();
    await until(() => level, 30_000, 'the end of the log');
    await projector.stop();
    await running;
    const found = Object.fromEntries(await guarded.find(JOURNAL, 'idempotency', keys));
    return { early, rebuilt, found };
  }

  it('is built again beside an older log, and of another event at the same place; loudly', async () => {
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(keyed) as [
      NewEvent,
      NewEvent,
      NewEvent,
      NewEvent,
    ];
    const keys = ['a', 'b', 'c', 'd'];
    const first = await projected(logOf([a, b, c]), keys);
    expect(first.rebuilt).to.deep.equal([]);
    expect(first.found).to.deep.equal({ a: 0, b: 1, c: 2 });

    const again = await projected(logOf([a, b, c]), keys);
    expect(again.rebuilt).to.deep.equal([]);

    const older = await projected(logOf([a, b]), keys);
    expect(older.early).to.be.instanceOf(Unavailable);
    expect(older.rebuilt).to.have.length(2);
    expect(older.rebuilt.join()).to.contain('older copy');
    expect(older.found).to.deep.equal({ a: 0, b: 1 });

    const other = await projected(logOf([a, d]), keys);
    expect(other.early).to.be.instanceOf(Unavailable);
    expect(other.rebuilt.join()).to.contain('another event');
    expect(other.found).to.deep.equal({ a: 0, d: 1 });
  });
});

const PROJECTION = {
  collection: {
    name: 'happening',
    version: 1,
    keys: { tenantId: 'text' },
    indexes: [['tenantId']],
  },
  on: {},
} as const;
