import { expect } from 'chai';
import { Fenced, type CheckpointStore } from '#src/ports/checkpoint-store.ts';
import type { Position } from '#src/ports/event-store.ts';
import { newName } from './samples.ts';

/** What every checkpoint store promises. */
export function checkpointStoreContract(open: () => Promise<CheckpointStore>): void {
  let store: CheckpointStore;
  let lane: string;

  beforeEach(async () => {
    store = await open();
    lane = newName();
  });
  afterEach(() => store.close());

  const save = (n: number, done = 0, fence = 1) => store.save(lane, checkpoint(n, done), fence);
  const loaded = async (of = lane) => (await store.load()).get(of);
  const rejection = (work: Promise<unknown>) => work.catch((error: unknown) => error);

  it('knows no lane that never saved', async () => {
    expect(await loaded()).to.equal(undefined);
  });

  it('gives back what each lane saved last', async () => {
    const other = newName();
    await save(1);
    await store.save(other, checkpoint(9, 2), 1);
    await save(2, 3);
    expect(await loaded()).to.deep.equal(checkpoint(2, 3));
    expect(await loaded(other)).to.deep.equal(checkpoint(9, 2));
  });

  it('saves several lanes at once, and refuses only one that a later holder has', async () => {
    const other = newName();
    await save(3, 0, 2);
    const [late, inTime] = await Promise.allSettled([
      save(5),
      store.save(other, checkpoint(6, 1), 2),
    ]);
    expect(late).to.have.property('reason').that.is.instanceOf(Fenced);
    expect(inTime.status).to.equal('fulfilled');
    expect(await loaded()).to.deep.equal(checkpoint(3));
    expect(await loaded(other)).to.deep.equal(checkpoint(6, 1));
  });

  it('moves on through the parts of an event', async () => {
    await save(1, 1);
    await save(1, 2);
    expect(await loaded()).to.deep.equal(checkpoint(1, 2));
    await save(2, 0);
    expect(await loaded()).to.deep.equal(checkpoint(2));
  });

  it('never moves back, and says nothing of it', async () => {
    await save(7, 2);
    for (const [n, done] of [
      [6, 9],
      [7, 1],
      [7, 0],
      [7, 2],
    ] as const) {
      await save(n, done);
      expect(await loaded()).to.deep.equal(checkpoint(7, 2));
    }
  });

  it('is set back when that is asked for, by the last holder of the lease alone', async () => {
    await store.setBack(lane, checkpoint(1), 1);
    expect(await loaded()).to.equal(undefined);
    await save(7, 2, 3);
    expect(await rejection(store.setBack(lane, checkpoint(4), 2))).to.be.instanceOf(Fenced);
    await store.setBack(lane, checkpoint(4, 1), 3);
    expect(await loaded()).to.deep.equal(checkpoint(4, 1));
    await save(5, 0, 3);
    expect(await loaded()).to.deep.equal(checkpoint(5));
  });

  it('is deleted by the last holder of the lease alone, and may begin again', async () => {
    const other = newName();
    await store.remove(lane, 1);
    await save(7, 2, 3);
    await store.save(other, checkpoint(5), 3);
    expect(await rejection(store.remove(lane, 2))).to.be.instanceOf(Fenced);
    expect(await loaded()).to.deep.equal(checkpoint(7, 2));
    await store.remove(lane, 3);
    expect(await loaded()).to.equal(undefined);
    expect(await loaded(other)).to.deep.equal(checkpoint(5));
    await save(1, 0, 3);
    expect(await loaded()).to.deep.equal(checkpoint(1));
  });

  it('compares positions as texts, whatever they are', async () => {
    const at = (position: string) => ({ position: position as Position, done: 0 });
    await store.save(lane, at('0010'), 1);
    await store.save(lane, at('001'), 1);
    expect(await loaded()).to.deep.equal(at('0010'));
    await store.save(lane, at('00100'), 1);
    expect(await loaded()).to.deep.equal(at('00100'));
  });

  it('refuses an earlier holder once a later one has written, wherever it stands', async () => {
    await save(5, 0, 3);
    for (const n of [4, 5, 6]) {
      expect(await rejection(save(n, 0, 2))).to.be.instanceOf(Fenced);
      expect(await loaded()).to.deep.equal(checkpoint(5));
    }
    await save(6, 0, 3);
    await save(7, 0, 4);
    expect(await loaded()).to.deep.equal(checkpoint(7));
    expect(await rejection(save(8, 0, 3))).to.be.instanceOf(Fenced);
  });

  it('ends at the furthest of many saved at once', async () => {
    await Promise.all(Array.from({ length: 10 }, (_, n) => save(n + 1)));
    expect(await loaded()).to.deep.equal(checkpoint(10));
  });
}

export const checkpoint = (n: number, done = 0) => ({
  position: String(n).padStart(16, '0') as Position,
  done,
});
