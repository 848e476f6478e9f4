import { expect } from 'chai';
import { TurnTaking } from '#src/journal/contention.ts';
import { outcomeOf, PURSE, quiet, workbench } from './workbench.ts';

const put = (coins: number) => ({ type: 'Put', coins }) as const;

describe('journals that several processes write', () => {
  it('go on from what they had, instead of loading it all again, when another one was first', async () => {
    const one = workbench({ exclusive: false });
    for (let n = 0; n < 20; n += 1) await one.ask(put(1));
    const two = workbench({ exclusive: false, over: one });
    await two.ask(put(1)); // Revision 20: the first one does not know.

    const reads: number[] = [];
    const { store } = one.ports;
    const read = store.read.bind(store);
    store.read = (stream, from, limit) => {
      reads.push(from);
      return read(stream, from, limit);
    };
    const { events, revision } = await one.ask(put(2), { key: 'k' });
    expect([events.length, revision]).to.deep.equal([1, 21]);
    expect(reads, 'only what is new is read').to.deep.equal([20]);
    expect((await one.ask(put(2), { key: 'k' })).replayed).to.equal(true);
  });

  it('forget the keys of what was overtaken, and find those of the other', async () => {
    const one = workbench({ exclusive: false });
    await one.ask(put(1));
    const two = workbench({ exclusive: false, over: one });
    await two.ask(put(1));
    one.hold();
    const mine = one.ask(put(2), { key: 'k', hash: 'mine' });
    await quiet();
    await two.ask(put(3), { key: 'k', hash: 'theirs' });
    one.letGo();
    expect(await outcomeOf(mine)).to.equal('IDEMPOTENCY_KEY_IN_USE');
  });

  it('tell others what was good a moment ago without a look, and look where it was not', async () => {
    const one = workbench({ exclusive: false });
    const { store } = one.ports;
    const read = store.read.bind(store);
    let reads = 0;
    store.read = (stream, from, limit) => {
      reads += 1;
      return read(stream, from, limit);
    };
    const fact = () => one.journals.fact(PURSE, 'default');
    expect(await fact()).to.equal(undefined);
    const two = workbench({ exclusive: false, over: one });
    await two.ask(put(1));
    expect(await fact(), 'opened by another process').to.deep.equal({ live: true, revision: 0 });
    reads = 0;
    expect(await fact()).to.deep.equal({ live: true, revision: 0 });
    expect(reads).to.equal(0);
    one.state.nowMs += 1000;
    await fact();
    expect(reads).to.equal(1);
  });

  it('say that they wait when they keep losing', async () => {
    const bench = workbench({ exclusive: false });
    await bench.ask(put(1));
    bench.fates.push('conflict', 'conflict', 'conflict');
    await bench.ask(put(2));
    expect(bench.told.contended).to.deep.equal([PURSE, PURSE]);
  });

  it('stand aside after a turn when they are told that another one waits', async () => {
    const bench = workbench({ exclusive: false });
    await bench.ask(put(1));
    expect(bench.state.slept).to.deep.equal([]);
    bench.journals.share(PURSE);
    await bench.ask(put(2));
    await bench.ask(put(3)); // Waits until the gap is over.
    expect(bench.state.slept.length).to.be.above(0);
    expect(bench.events()).to.have.length(3);
  });
});

describe('taking turns', () => {
  it('lasts a while after others were met', () => {
    let nowMs = 0;
    const sharing = new TurnTaking(() => nowMs);
    expect(sharing.isOn).to.equal(false);
    sharing.contended();
    expect(sharing.isOn).to.equal(true);
    nowMs = 5000;
    expect(sharing.isOn).to.equal(false);
  });

  it('leaves a gap that follows the length of turns, within bounds', () => {
    const sharing = new TurnTaking(() => 0);
    for (let n = 0; n < 100; n += 1) sharing.took(20);
    expect(sharing.asideMs(0)).to.be.closeTo(20, 1);
    expect(sharing.asideMs(1)).to.be.closeTo(40, 2);
    for (let n = 0; n < 100; n += 1) sharing.took(10_000);
    expect(sharing.asideMs(1)).to.equal(100);
  });
});
