import { expect } from 'chai';
import { play } from './play.ts';

const STEPS = 2_500;

describe('the simulator', () => {
  for (const seed of [1, 2, 3, 4]) {
    const processes = seed % 2 === 0 ? 'one process' : 'two processes on the same journals';
    it(`finds nothing wrong with ${processes}, seed ${seed}`, async () => {
      const { failure } = await play(seed, STEPS);
      expect(failure?.problem, failure?.trace.join('\n')).to.equal(undefined);
    });
  }

  it('plays a seed again bit for bit, and another one differently', async () => {
    const digests = [];
    for (const seed of [5, 5, 6]) digests.push((await play(seed, 1_000)).digest);
    expect(digests[1]).to.equal(digests[0]);
    expect(digests[2]).to.not.equal(digests[0]);
  });
});
