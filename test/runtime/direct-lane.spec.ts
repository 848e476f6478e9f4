import { expect } from 'chai';
import type { PublishFailed } from '#src/ports/publisher.ts';
import { createCircuitBreaker } from '#src/runtime/circuit-breaker.ts';
import { createDirectLane } from '#src/runtime/direct-lane.ts';
import { MemoryPublisher, type PublishFate } from '#test/doubles/memory/publisher.ts';
import { simulate } from '#test/doubles/memory/simulated.ts';
import { failed } from './relay-world.ts';

type Item = Readonly<{
  record: Readonly<{ key: string; headers: object & Record<string, string>; value: string }>;
}>;
const item = (n: number): Item => ({
  record: { key: 'k', headers: { 'ce-id': `id-${n}` }, value: `${n}` },
});

/** A lane with a broker whose calls go as told, one after the other, then well. */
function lane(
  fates: readonly PublishFate[],
  {
    hasOutbox = true,
    hasDeadLetters = true,
  }: { hasOutbox?: boolean; hasDeadLetters?: boolean } = {},
) {
  const { scheduler, run } = simulate(1);
  const left = [...fates];
  const publisher = new MemoryPublisher(scheduler, () => left.shift());
  const breaker = createCircuitBreaker({ failureRatio: 0.5, minRequests: 2, openMs: 1000 }, () =>
    scheduler.elapsedMs(),
  );
  const logged: string[] = [];
  const state = { isDrained: true };
  const made = createDirectLane<Item>({
    ...{ topic: 't', publisher, breaker },
    ...(hasOutbox && {
      outbox: {
        append: async (items) => {
          await scheduler.yield();
          logged.push(...items.map(({ record }) => record.value));
        },
        isDrained: () => state.isDrained,
      },
    }),
    ...(hasDeadLetters && { deadLetters: { platform: 'q', producerId: 'p', now: () => 'now' } }),
  });
  const emit = (...numbers: number[]) => run(Promise.all(numbers.map((n) => made.emit(item(n)))));
  const arrived = () => publisher.arrived.map(({ topic, value }) => `${topic} ${value}`);
  return { emit, arrived, logged, state, scheduler, run };
}

const away = (acknowledged = 0): PublishFate => ({
  fails: failed('broker_unavailable', acknowledged) satisfies PublishFailed,
  arrived: acknowledged,
});

describe('a direct lane', () => {
  it('sends what is emitted at once, in order', async () => {
    const { emit, arrived } = lane([]);
    expect(await emit(1, 2, 3)).to.deep.equal(['sent', 'sent', 'sent']);
    expect(arrived()).to.deep.equal(['t 1', 't 2', 't 3']);
  });

  it('logs the rest of a batch, in order, from the first record that was not acknowledged', async () => {
    const { emit, logged } = lane(['ok', away(1)]);
    expect(await emit(1, 2, 3, 4)).to.deep.equal(['sent', 'sent', 'logged', 'logged']);
    expect(logged).to.deep.equal(['3', '4']);
  });

  it('overtakes nothing that waits in the log', async () => {
    const { emit, logged, state, arrived } = lane([away()]);
    expect(await emit(1)).to.deep.equal(['logged']);
    state.isDrained = false;
    expect(await emit(2, 3)).to.deep.equal(['logged', 'logged']);
    state.isDrained = true;
    expect(await emit(4)).to.deep.equal(['sent']);
    expect([logged, arrived()]).to.deep.equal([['1', '2', '3'], ['t 4']]);
  });

  it('does not call a broker while the circuit is open, and tries it later', async () => {
    const { emit, run, scheduler, arrived } = lane([away(), away()]);
    expect(await emit(1)).to.deep.equal(['logged']);
    expect(await emit(2)).to.deep.equal(['logged']);
    expect(await emit(3)).to.deep.equal(['logged']); // The broker would take it now.
    await run(scheduler.sleep(1001));
    expect(await emit(4)).to.deep.equal(['sent']);
    expect(arrived()).to.deep.equal(['t 4']);
  });

  it('without a log loses only what the broker does not take, and says so', async () => {
    const { emit, arrived } = lane(['ok', away(1)], { hasOutbox: false });
    expect(await emit(1, 2, 3)).to.deep.equal(['sent', 'sent', 'dropped']);
    expect(arrived()).to.deep.equal(['t 1', 't 2']);
  });

  it('without a log buries a record that no broker takes, and goes on', async () => {
    const bad: PublishFate = { fails: failed('serialization_error', 1), arrived: 1 };
    const one = lane(['ok', bad], { hasOutbox: false });
    expect(await one.emit(1, 2, 3, 4)).to.deep.equal(['sent', 'sent', 'dead', 'sent']);
    expect(one.arrived()).to.deep.equal(['t 1', 't 2', 't.dlq 3', 't 4']);

    const other = lane(['ok', bad], { hasOutbox: false, hasDeadLetters: false });
    expect(await other.emit(1, 2, 3, 4)).to.deep.equal(['sent', 'sent', 'dropped', 'sent']);
  });
});
