import { expect } from 'chai';
import { createCatchUp } from '#src/runtime/catch-up.ts';
import type { Position } from '#src/ports/event-store.ts';

describe('catching up', () => {
  const at = (n: number): Position => String(n).padStart(16, '0') as Position;

  it('counts events exactly where positions do, with the pace of the last seconds', () => {
    let nowMs = 0;
    const catchUp = createCatchUp({ at: Number, perEvent: 1 }, () => nowMs);
    expect(catchUp.behind(at(0), at(10_000))).to.deep.equal({
      ...{ events: 10_000, eventsPerSecond: 0, secondsToGo: 0, done: 0 },
    });
    for (let n = 0; n < 5; n += 1) {
      catchUp.passed(at(n * 1000), at((n + 1) * 1000), 1000);
      if (n < 4) nowMs += 500;
    }
    expect(catchUp.behind(at(5000), at(10_000))).to.deep.equal({
      ...{ events: 5000, eventsPerSecond: 2000, secondsToGo: 3, done: 0.5 },
    });
    nowMs += 60_000;
    expect(catchUp.behind(at(5000), at(10_000)).eventsPerSecond, 'it stands still').to.equal(0);
  });

  it('estimates them from the bytes that those before took', () => {
    const catchUp = createCatchUp({ at: Number, perEvent: 2000 }, () => 0);
    expect(catchUp.behind(at(0), at(400_000)).events).to.equal(200);
    catchUp.passed(at(0), at(100_000), 100);
    expect(catchUp.behind(at(100_000), at(400_000)).events).to.equal(300);
  });
});
