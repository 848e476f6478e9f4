import { expect } from 'chai';
import type { Snapshot, SnapshotStore } from '#src/ports/snapshot-store.ts';
import { newName } from './samples.ts';

/** What every snapshot store promises. */
export function snapshotStoreContract(open: () => Promise<SnapshotStore>): void {
  let store: SnapshotStore;
  let journal: string;

  beforeEach(async () => {
    store = await open();
    journal = newName();
  });
  afterEach(() => store.close());

  it('has nothing of a journal that was never saved', async () => {
    expect(await store.load(journal)).to.equal(undefined);
  });

  it('gives back what was saved', async () => {
    const snapshot = taken(7, ['one', 'two', '']);
    await store.save(journal, snapshot);
    expect(await store.load(journal)).to.deep.equal(snapshot);
  });

  it('keeps one a journal, and replaces it as a whole', async () => {
    const other = newName();
    await store.save(other, taken(1, ['other']));
    await store.save(journal, taken(7, ['one', 'two', 'three']));
    await store.save(journal, taken(8, ['four']));

    expect(await store.load(journal)).to.deep.equal(taken(8, ['four']));
    expect(await store.load(other)).to.deep.equal(taken(1, ['other']));
  });

  it('keeps one without chunks', async () => {
    await store.save(journal, taken(0, []));
    expect(await store.load(journal)).to.deep.equal(taken(0, []));
  });

  it('keeps chunks verbatim, also cut between the halves of a surrogate pair', async () => {
    const text = 'é 漢 🦙 \0 \ufffd';
    const units = Array.from({ length: text.length }, (_, at) => text.charAt(at));
    await store.save(journal, taken(7, [text, ...units]));
    expect(await store.load(journal)).to.deep.equal(taken(7, [text, ...units]));
  });

  it('keeps what two save at once as one of them, or as none', async () => {
    const saved = [taken(7, ['one', 'two']), taken(8, ['three'])];
    await Promise.all(saved.map((snapshot) => store.save(journal, snapshot)));
    expect([undefined, ...saved]).to.deep.include(await store.load(journal));
  });

  it('keeps large ones', async () => {
    const chunks = Array.from({ length: 20 }, (_, n) => String(n).repeat(500_000));
    await store.save(journal, taken(7, chunks));
    expect(await store.load(journal)).to.deep.equal(taken(7, chunks));
  });
}

export const taken = (revision: number, chunks: readonly string[]): Snapshot => ({
  revision,
  version: 3,
  chunks,
});
