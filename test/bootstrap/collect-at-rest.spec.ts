import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { collectAtRest } from '#src/bootstrap/collect-at-rest.ts';

/** Returns a way to tell whether garbage made now has been collected. */
function garbage(): () => boolean {
  const reference = new WeakRef({ large: Array.from({ length: 1000 }, String) });
  return () => reference.deref() === undefined;
}

async function happens(condition: () => boolean): Promise<boolean> {
  const endMs = performance.now() + DEADLINE_MS;
  while (!condition() && performance.now() < endMs) await pause(LOOK_MS);
  return condition();
}

describe('the collection of a thread at rest', () => {
  it('frees what the start left, without a request', async () => {
    const isCollected = garbage();
    await turn(); // A reference is kept alive until the end of the turn that made it.
    collectAtRest();
    expect(await happens(isCollected)).to.equal(true);
  });

  it('waits until the thread rests', async () => {
    const isCollected = garbage();
    await turn();
    collectAtRest();
    for (let n = 0; n < BUSY_TURNS; n += 1) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, TURN_MS); // It counts as busy, and allocates nothing.
      await turn();
    }
    expect(isCollected()).to.equal(false);
    expect(await happens(isCollected)).to.equal(true);
  });
});

const BUSY_TURNS = 12;
const TURN_MS = 100;
const LOOK_MS = 50;
const DEADLINE_MS = 9000;
