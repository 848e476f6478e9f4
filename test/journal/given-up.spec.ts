import { expect } from 'chai';
import { Ambiguous } from '#src/ports/errors.ts';
import { quiet, workbench } from './workbench.ts';

const put = (coins: number) => ({ type: 'Put', coins }) as const;

/** What a promise was rejected with; undefined when it was not. */
const fault = (asked: Promise<unknown>): Promise<unknown> =>
  asked.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('commands that wait for too long', () => {
  it('are rejected: those on their way into the log as in doubt, those behind them for good', async () => {
    const bench = workbench();
    await bench.ask(put(1));
    bench.hold();
    const leaving = bench.ask(put(2), { key: 'leaving' });
    await quiet();
    bench.state.nowMs += 4000;
    const young = bench.ask(put(4));
    await quiet();
    bench.state.nowMs += 4000;
    bench.journals.giveUpWaiting(7000);
    expect(await fault(leaving)).to.be.instanceOf(Ambiguous);

    bench.letGo();
    expect((await young).revision).to.equal(2);
    expect((await bench.ask(put(2), { key: 'leaving' })).replayed).to.equal(true);
  });
});
