import { expect } from 'chai';
import { loadResident } from '#src/journal/resident.ts';
import { takeSnapshot } from '#src/journal/snapshot.ts';
import type { Snapshot } from '#src/ports/snapshot-store.ts';
import { purseDecider } from './purse.ts';
import { outcomeOf, PURSE, workbench } from './workbench.ts';

const put = (coins: number) => ({ type: 'Put', coins }) as const;

/** A purse with a snapshot at revision 2 and five events; the first has a key. */
async function purse() {
  const bench = workbench();
  await bench.ask(put(1), { key: 'first' });
  await bench.ask(put(2));
  await bench.ask(put(3));
  const revision = await takeSnapshot(purseDecider, PURSE, bench.ports);
  expect(revision).to.equal(2);
  await bench.ask(put(4), { key: 'fourth' });
  await bench.ask(put(5));
  return bench;
}

/** How a restart finds it: nothing lost, and how far back it had to read. */
async function restarted(bench: Awaited<ReturnType<typeof purse>>): Promise<number> {
  const then = workbench({ over: bench });
  let first = Number.POSITIVE_INFINITY;
  const { store } = then.ports;
  const read = store.read.bind(store);
  store.read = (stream, from, limit) => {
    if (limit > 1) first = Math.min(first, from);
    return read(stream, from, limit);
  };
  expect(await outcomeOf(then.ask({ type: 'Take', coins: 16 }))).to.equal('INSUFFICIENT_FUNDS');
  const readFrom = first;
  for (const key of ['first', 'fourth']) {
    expect((await then.ask(put(key === 'first' ? 1 : 4), { key })).replayed, key).to.equal(true);
  }
  expect((await then.ask({ type: 'Take', coins: 15 })).revision).to.equal(5);
  return readFrom;
}

describe('the load of a journal without a snapshot', () => {
  it('reports each chunk that it has read, up to the end', async () => {
    const bench = workbench();
    await Promise.all(Array.from({ length: 1030 }, () => bench.ask(put(1))));
    const heard: unknown[] = [];
    const onRead = (...read: unknown[]) => heard.push(read);
    await loadResident(purseDecider, PURSE, { ...bench.ports, onRead });
    expect(heard).to.deep.equal([
      [PURSE, 512, false],
      [PURSE, 1024, false],
      [PURSE, 1030, true],
    ]);
  });
});

describe('snapshots', () => {
  it('spare a start the events before them', async () => {
    const bench = await purse();
    await bench.catchUp();
    expect(await restarted(bench)).to.equal(3);
  });

  it('do not hide the keys that the index lacks', async () => {
    const bench = await purse();
    expect(await restarted(bench)).to.equal(0);
  });

  it('go on from the one before', async () => {
    const bench = await purse();
    expect(await takeSnapshot(purseDecider, PURSE, bench.ports)).to.equal(4);
    await bench.catchUp();
    expect(await restarted(bench)).to.equal(5);
  });

  const stored = (bench: Awaited<ReturnType<typeof purse>>): Snapshot =>
    bench.snapshotData.get(PURSE) as Snapshot;
  const spoilt: Record<string, (sound: Snapshot) => Snapshot | 'torn'> = {
    'is torn': () => 'torn',
    'is of an older format': (sound) => ({ ...sound, version: 0 }),
    'lost its last chunk': ({ chunks, ...sound }) => ({ ...sound, chunks: chunks.slice(0, -1) }),
    'lost all its chunks': (sound) => ({ ...sound, chunks: [] }),
    'is no JSON': ({ chunks, ...sound }) => ({
      ...sound,
      chunks: chunks.map((one) => one.slice(1)),
    }),
    'is of another log': ({ chunks: [head = '', ...chunks], ...sound }) => {
      return { ...sound, chunks: [head.replace(/"hash":"..../, '"hash":"0000'), ...chunks] };
    },
    'is of a longer log': ({ chunks: [head = '', ...chunks], ...sound }) => {
      return { ...sound, chunks: [head.replace('"revision":2', '"revision":99'), ...chunks] };
    },
  };
  for (const [what, spoil] of Object.entries(spoilt)) {
    it(`are passed over when one ${what}`, async () => {
      const bench = await purse();
      await bench.catchUp();
      bench.snapshotData.set(PURSE, spoil(stored(bench)));
      expect(await restarted(bench)).to.equal(0);
    });
  }

  it('are not needed: without their store a start takes longer', async () => {
    const bench = await purse();
    await bench.catchUp();
    const then = workbench({ over: bench, faults: { loadFails: () => true } });
    expect(await outcomeOf(then.ask({ type: 'Take', coins: 15 }))).to.equal('done');
  });

  it('are asked for by a load that had much to read, at once and only then', async () => {
    const bench = workbench();
    for (let round = 0; round < 2; round += 1) {
      await Promise.all(Array.from({ length: 10_000 }, () => bench.ask(put(1))));
    }
    expect(bench.told.grown).to.deep.equal([]);

    const restarted = workbench({ over: bench });
    await restarted.ask(put(1));
    expect(restarted.told.grown).to.deep.equal([PURSE]);
    await restarted.ask(put(1));
    expect(restarted.told.grown, 'asked for once').to.deep.equal([PURSE]);

    await takeSnapshot(purseDecider, PURSE, restarted.ports);
    await restarted.catchUp();
    const again = workbench({ over: restarted });
    await again.ask(put(1));
    expect(again.told.grown).to.deep.equal([]);
  });
});
