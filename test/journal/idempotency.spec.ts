import { expect } from 'chai';
import type { JournalName } from '#src/kernel/journal-name.ts';
import { outcomeOf, quiet, workbench } from './workbench.ts';

const OTHER = 'purse-2' as JournalName;
const put = (coins: number) => ({ type: 'Put', coins }) as const;

describe('the journal writer: idempotency keys', () => {
  it('gives a repeat the events of the first time', async () => {
    const bench = workbench();
    const first = await bench.ask(put(1), { key: 'k' });
    await bench.ask(put(2));
    const again = await bench.ask(put(1), { key: 'k' });
    expect(again.events).to.deep.equal(first.events);
    expect([first.replayed, again.replayed]).to.deep.equal([false, true]);
    expect(bench.events()).to.have.length(2);
  });

  it('names a revision that holds all of it, also when the command caused several events', async () => {
    const bench = workbench();
    const first = await bench.ask({ ...put(1), times: 3 }, { key: 'k' });
    const again = await bench.ask({ ...put(1), times: 3 }, { key: 'k' });
    expect(again.revision).to.be.at.least(first.revision);
    expect(again.events).to.deep.equal(first.events);
  });

  it('refuses another request with the same key, and writes nothing', async () => {
    const bench = workbench();
    await bench.ask(put(1), { key: 'k' });
    const other = bench.ask(put(2), { key: 'k', hash: 'other' });
    expect(await outcomeOf(other)).to.equal('IDEMPOTENCY_KEY_IN_USE');
    expect(bench.events()).to.have.length(1);
  });

  it('lets duplicates in flight wait for the first, and gives them its events', async () => {
    const bench = workbench();
    await bench.ask(put(9));
    bench.hold();
    const answers = Array.from({ length: 5 }, () => bench.ask(put(1), { key: 'k' }));
    await quiet();
    expect(await outcomeOf(Promise.any(answers))).to.equal('waiting');
    bench.letGo();
    const outcomes = await Promise.all(answers);
    expect(new Set(outcomes.map(({ events }) => JSON.stringify(events))).size).to.equal(1);
    expect(bench.events()).to.have.length(2);
  });

  it('does not keep the key of a refused request', async () => {
    const bench = workbench();
    const take = { type: 'Take', coins: 1 } as const;
    expect(await outcomeOf(bench.ask(take, { key: 'k' }))).to.equal('INSUFFICIENT_FUNDS');
    await bench.ask(put(1));
    expect(await outcomeOf(bench.ask(take, { key: 'k' }))).to.equal('done');
  });

  it('forgets a key with a life when its time is over, by the time of events', async () => {
    const bench = workbench();
    await bench.ask(put(1), { key: 'k', ttlSeconds: 10 });
    bench.clock.at = (bench.clock.at + 9_999_000) as typeof bench.clock.at;
    expect((await bench.ask(put(1), { key: 'k' })).replayed).to.equal(true);
    bench.clock.at = (bench.clock.at + 1_000) as typeof bench.clock.at;
    expect((await bench.ask(put(1), { key: 'k' })).replayed).to.equal(false);
    expect((await bench.ask(put(1), { key: 'k' })).replayed, 'now it lives for ever').to.equal(
      true,
    );
    expect(bench.events()).to.have.length(2);
  });

  for (const where of ['in memory', 'in the index']) {
    it(`frees a key by an append that gives up what it stood for, the key being ${where}`, async () => {
      const bench = workbench();
      const { revision } = await bench.ask(put(1), { key: 'k' });
      if (where === 'in the index') await bench.catchUp();
      const given = await bench.ask({ type: 'Take', coins: 1 }, { key: 'k', releases: revision });
      expect(given.events).to.have.lengthOf(1);
      if (where === 'in the index') await bench.catchUp();
      const again = await bench.ask(put(2), { key: 'k', hash: 'other' });
      expect(again.replayed).to.equal(false);

      // Whoever gives up the first one once more, late, does not free what was taken since.
      await bench.ask(put(5), { key: 'k', releases: revision });
      expect((await bench.ask(put(2), { key: 'k', hash: 'other' })).replayed).to.equal(true);
    });
  }

  it('uses a key whose life is over once, however many ask at that moment', async () => {
    const bench = workbench();
    await bench.ask(put(1), { key: 'k', ttlSeconds: 1 });
    await bench.catchUp();
    bench.clock.at = (bench.clock.at + 2_000_000) as typeof bench.clock.at;
    const early = bench.ask(put(1), { key: 'k' });
    const { index } = bench.ports;
    const find = index.find.bind(index);
    let letGo = (): void => undefined;
    const gate = new Promise<void>((resolve) => (letGo = resolve));
    index.find = async (...asked) => {
      const found = await find(...asked); // The old use; a new one enters the index before we return.
      await gate;
      return found;
    };
    const late = bench.ask(put(1), { key: 'k' });
    await early;
    index.find = find;
    await bench.catchUp();
    letGo();
    expect((await late).replayed).to.equal(true);
    expect(bench.events()).to.have.length(2);
  });

  for (const story of [
    { is: 'the index holds the key', index: true, restart: false },
    { is: 'the journal was loaded anew and the index holds the key', index: true, restart: true },
    { is: 'the journal was loaded anew and the index is behind', index: false, restart: true },
  ]) {
    it(`finds a key when ${story.is}`, async () => {
      const bench = workbench();
      const first = await bench.ask(put(1), { key: 'k' });
      await bench.ask(put(2));
      if (story.index) await bench.catchUp();
      const then = story.restart ? workbench({ over: bench }) : bench;
      const again = await then.ask(put(1), { key: 'k' });
      expect([again.replayed, again.events]).to.deep.equal([true, first.events]);
      const other = then.ask(put(1), { key: 'k', hash: 'other' });
      expect(await outcomeOf(other)).to.equal('IDEMPOTENCY_KEY_IN_USE');
    });
  }

  it('finds a key of another process that the index knows and this journal does not yet', async () => {
    const one = workbench({ exclusive: false });
    await one.ask(put(1));
    const other = workbench({ exclusive: false, over: one });
    const first = await other.ask(put(2), { key: 'k' });
    await other.catchUp();
    const again = await one.ask(put(2), { key: 'k' });
    expect([again.replayed, again.events]).to.deep.equal([true, first.events]);
  });

  it('finds a key that moved into the index while it was looked for', async () => {
    const bench = workbench();
    await bench.ask(put(1), { key: 'k' });
    const { index } = bench.ports;
    const find = index.find.bind(index);
    index.find = async (...asked) => {
      const found = await find(...asked); // Too early to be found...
      index.find = find;
      await bench.catchUp(); // ...and gone from memory when we return.
      return found;
    };
    const waiting = workbench({ over: { ...bench, indexData: bench.indexData } });
    expect((await bench.ask(put(1), { key: 'k' })).replayed).to.equal(true);
    expect((await waiting.ask(put(1), { key: 'k' })).replayed).to.equal(true);
  });

  it('asks callers to come again while the index cannot be asked', async () => {
    let away = false;
    const bench = workbench({ faults: { indexFails: () => away } });
    await bench.ask(put(1), { key: 'k' });
    await bench.catchUp();
    away = true;
    expect(await outcomeOf(bench.ask(put(1), { key: 'k' }))).to.equal('Unavailable');
    expect(await outcomeOf(bench.ask(put(1), { key: 'new' })), 'no need to ask').to.equal('done');
  });

  it('asks no index about a new key, also where a fact of another journal is looked up first', async () => {
    let away = false;
    const bench = workbench({ faults: { indexFails: () => away } });
    await bench.ask(put(1), {}, 'default', OTHER);
    await bench.ask(put(1), { key: 'k' });
    await bench.catchUp();
    const later = workbench({ over: bench, faults: { indexFails: () => away } });
    await later.ask(put(1)); // Loads this journal alone.
    away = true;
    const needy = { ...put(1), after: OTHER };
    expect(await outcomeOf(later.ask(needy, { key: 'new' }))).to.equal('done');
    expect(await outcomeOf(later.ask(needy, { key: 'k' })), 'a used key').to.equal('Unavailable');
  });

  it('takes nothing more when the index is too far behind, until it has caught up', async () => {
    const bench = workbench({ limits: { waiting: 100, recentKeys: 20 } });
    for (let n = 0; n < 20; n += 1) await bench.ask(put(1), { key: `key ${n}` });
    expect(await outcomeOf(bench.ask(put(1)))).to.equal('TOO_MANY_REQUESTS');
    await bench.catchUp();
    expect(await outcomeOf(bench.ask(put(1)))).to.equal('done');
  });

  it('goes on when the index caught up while the journal was loaded anew', async () => {
    const bench = workbench({ limits: { waiting: 100, recentKeys: 20 } });
    for (let n = 0; n < 19; n += 1) await bench.ask(put(1), { key: `key ${n}` });
    const { index } = bench.ports;
    const indexed = index.indexed.bind(index);
    index.indexed = async (journal) => {
      const revision = await indexed(journal);
      await bench.catchUp(); // Nobody is told of it a second time.
      return revision;
    };
    bench.fates.push('lost');
    await bench.ask(put(1), { key: 'last' });
    await bench.ask(put(1), { key: 'one more' });
    expect(await outcomeOf(bench.ask(put(1)))).to.equal('done');
  });
});
