import { expect } from 'chai';
import { memoryReadStoreWriter } from '#test/doubles/memory/read-store.ts';
import { systemScheduler } from '#src/adapters/system.ts';
import { settingsJournal } from '#src/kernel/journal-name.ts';
import { Unavailable } from '#src/ports/errors.ts';
import type { CollectionBatch, ReadStoreWriter } from '#src/ports/read-store.ts';
import type { MetadataIndexRecord, SettingsEvent } from '#src/events/settings/settings.ts';
import { idOf } from '#test/support/ledger-samples.ts';
import { ReadingWorld } from '#test/support/reading-world.ts';
import { NOW } from '#test/support/stamps.ts';

const journal = settingsJournal('default');

const index = (entityName: string, metadataKey: string): MetadataIndexRecord => ({
  id: idOf(`${entityName} ${metadataKey}`),
  ...{ entityName, metadataKey, unique: false, sparse: true, createdAt: NOW },
});
const created = (entity: string, key: string): SettingsEvent => ({
  type: 'MetadataIndexCreated',
  data: { index: index(entity, key) },
});
const deleted = (entity: string, key: string): SettingsEvent => ({
  type: 'MetadataIndexDeleted',
  data: { index: index(entity, key) },
});

describe('indexes on metadata', () => {
  let world: ReadingWorld;
  let steps = 0;
  afterEach(() => world.projector.stop());

  /** A projector whose store is told of wishes, and takes as many steps as `step` says. */
  function observed(step: () => Promise<boolean>) {
    const wishes: NonNullable<CollectionBatch['wishes']>[number][] = [];
    world = new ReadingWorld();
    const inner = memoryReadStoreWriter(world.memory, systemScheduler);
    const writer: ReadStoreWriter = {
      ...inner,
      async apply(batch) {
        wishes.push(...batch.flatMap((one) => one.wishes ?? []));
        await inner.apply(batch);
      },
      indexMetadata: step,
    };
    return world.projector
      .stop()
      .then(() => world.start({ writer }))
      .then(() => wishes);
  }

  it('are asked of the store with the position of the event that asked for them', async () => {
    const wishes = await observed(async () => false);
    const first = world.append(journal, created('account', 'tier'));
    const second = world.append(journal, created('account_type', 'tier'));
    const last = world.append(journal, deleted('account', 'tier'));
    await world.shows(last);
    const of = { key: 'tier', tenantId: 'default' };
    expect(wishes).to.deep.equal([
      { ...of, collection: 'account', wanted: true, position: first },
      { ...of, collection: 'accountType', wanted: true, position: second },
      { ...of, collection: 'account', wanted: false, position: last },
    ]);
  });

  it('are gone on with until nothing is left to do, while events are taken', async () => {
    steps = 0;
    await observed(async () => {
      steps += 1;
      if (steps === 3) world.append(journal, created('asset', 'late'));
      return steps < 10;
    });
    await world.shows(world.append(journal, created('asset', 'tier')));
    while (steps < 10) await systemScheduler.yield();
    await world.shows(world.append(journal, created('asset', 'last')));
    expect([...world.memory.collections.get('metadataIndex')!.live.rows.keys()]).to.have.length(3);
  });

  it('are tried again when the store was away for a moment', async () => {
    steps = 0;
    await observed(async () => {
      steps += 1;
      if (steps === 2) throw new Unavailable('The store is away');
      return steps < 4;
    });
    await world.shows(world.append(journal, created('asset', 'tier')));
    while (steps < 4) await systemScheduler.yield();
    expect(world.faults).to.deep.equal([]);
  });

  it('that cannot be made are said so, and hold up nothing', async () => {
    await observed(async () => {
      throw new Error('There is no room');
    });
    await world.shows(world.append(journal, created('asset', 'tier')));
    await world.shows(world.append(journal, created('asset', 'late')));
    expect(world.faults.map(({ message }) => message)).to.deep.equal([
      'Indexes on metadata are not made: Error: There is no room',
    ]);
  });
});
