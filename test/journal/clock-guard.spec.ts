import { expect } from 'chai';
import type { Micros } from '#src/kernel/instant.ts';
import { createClockGuard } from '#src/journal/clock-guard.ts';
import { outcomeOf, workbench } from './workbench.ts';

const SECOND = 1e6;
const HOUR = 3600 * SECOND;
const YEAR = 365 * 24 * HOUR;
const NOW = 1_767_225_600_000_000;

/** A clock and a time that passes, in hand. */
function guarded(newest?: number, confirmedUntil?: number) {
  const time = { wall: NOW, elapsed: 0 };
  const clock = createClockGuard({
    wall: { now: () => time.wall as Micros },
    elapsed: () => time.elapsed as Micros,
    newest: newest as Micros | undefined,
    aheadMax: HOUR as Micros,
    confirmedUntil: confirmedUntil as Micros | undefined,
  });
  const pass = (micros: number): void => {
    time.wall += micros;
    time.elapsed += micros;
  };
  const refuses = (last = NOW): boolean => {
    clock.now();
    return clock.refusal(last as Micros) !== undefined;
  };
  return { time, clock, pass, refuses };
}

describe('the guard of the clock', () => {
  it('follows it as time passes, also over a night in which the machine was suspended', () => {
    const { time, clock, pass, refuses } = guarded(NOW - HOUR);
    pass(SECOND / 10);
    expect(clock.now()).to.equal(time.wall);
    pass(12 * HOUR);
    expect(refuses()).to.equal(false);
    expect(clock.now()).to.equal(time.wall);
  });

  it('does not follow a jump, refuses while it lasts, and goes on when it is over', () => {
    const { time, clock, pass, refuses } = guarded(NOW);
    time.wall += 60 * YEAR;
    expect(refuses()).to.equal(true);
    pass(5 * SECOND);
    expect(clock.now(), 'what is dated meanwhile').to.equal(NOW + 5 * SECOND);
    expect(clock.jump()).to.contain('but it should show 2026-01-01T00:00:05');
    time.wall -= 60 * YEAR;
    expect(refuses()).to.equal(false);
    expect(clock.now()).to.equal(NOW + 5 * SECOND);
  });

  it('lets steps below the limit pass, and steps back', () => {
    const { time, clock, refuses } = guarded(NOW);
    time.wall += HOUR - 1;
    expect(refuses()).to.equal(false);
    time.wall -= HOUR / 2;
    expect(refuses()).to.equal(false);
    expect(clock.now()).to.equal(time.wall);
  });

  it('believes a clock after months of standing still, not one 60 years after the newest event', () => {
    expect(guarded(NOW - YEAR / 2).refuses()).to.equal(false);
    const { time, clock, refuses } = guarded(NOW - 60 * YEAR);
    expect(refuses(NOW - 60 * YEAR)).to.equal(true);
    expect(clock.jump()).to.contain('but the newest event is of 1966-');
    time.wall -= 60 * YEAR - HOUR;
    expect(refuses(NOW - 60 * YEAR), 'put right while it runs').to.equal(false);
  });

  it('refuses to record after an event far ahead of the clock: all that follows would be dated by it', () => {
    const { refuses } = guarded(NOW);
    expect(refuses(NOW + HOUR)).to.equal(false);
    expect(refuses(NOW + HOUR + 1)).to.equal(true);
  });

  it('takes up to the confirmed moment, and no further', () => {
    expect(guarded(NOW - 60 * YEAR, NOW).refuses()).to.equal(false);
    expect(guarded(NOW, NOW + YEAR).refuses(NOW + YEAR)).to.equal(false);
    const { time, refuses } = guarded(NOW, NOW + HOUR);
    time.wall += 2 * HOUR;
    expect(refuses()).to.equal(true);
  });
});

describe('a journal under a guarded clock', () => {
  it('records nothing during a jump, and lets no key expire by it', async () => {
    const bench = workbench();
    const put = { type: 'Put', coins: 1 } as const;
    const { clock } = bench;
    const guard = createClockGuard({
      wall: { now: clock.now },
      elapsed: () => 0 as Micros,
      newest: undefined,
      aheadMax: HOUR as Micros,
      confirmedUntil: undefined,
    });
    Object.assign(bench.ports, { clock: guard });
    await bench.ask(put, { key: 'first', ttlSeconds: 60 });
    clock.at = (clock.at + 60 * YEAR) as Micros;
    expect(await outcomeOf(bench.ask(put, { key: 'first', ttlSeconds: 60 }))).to.equal(
      'UNAVAILABLE',
    );
    expect(await outcomeOf(bench.ask(put))).to.equal('UNAVAILABLE');
    clock.at = (clock.at - 60 * YEAR) as Micros;
    expect((await bench.ask(put, { key: 'first', ttlSeconds: 60 })).replayed).to.equal(true);
    expect(bench.appends).to.have.length(1);
  });
});
