import { constants, PerformanceObserver } from 'node:perf_hooks';
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { collectAtRest } from '#src/bootstrap/collect-at-rest.ts';

describe('the collection of a thread at rest', () => {
  /** Collections of the kind that returns memory; V8 makes none by itself before its heap is full. */
  let collections = 0;
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { flags = 0 } = (entry as unknown as { detail: { flags?: number } }).detail;
      if ((flags & constants.NODE_PERFORMANCE_GC_FLAGS_ALL_AVAILABLE_GARBAGE) !== 0) {
        collections += 1;
      }
    }
  });
  const happens = async (withinMs: number): Promise<boolean> => {
    const endMs = performance.now() + withinMs;
    while (collections === 0 && performance.now() < endMs) await pause(50);
    return collections > 0;
  };

  beforeEach(() => {
    collections = 0;
    observer.observe({ entryTypes: ['gc'] });
  });
  afterEach(() => {
    observer.disconnect();
  });

  it('comes without anything to do', async () => {
    collectAtRest(Infinity);
    expect(await happens(PATIENCE_MS)).to.equal(true);
  });

  it('waits until the thread rests', async () => {
    collectAtRest(Infinity);
    const clock = new Int32Array(new SharedArrayBuffer(4));
    for (let n = 0; n < BUSY_TURNS; n += 1) {
      Atomics.wait(clock, 0, 0, 100); // It counts as busy.
      await turn();
    }
    expect(collections).to.equal(0);
    expect(await happens(PATIENCE_MS)).to.equal(true);
  });

  it('leaves a large heap alone', async () => {
    collectAtRest(1);
    expect(await happens(2000)).to.equal(false);
  });
});

const PATIENCE_MS = 20_000;
const BUSY_TURNS = 15;
