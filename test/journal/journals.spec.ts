import { expect } from 'chai';
import type { JournalName } from '#src/kernel/journal-name.ts';
import { outcomeOf, PURSE, quiet, workbench } from './workbench.ts';

const OTHER = 'purse-2' as JournalName;
const put = (coins: number) => ({ type: 'Put', coins }) as const;

describe('journals', () => {
  it('keep tenants apart: a journal of one does not exist for another', async () => {
    const bench = workbench();
    await bench.ask(put(5), { key: 'k' });
    const outcomes = await Promise.all(
      [
        bench.ask({ type: 'Take', coins: 1 }, {}, 'stranger'),
        bench.ask(put(5), { key: 'k' }, 'stranger'),
      ].map(outcomeOf),
    );
    // Taking is refused as by a purse that nobody began; beginning it is refused because it is taken.
    expect(outcomes).to.deep.equal(['INSUFFICIENT_FUNDS', 'NOT_FOUND']);
    expect(await bench.journals.fact(PURSE, 'stranger')).to.equal(undefined);
    expect(bench.events()).to.have.length(1);
  });

  it('tell each other facts, with the revision they rest on', async () => {
    const bench = workbench();
    expect(await outcomeOf(bench.ask({ ...put(1), after: OTHER }))).to.equal('NOT_FOUND');
    await bench.ask(put(1), {}, 'default', OTHER);
    await bench.ask(put(1), {}, 'default', OTHER);
    expect(await bench.journals.fact(OTHER, 'default')).to.deep.equal({ live: true, revision: 1 });
    expect(await outcomeOf(bench.ask({ ...put(1), after: OTHER }))).to.equal('done');
  });

  it('use the fact of a loaded journal at once, in the order of the commands', async () => {
    const bench = workbench();
    await bench.ask(put(1), {}, 'default', OTHER);
    await bench.ask(put(1));
    await Promise.all([bench.ask({ ...put(2), after: OTHER }), bench.ask(put(3))]);
    const coins = bench.events().map(({ data }) => (JSON.parse(data) as { coins: number }).coins);
    expect(coins).to.deep.equal([1, 2, 3]);
    expect(bench.appends).to.have.length(3);
  });

  it('tell no fact before it is durable', async () => {
    const bench = workbench();
    bench.hold();
    const cause = bench.ask(put(1), {}, 'default', OTHER);
    await quiet();
    const effect = bench.ask({ ...put(1), after: OTHER });
    expect(await outcomeOf(effect)).to.equal('waiting');
    expect(bench.appends.map(({ expected }) => expected)).to.deep.equal([-1]);
    bench.letGo();
    await Promise.all([cause, effect]);
    expect(bench.log.readAll('' as never, 9).map(({ stream }) => stream)).to.deep.equal([
      OTHER,
      PURSE,
    ]);
  });

  it('take back a fact whose append failed', async () => {
    const bench = workbench();
    bench.hold();
    bench.fates.push(...Array.from({ length: 8 }, () => 'refused' as const));
    const cause = bench.ask(put(1), {}, 'default', OTHER);
    await quiet();
    const effect = bench.ask({ ...put(1), after: OTHER });
    await quiet();
    bench.letGo();
    await quiet(200);
    expect(await Promise.all([cause, effect].map(outcomeOf))).to.include('Unavailable');
    expect(bench.events(PURSE)).to.have.length(0);
  });

  it('see a fact that another process wrote since they looked last', async () => {
    const one = workbench({ exclusive: false });
    expect(await one.journals.fact(OTHER, 'default')).to.equal(undefined);
    const other = workbench({ exclusive: false, over: one });
    await other.ask(put(1), {}, 'default', OTHER);
    expect(await one.journals.fact(OTHER, 'default')).to.deep.equal({ live: true, revision: 0 });
  });

  it('do not hold each other up', async () => {
    const bench = workbench();
    await Promise.all([bench.ask(put(1)), bench.ask(put(1), {}, 'default', OTHER)]);
    bench.hold();
    const held = bench.ask(put(2));
    await quiet();
    bench.state.holds = false;
    expect(await outcomeOf(bench.ask(put(2), {}, 'default', OTHER))).to.equal('done');
    expect(await outcomeOf(held)).to.equal('waiting');
    bench.letGo();
    await held;
  });

  it('leave memory when idle, not while anybody waits, and come back as they were', async () => {
    const bench = workbench();
    await bench.ask(put(5));
    let reads = 0;
    const { store } = bench.ports;
    const read = store.read.bind(store);
    store.read = (...asked) => ((reads += 1), read(...asked));

    bench.journals.unloadIdle(1_000);
    await bench.ask({ type: 'Take', coins: 1 });
    expect(reads, 'it was used just now').to.equal(0);

    bench.hold();
    const held = bench.ask({ type: 'Take', coins: 1 });
    await quiet();
    bench.state.nowMs += 2_000;
    bench.journals.unloadIdle(1_000);
    bench.letGo();
    await held;
    expect(reads, 'somebody waited').to.equal(0);

    bench.state.nowMs += 2_000;
    bench.journals.unloadIdle(1_000);
    expect(await outcomeOf(bench.ask({ type: 'Take', coins: 4 }))).to.equal('INSUFFICIENT_FUNDS');
    expect(await outcomeOf(bench.ask({ type: 'Take', coins: 3 }))).to.equal('done');
    expect(reads).to.be.above(0);
  });

  it('know no journal without rules', () => {
    const bench = workbench();
    expect(() => bench.ask(put(1), {}, 'default', 'wallet-1' as JournalName)).to.throw('No rules');
  });
});
