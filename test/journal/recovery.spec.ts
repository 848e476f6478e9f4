import { expect } from 'chai';
import { refuse } from '#src/kernel/errors.ts';
import type { JournalName } from '#src/kernel/journal-name.ts';
import type { NewEvent } from '#src/ports/event-store.ts';
import { seal } from '#src/journal/chain.ts';
import { anId, metadataOf, outcomeOf, quiet, workbench, type Workbench } from './workbench.ts';

const put = (coins: number) => ({ type: 'Put', coins }) as const;
const take = (coins: number) => ({ type: 'Take', coins }) as const;

/** What another process would append next. */
function foreign(bench: Workbench, n: number, type: string, coins: number): NewEvent {
  const last = bench.events().at(-1);
  if (last === undefined) throw new Error('Nothing to follow');
  const { hash: prevHash, ...before } = metadataOf(last);
  const data = JSON.stringify({ coins });
  const sealed = seal(type, data, { ...before, requestId: `foreign-${n}`, prevHash });
  return { id: anId(n), type, data, metadata: sealed.metadata };
}

const coinsOf = (bench: Workbench): string[] =>
  bench
    .events()
    .map(({ type, data }) => `${type} ${(JSON.parse(data) as { coins: number }).coins}`);

describe('the journal writer: when appends go wrong', () => {
  it('decides anew upon what another process wrote', async () => {
    const bench = workbench({ exclusive: false });
    await bench.ask(put(5));
    bench.interfere(foreign(bench, 1, 'CoinsTaken', 4));
    const outcomes = await Promise.all([bench.ask(take(3)), bench.ask(put(9))].map(outcomeOf));
    expect(outcomes).to.deep.equal(['INSUFFICIENT_FUNDS', 'done']);
    expect(coinsOf(bench)).to.deep.equal(['CoinsPut 5', 'CoinsTaken 4', 'CoinsPut 9']);
  });

  it('looks at the end of the stream before it refuses, where others write too', async () => {
    const bench = workbench({ exclusive: false });
    await bench.ask(put(1));
    bench.interfere(foreign(bench, 1, 'CoinsPut', 10));
    expect(await outcomeOf(bench.ask(take(11)))).to.equal('done');
  });

  it('lets no refusal ride on an append that left before it, where others write too', async () => {
    const bench = workbench({ exclusive: false });
    await bench.ask(put(1));
    bench.hold();
    const first = bench.ask(put(1));
    await quiet();
    const refused = bench.ask(take(5)); // Decided while the first is in flight...
    bench.letGo();
    await first;
    bench.interfere(foreign(bench, 1, 'CoinsPut', 10)); // ...and overtaken before it leaves.
    expect(await outcomeOf(refused)).to.equal('done');
  });

  it('finds by event id what an unanswered append wrote', async () => {
    const bench = workbench();
    await bench.ask(put(1));
    bench.fates.push('unanswered');
    const [one, two] = await Promise.all([bench.ask(put(2)), bench.ask({ ...put(3), times: 2 })]);
    expect([one.events.length, two.events.length, two.revision]).to.deep.equal([1, 2, 3]);
    expect([one.replayed, two.replayed]).to.deep.equal([false, false]);
    expect(coinsOf(bench)).to.deep.equal(['CoinsPut 1', 'CoinsPut 2', 'CoinsPut 3', 'CoinsPut 3']);
    expect(bench.told.acknowledged, 'readers must see it').to.deep.equal([0, 3]);
  });

  it('writes again what a lost append did not, with new ids', async () => {
    const bench = workbench();
    bench.fates.push('lost');
    await bench.ask(put(1));
    const [first, second] = bench.appends.map(({ events }) => events[0]?.id);
    expect(first).to.not.equal(second);
    expect(coinsOf(bench)).to.deep.equal(['CoinsPut 1']);
  });

  it('applies once what lands late, after it was given up', async () => {
    const bench = workbench();
    await bench.ask(put(1));
    bench.fates.push('lost');
    bench.hold();
    const answer = bench.ask(put(2));
    await quiet();
    bench.appends.at(-1)?.release();
    await quiet();
    const [late, again] = bench.appends.slice(-2); // Given up; decided anew and held.
    expect(again?.events[0]?.id).to.not.equal(late?.events[0]?.id);
    bench.interfere(...(late?.events ?? []));
    bench.letGo();
    const { events, revision } = await answer;
    expect([events.length, revision]).to.deep.equal([1, 1]);
    expect(coinsOf(bench)).to.deep.equal(['CoinsPut 1', 'CoinsPut 2']);
  });

  it('finds what lands late even while its command is being prepared once more', async () => {
    const bench = workbench({ exclusive: false });
    const other = 'purse-2' as JournalName;
    await bench.ask(put(1));
    await bench.ask(put(1), {}, 'default', other);
    bench.fates.push('lost');
    bench.hold();
    const answer = bench.ask({ ...put(2), after: other });
    await quiet();
    const late = bench.appends.at(-1);
    const { store } = bench.ports;
    const read = store.read.bind(store);
    let letGo = (): void => undefined;
    const gate = new Promise<void>((resolve) => (letGo = resolve));
    store.read = async (stream, from, limit) => {
      if (stream === other) await gate; // The fact it needs takes its time now.
      return read(stream, from, limit);
    };
    late?.release();
    await quiet();
    const next = bench.ask(put(3));
    await quiet();
    bench.interfere(...(late?.events ?? []));
    bench.letGo();
    await next;
    letGo();
    expect((await answer).events).to.have.length(1);
    expect(coinsOf(bench)).to.deep.equal(['CoinsPut 1', 'CoinsPut 2', 'CoinsPut 3']);
  });

  it('does not refuse what an append of unknown fate may still write', async () => {
    const bench = workbench();
    await bench.ask(put(5), { key: 'old', ttlSeconds: 10 });
    bench.clock.at = (bench.clock.at + 11_000_000) as typeof bench.clock.at;
    bench.fates.push('lost'); // The fate of an append that may land yet.
    const answer = bench.ask(put(5), { key: 'old', hash: 'other' });
    bench.clock.at = (bench.clock.at - 9_000_000) as typeof bench.clock.at; // Now the key lives again.
    expect(await outcomeOf(answer)).to.equal('Unavailable');
  });

  for (const fails of ['append', 'load'] as const) {
    it(`does not refuse a repeat of what may still be written, after the last ${fails} failed`, async () => {
      let away = false;
      const bench = workbench({ exclusive: false, faults: { readFails: () => away } });
      await bench.ask(put(5));
      bench.fates.push(...Array.from({ length: 8 }, () => 'lost' as const));
      bench.hold();
      const first = bench.ask(take(5), { key: 'k' });
      await quiet();
      const late = bench.appends.at(-1);
      away = fails === 'load';
      bench.letGo();
      await quiet(400);
      expect(await outcomeOf(first)).to.equal('Unavailable');
      away = false;
      bench.fates.length = 0;
      bench.journals.unloadIdle(60_000);
      const other = { key: 'k', hash: 'other' };
      expect(await outcomeOf(bench.ask(take(6), other))).to.equal('Unavailable');
      bench.interfere(...(late?.events ?? []));
      expect(await outcomeOf(bench.ask(take(6), other))).to.equal('IDEMPOTENCY_KEY_IN_USE');
      expect(coinsOf(bench)).to.deep.equal(['CoinsPut 5', 'CoinsTaken 5']);
    });
  }

  it('does not call off what may still be written when a repeat of its decision is impossible', async () => {
    const bench = workbench({ exclusive: false });
    await bench.ask(put(1));
    bench.fates.push('lost');
    bench.hold();
    const answer = bench.ask(put(2));
    await quiet();
    Object.assign(bench.clock, { refusal: () => refuse('UNAVAILABLE', 'The clock has jumped.') });
    bench.letGo();
    expect(await outcomeOf(answer), 'no refusal').to.equal('Ambiguous');
    bench.interfere(...(bench.appends.at(-1)?.events ?? []));
    expect(coinsOf(bench)).to.deep.equal(['CoinsPut 1', 'CoinsPut 2']);
    expect(await outcomeOf(bench.ask(put(3)))).to.equal('UNAVAILABLE');
  });

  it('replays no reservation that an append of unknown fate may release and make anew', async () => {
    const bench = workbench({ exclusive: false });
    await bench.ask(put(1), { key: 'k', mayBeReleased: true });
    bench.hold();
    const first = bench.ask(put(2));
    await quiet();
    void bench.ask(put(3), { key: 'k', releases: 0 });
    bench.state.nowMs += 1000;
    const answer = bench.ask(put(4), { key: 'k', mayBeReleased: true });
    bench.fates.push('ok', 'lost');
    bench.appends.at(-1)?.release();
    await first;
    await quiet();
    const late = bench.appends.at(-1); // It releases the key and reserves it again.
    bench.journals.giveUpWaiting(500); // Only the second of its commands is decided again.
    bench.letGo();
    expect(await outcomeOf(answer)).to.equal('Unavailable');
    bench.interfere(...(late?.events ?? []));
    expect(coinsOf(bench)).to.deep.equal([1, 2, 3, 4].map((coins) => `CoinsPut ${coins}`));
  });

  it('answers 503 after bounded, growing pauses when appends fail for good, and then recovers', async () => {
    const bench = workbench();
    await bench.ask(put(1));
    bench.fates.push(...Array.from({ length: 8 }, () => 'refused' as const));
    const answer = bench.ask(put(2));
    await quiet(200);
    expect(await outcomeOf(answer)).to.equal('Unavailable');
    expect(bench.appends).to.have.length(9);
    expect(bench.state.slept.length).to.be.within(6, 8);
    expect(bench.state.slept.at(-1)).to.be.above(bench.state.slept[0] ?? 0);
    expect(await outcomeOf(bench.ask(put(3)))).to.equal('done');
    expect(coinsOf(bench)).to.deep.equal(['CoinsPut 1', 'CoinsPut 3']);
  });

  it('gives up on each command after a while, also when refusals of others succeed meanwhile', async () => {
    let away = false;
    const bench = workbench({ faults: { append: () => (away ? 'refused' : 'ok') } });
    const other = 'purse-2' as JournalName;
    await bench.ask(put(1), {}, 'default', other);
    await bench.ask(put(1));
    away = true;
    const answer = bench.ask({ ...put(1), after: other }, { key: 'k' }); // Looks up, so comes last.
    for (let n = 0; n < 300; n += 1) {
      bench.ask(take(100)).catch(() => undefined);
      await quiet(2);
    }
    expect(await outcomeOf(answer)).to.equal('Unavailable');
    expect(bench.appends.filter(({ expected }) => expected === 0)).to.have.length(8);
  });

  it('answers 503 while the log cannot be read, and recovers without a restart', async () => {
    let away = true;
    const bench = workbench({ faults: { readFails: () => away } });
    const answers = [bench.ask(put(1)), bench.ask(put(2))];
    await quiet(200);
    expect(await Promise.all(answers.map(outcomeOf))).to.deep.equal(['Unavailable', 'Unavailable']);
    expect(bench.state.slept).to.have.length(7);
    away = false;
    expect(await outcomeOf(bench.ask(put(3)))).to.equal('done');
  });

  it('rides out a spurious conflict and a short absence unnoticed', async () => {
    const bench = workbench();
    bench.fates.push('conflict', 'refused', 'ok');
    const answer = bench.ask(put(1));
    await quiet();
    expect(await outcomeOf(answer)).to.equal('done');
    expect(coinsOf(bench)).to.deep.equal(['CoinsPut 1']);
  });
});
