import { expect } from 'chai';
import type { Document } from 'mongodb';
import { openMongoSnapshotStore } from '#src/adapters/mongodb/snapshot-store.ts';
import { snapshotStoreContract, taken } from '#test/contracts/snapshot-store.contract.ts';
import { describeOnMongo, newMongoPlace } from './mongo.ts';

describeOnMongo('snapshot store: MongoDB', () => {
  let place: Awaited<ReturnType<typeof newMongoPlace>>;
  beforeEach(async () => {
    place = await newMongoPlace();
  });
  afterEach(() => place.remove());

  snapshotStoreContract(async () => openMongoSnapshotStore(place));

  const pieces = () => place.db.collection<Document & { _id: string }>('snapshot_pieces');

  it('keeps a chunk that no document could hold, cut anywhere', async () => {
    const chunks = ['é'.repeat(9_000_000), '\ud83e', 'end'];
    const store = openMongoSnapshotStore(place);
    await store.save('ledger-a', taken(7, chunks));
    const loaded = await store.load('ledger-a');
    expect(loaded?.chunks.map((chunk, n) => chunk === chunks[n])).to.deep.equal([true, true, true]);
    expect(await pieces().countDocuments()).to.equal(5);
  });

  it('keeps whole what is cut at every byte', async () => {
    for (const pieceBytes of [1, 2, 3, 5, 6]) {
      const store = openMongoSnapshotStore(place, { pieceBytes });
      await store.save('ledger-a', taken(7, ['aé🦙', '', '\udd99']));
      expect(await store.load('ledger-a')).to.deep.equal(taken(7, ['aé🦙', '', '\udd99']));
    }
  });

  it('leaves nothing behind of what was replaced, nor of a save that came to nothing', async () => {
    const store = openMongoSnapshotStore(place, { pieceBytes: 4 });
    await store.save('ledger-a', taken(1, ['one']));
    await place.db.collection('snapshots').deleteMany({}); // As if its head had never been written.
    await store.save('ledger-b', taken(1, ['other']));
    await store.save('ledger-a', taken(2, ['two']));
    await store.save('ledger-a', taken(2, ['2']));
    expect(await pieces().countDocuments({ journal: 'ledger-a' })).to.equal(2);
    expect(await store.load('ledger-b')).to.deep.equal(taken(1, ['other']));
  });

  for (const [what, damage] of Object.entries({
    'a piece too few': () => pieces().deleteOne({ number: 1 }),
    'another byte': async () => {
      const piece = await pieces().findOne({ number: 1 });
      const bytes = (piece?.['bytes'] as { value: () => Uint8Array })
        .value()
        .map((byte) => byte ^ 1);
      return pieces().updateOne({ number: 1 }, { $set: { bytes: Buffer.from(bytes) } });
    },
    'another revision': () =>
      place.db.collection('snapshots').updateMany({}, { $set: { revision: 2 } }),
    'another version': () =>
      place.db.collection('snapshots').updateMany({}, { $set: { version: 4 } }),
    'fewer pieces than it had': () =>
      place.db.collection('snapshots').updateMany({}, { $set: { pieces: 1 } }),
  })) {
    it(`gives nothing back of a snapshot with ${what}`, async () => {
      const store = openMongoSnapshotStore(place, { pieceBytes: 4 });
      await store.save('ledger-a', taken(1, ['a', 'bb']));
      expect(await store.load('ledger-a')).to.deep.equal(taken(1, ['a', 'bb']));
      await damage();
      expect(await store.load('ledger-a')).to.equal(undefined);
    });
  }
});
