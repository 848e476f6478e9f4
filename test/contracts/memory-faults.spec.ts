import { expect } from 'chai';
import { MemoryEventStore } from '#test/doubles/memory/event-store.ts';
import type { AppendFate, Faults } from '#test/doubles/memory/faults.ts';
import { MemoryLog } from '#test/doubles/memory/log.ts';
import { simulate, type Simulation } from '#test/doubles/memory/simulated.ts';
import { NONE } from '#src/kernel/ids.ts';
import { Ambiguous, Unavailable } from '#src/ports/errors.ts';
import { WrongExpectedRevision } from '#src/ports/event-store.ts';
import { happened, whatOf } from './samples.ts';

describe('event store: memory, with faults', () => {
  let world: Simulation;
  let log: MemoryLog;
  beforeEach(() => {
    world = simulate(1);
    log = new MemoryLog();
  });

  const client = (faults: Faults = {}) =>
    new MemoryEventStore({ scheduler: world.scheduler, log, faults });
  const meeting = (...fates: AppendFate[]) => {
    let met = 0;
    return client({ append: () => fates[met++] ?? 'ok' });
  };
  const stored = () => log.read('s', 0, 100).map(whatOf);
  const outcome = async (append: Promise<unknown>): Promise<unknown> =>
    append.then(
      () => 'appended',
      (error: unknown) => (error as Error).constructor,
    );

  for (const { fate, answer, written } of [
    { fate: 'ok', answer: 'appended', written: ['a'] },
    { fate: 'refused', answer: Unavailable, written: [] },
    { fate: 'lost', answer: Ambiguous, written: [] },
    { fate: 'unanswered', answer: Ambiguous, written: ['a'] },
    { fate: 'conflict', answer: WrongExpectedRevision, written: [] },
  ] as const) {
    it(`plays an append that is ${fate}`, async () => {
      const append = meeting(fate).append('s', [happened('a')], NONE);
      expect(await world.run(outcome(append))).to.equal(answer);
      expect(stored()).to.deep.equal(written);
    });
  }

  it('plays an append that lands late, if its expected revision still fits', async () => {
    const late = { lateMs: 1000 };
    const append = meeting(late).append('s', [happened('late')], NONE);
    expect(await world.run(outcome(append))).to.equal(Ambiguous);
    expect(stored()).to.deep.equal([]);
    await world.run(world.scheduler.sleep(1001));
    expect(stored()).to.deep.equal(['late']);

    const store = meeting(late);
    await world.run(outcome(store.append('s', [happened('too late')], 0)));
    await world.run(store.append('s', [happened('in time')], 0));
    await world.run(world.scheduler.sleep(1001));
    expect(stored()).to.deep.equal(['late', 'in time']);
  });

  it('plays reads that fail', async () => {
    const store = client({ readFails: (stream) => stream === 's' });
    expect(await world.run(outcome(store.read('s', 0, 1)))).to.equal(Unavailable);
    expect(await world.run(outcome(store.read('t', 0, 1)))).to.equal('appended');
  });

  for (const lands of [true, false]) {
    it(`plays a crash after which what was under way ${lands ? 'lands' : 'vanishes'}`, async () => {
      const before = client({ landsAfterCrash: () => lands });
      let settled = false;
      void outcome(before.append('s', [happened('a')], NONE)).then(() => (settled = true));
      before.crash();

      const after = client();
      await world.run(world.scheduler.sleep(10));
      expect((await world.run(after.read('s', 0, 10))).map(whatOf)).to.deep.equal(
        lands ? ['a'] : [],
      );
      expect(settled).to.be.false;
    });
  }
});

describe('simulation', () => {
  /** Three workers that wait by turns; the order in which they get on. */
  async function play(seed: number): Promise<string[]> {
    const world = simulate(seed);
    const seen: string[] = [];
    const work = async (name: string) => {
      for (let n = 0; n < 5; n += 1) {
        await (n % 2 ? world.scheduler.yield() : world.scheduler.sleep(5));
        seen.push(`${name}${n} ${world.clock.now()} ${world.scheduler.random()}`);
      }
    };
    await world.run(Promise.all(['a', 'b', 'c'].map(work)));
    return seen;
  }

  it('plays the same run from the same seed, and another from another', async () => {
    expect(await play(1)).to.deep.equal(await play(1));
    expect(await play(1)).to.not.deep.equal(await play(2));
  });

  it('wakes the earliest first and never lets time go back', async () => {
    const { scheduler, clock, run } = simulate(1);
    const start = clock.now();
    const woken: number[] = [];
    const sleeper = async (ms: number) => {
      await scheduler.sleep(ms);
      expect(clock.now() - start).to.equal(ms * 1000);
      woken.push(ms);
    };
    const sleeps = Array.from({ length: 200 }, (_, n) => (n * 37) % 101);
    await run(Promise.all(sleeps.map(sleeper)));
    expect(woken).to.deep.equal(sleeps.toSorted((a, b) => a - b));
  });

  it('says so when nobody is left to wake', async () => {
    const fault = await simulate(1)
      .run(new Promise(() => {}))
      .catch((error: unknown) => error);
    expect(fault).to.be.instanceOf(Error).with.property('message').that.contains('Nobody');
  });
});
