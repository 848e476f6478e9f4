import { expect } from 'chai';
import { openEventStoreDbHere } from '#src/adapters/eventstoredb/event-store-here.ts';
import { MemoryJournalIndex } from '#test/doubles/memory/journal-index.ts';
import { MemorySnapshotStore } from '#test/doubles/memory/snapshot-store.ts';
import { systemClock, systemIds, systemScheduler } from '#src/adapters/system.ts';
import type { JournalName } from '#src/kernel/journal-name.ts';
import { createJournals, type Journals } from '#src/journal/journals.ts';
import type { EventStore } from '#src/ports/event-store.ts';
import { newUuid } from '#test/contracts/samples.ts';
import { eventStoreDoubleOfBlock } from '#test/doubles/eventstore/start.ts';
import type { Fault } from '#test/doubles/eventstore/control.ts';
import { purseDecider, type PurseCommand, type PurseEvent } from '#test/journal/purse.ts';

/** How long to wait for an answer that comes too late. */
const HASTY_MS = 400;

describe('EventStoreDB adapter: a journal written over it', () => {
  const double = eventStoreDoubleOfBlock();
  const stores: EventStore[] = [];
  let purse: JournalName;

  beforeEach(() => {
    purse = `purse-${newUuid()}` as JournalName;
  });
  afterEach(async () => {
    await Promise.all(stores.splice(0).map((store) => store.close()));
  });

  /** What one process has. */
  async function openProcess(answerWithinMs = 20_000) {
    const ids = systemIds();
    const scheduler = systemScheduler;
    const store = await openEventStoreDbHere(double().url, { ids, answerWithinMs });
    stores.push(store);
    const index = new MemoryJournalIndex({ scheduler });
    const snapshots = new MemorySnapshotStore({ scheduler });
    const journals: Journals = createJournals(
      [purseDecider],
      { store, index, indexTable: new Map(), snapshots, clock: systemClock, ids, scheduler },
      {
        acknowledged: () => {},
        contended: () => {},
        doubted: () => {},
        grown: () => {},
        fault: () => {},
      },
    );
    const put = (coins: number) =>
      journals.submit<PurseCommand, PurseEvent>(
        { name: purse },
        {
          command: { type: 'Put', coins },
          context: { actor: { type: 'anonymous', id: '' }, tenantId: 'default', requestId: 'r' },
        },
      );
    return { put, store };
  }
  const coins = async (store: EventStore): Promise<number[]> =>
    (await store.read(purse, 0, 1000)).map(
      ({ data }) => (JSON.parse(data) as { coins: number }).coins,
    );

  const faults: Record<string, Fault> = {
    'the connection breaks before an append is written': { dropBefore: 1 },
    'the connection breaks after an append is written': { dropAfter: 1 },
    'an answer comes too late': { delays: 1, delayMs: 4 * HASTY_MS },
    'the node does not lead any more': { notLeader: 1 },
    'the server is not ready': { notReady: 1 },
    'several appends in a row are lost': { dropBefore: 3 },
  };
  const MET = { dropBefore: 0, dropAfter: 0, delays: 0, notLeader: 0, notReady: 0 };
  for (const [when, fault] of Object.entries(faults)) {
    it(`has each effect once when ${when}`, async () => {
      const { put, store } = await openProcess('delays' in fault ? HASTY_MS : undefined);
      await put(1);
      await double().fault(fault);
      const outcomes = await Promise.all([2, 3, 4].map(put));
      expect(await coins(store)).to.deep.equal([1, 2, 3, 4]);
      expect(outcomes.map(({ revision }) => revision)).to.deep.equal([1, 2, 3]);
      expect(await double().switches(), 'nothing left to go wrong').to.include(MET);
    });
  }

  it('has the effects of two processes once each, whoever comes first', async () => {
    const [one, other] = [await openProcess(), await openProcess()];
    const amounts = Array.from({ length: 20 }, (_, n) => n);
    await Promise.all(amounts.map((n) => (n % 2 === 0 ? one : other).put(n)));
    expect((await coins(one.store)).sort((a, b) => a - b)).to.deep.equal(amounts);
  });
});
