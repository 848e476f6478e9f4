import { expect } from 'chai';
import { APPEND_BYTES_MAX } from '#src/kernel/append-limit.ts';
import { EVENTS_MAX } from '#src/journal/batch.ts';
import { purseDecider } from './purse.ts';
import { outcomeOf, quiet, workbench } from './workbench.ts';

const put = (coins: number) => ({ type: 'Put', coins }) as const;
const take = (coins: number) => ({ type: 'Take', coins }) as const;

describe('the journal writer: deciding and appending', () => {
  it('puts all that waits into one append, and keeps one append in flight', async () => {
    const bench = workbench();
    await bench.ask(put(1));
    bench.hold();
    const early = bench.ask(put(2));
    await quiet();
    const later = [bench.ask(put(3)), bench.ask(put(4)), bench.ask(put(5))];
    await quiet();
    expect(bench.appends).to.have.length(2);
    bench.letGo();
    await Promise.all([early, ...later]);
    expect(bench.appends.map(({ events }) => events.length)).to.deep.equal([1, 1, 3]);
    expect(bench.appends.map(({ expected }) => expected)).to.deep.equal([-1, 0, 1]);
  });

  it('decides each command against those before it, written or not', async () => {
    const bench = workbench();
    const answers = [bench.ask(put(5)), bench.ask(take(3)), bench.ask(take(3)), bench.ask(take(2))];
    const outcomes = await Promise.all(answers.map(outcomeOf));
    expect(outcomes).to.deep.equal(['done', 'done', 'INSUFFICIENT_FUNDS', 'done']);
    expect(bench.appends).to.have.length(1);
  });

  it('answers nothing before what it was decided upon is durable: successes, refusals, repeats', async () => {
    const bench = workbench();
    await bench.ask(put(1));
    bench.hold();
    const answers = [
      bench.ask(put(2), { key: 'k' }),
      bench.ask(take(100)),
      bench.ask(put(2), { key: 'k' }),
      bench.ask(put(9), { key: 'k', hash: 'other' }),
      bench.ask({ type: 'Look' }),
    ];
    await quiet();
    const waiting = await Promise.all(answers.map(outcomeOf));
    expect(new Set(waiting)).to.deep.equal(new Set(['waiting']));
    bench.letGo();
    const outcomes = await Promise.all(answers.map(outcomeOf));
    expect(outcomes).to.deep.equal([
      'done',
      'INSUFFICIENT_FUNDS',
      'done',
      'IDEMPOTENCY_KEY_IN_USE',
      'done',
    ]);
    expect(bench.events()).to.have.length(2);
  });

  it('answers a refusal at once when nothing is in flight, without an append', async () => {
    const bench = workbench();
    expect(await outcomeOf(bench.ask(take(1)))).to.equal('INSUFFICIENT_FUNDS');
    expect(bench.appends).to.have.length(0);
  });

  it('closes a batch at 512 events, never inside a command', async () => {
    const bench = workbench();
    await bench.ask(put(1));
    const five = { ...put(1), times: 5 };
    const many = Array.from({ length: 150 }, () => bench.ask(five));
    await Promise.all(many);
    const sizes = bench.appends.slice(1).map(({ events }) => events.length);
    expect(Math.max(...sizes)).to.be.at.most(EVENTS_MAX);
    expect(sizes.every((size) => size % 5 === 0)).to.equal(true);
    expect(sizes[0]).to.be.above(EVENTS_MAX - 5);
  });

  it('decides a command once if it knows how many events it causes', async () => {
    let decisions = 0;
    const counting: typeof purseDecider = {
      ...purseDecider,
      eventsOf: (command) => (command.type === 'Put' ? (command.times ?? 1) : 1),
      decide(...asked) {
        decisions += 1;
        return purseDecider.decide(...asked);
      },
    };
    const bench = workbench({ deciders: [counting] });
    await bench.ask(put(1));
    await Promise.all(Array.from({ length: 30 }, () => bench.ask({ ...put(1), times: 100 })));
    const sizes = bench.appends.slice(1).map(({ events }) => events.length);
    expect(sizes).to.deep.equal([500, 500, 500, 500, 500, 500]);
    expect(decisions).to.equal(31);
  });

  it('closes a batch at 900 KB', async () => {
    const bench = workbench();
    await bench.ask(put(1));
    const note = 'n'.repeat(100 * 1024);
    await Promise.all(Array.from({ length: 20 }, () => bench.ask({ ...put(1), note })));
    const bytes = bench.appends.slice(1).map(({ events }) => {
      return events.reduce((sum, { data }) => sum + Buffer.byteLength(data), 0);
    });
    expect(bytes).to.have.length(3);
    expect(Math.max(...bytes)).to.be.at.most(APPEND_BYTES_MAX);
  });

  it('takes one command of more than 512 events whole, and refuses one of more than 900 KB', async () => {
    const bench = workbench();
    await bench.ask({ ...put(1), times: 700 });
    expect(bench.appends.map(({ events }) => events.length)).to.deep.equal([700]);
    const huge = bench.ask({ ...put(1), note: 'n'.repeat(APPEND_BYTES_MAX) });
    expect(await outcomeOf(huge)).to.equal('TOO_LARGE');
    expect(await outcomeOf(bench.ask(take(700)))).to.equal('done');
  });

  it('takes in no more than it can hold', async () => {
    const bench = workbench({ limits: { waiting: 10, recentKeys: 10 } });
    await bench.ask(put(1));
    bench.hold();
    const note = 'n'.repeat(500 * 1024); // Two do not fit into one batch: the others stay in the queue.
    for (let n = 0; n < 12; n += 1) {
      void bench.ask({ ...put(1), note });
      await quiet(2);
    }
    expect(await outcomeOf(bench.ask(put(1)))).to.equal('TOO_MANY_REQUESTS');
    bench.letGo();
    await quiet();
    expect(await outcomeOf(bench.ask(put(1)))).to.equal('done');
  });

  it('loses one command to a defect in a decision, and none to a defect in folding', async () => {
    const bench = workbench();
    await bench.ask(put(1));
    const answers = [
      bench.ask(put(1)),
      bench.ask({ type: 'Break', when: 'deciding' }),
      bench.ask(put(2)),
      bench.ask({ type: 'Break', when: 'folding' }),
      bench.ask(put(3)),
      bench.ask(take(7)),
    ];
    await quiet();
    const outcomes = await Promise.all(answers.map(outcomeOf));
    expect(outcomes).to.deep.equal(['done', 'Error', 'done', 'Error', 'done', 'done']);
    expect(bench.events().map(({ type }) => type)).to.not.include('Broken');
  });

  it('stamps later moments even when the clock steps back', async () => {
    const bench = workbench();
    await bench.ask({ ...put(1), times: 3 });
    bench.clock.at = (bench.clock.at - 5_000_000) as typeof bench.clock.at;
    await bench.ask(put(1));
    await bench.ask(put(1));
    const times = bench.events().map(({ metadata }) => {
      return (JSON.parse(metadata) as { recordedAt: string }).recordedAt;
    });
    expect(times).to.deep.equal([...new Set(times)].sort());
    expect(times.at(-1)).to.equal('2026-01-01T00:00:00.000004Z');
  });
});
