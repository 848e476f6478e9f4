import { expect } from 'chai';
import { refuse } from '#src/events/ledger/refusals.ts';
import type { PublishFate } from '#test/doubles/memory/publisher.ts';
import { PublishFailed } from '#src/ports/publisher.ts';
import { play } from './play.ts';
import type { Planted } from './world.ts';

const STEPS = 2_500;

describe('the simulator', () => {
  for (const seed of [1, 2, 3, 4]) {
    const processes = seed % 2 === 0 ? 'one process' : 'two processes on the same journals';
    it(`finds nothing wrong with ${processes}, seed ${seed}`, async () => {
      const { failure } = await play(seed, STEPS);
      expect(failure?.problem, failure?.trace.join('\n')).to.equal(undefined);
    });
  }

  it('finds a refusal that no rule explains', async () => {
    const planted: Planted = {
      refusal: (command) =>
        (command as Readonly<{ type: string }>).type === 'CreateAccount'
          ? refuse('ALIAS_TAKEN', 'Planted.')
          : undefined,
    };
    const problems: unknown[] = [];
    for (const seed of [1, 2, 3, 4])
      problems.push((await play(seed, STEPS, planted)).failure?.problem);
    // A seed in which no account was opened has none.
    expect(problems.join('\n')).to.match(/account-.* was refused on .* with ALIAS_TAKEN/);
  });

  it('finds a record that was acknowledged and never arrived', async () => {
    const fails = new PublishFailed('network_timeout', 'Planted', { acknowledged: 1 });
    const problems: unknown[] = [];
    for (const seed of [1, 2, 3, 4]) {
      let calls = 0;
      const publish = (): PublishFate | undefined =>
        (calls += 1) === 3 ? { fails, arrived: 0 } : undefined;
      problems.push((await play(seed, STEPS, { publish })).failure?.problem);
    }
    // A relay that crashes before it saves its checkpoint publishes the record again.
    expect(problems.join('\n')).to.match(/has only \d+ records/);
  });

  it('plays a seed again bit for bit, and another one differently', async () => {
    const digests = [];
    for (const seed of [5, 5, 6]) digests.push((await play(seed, 1_000)).digest);
    expect(digests[1]).to.equal(digests[0]);
    expect(digests[2]).to.not.equal(digests[0]);
  });
});
