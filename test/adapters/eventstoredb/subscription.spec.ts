import { expect } from 'chai';
import { openEventStoreDbHere } from '#src/adapters/eventstoredb/event-store-here.ts';
import { systemIds } from '#src/adapters/system.ts';
import { NONE } from '#src/kernel/ids.ts';
import type { EventStore, Position, LogSubscription } from '#src/ports/event-store.ts';
import { happened, newName, whatOf } from '#test/contracts/samples.ts';
import { eventStoreDoubleOfBlock } from '#test/doubles/eventstore/start.ts';
import { until } from '#test/support/server.ts';

describe('EventStoreDB adapter: a subscription', () => {
  const double = eventStoreDoubleOfBlock();
  let store: EventStore;
  let stream: string;
  let position: Position;
  let revision: number;
  let subscription: LogSubscription | undefined;

  beforeEach(async () => {
    stream = newName();
    store = await openEventStoreDbHere(double().url, { ids: systemIds(), answerWithinMs: 20_000 });
    ({ position, revision } = await store.append(stream, [happened('before')], NONE));
  });
  afterEach(async () => {
    await subscription?.close();
    await double().fault({ duplicates: false, slowMs: 0 });
    await store.close();
  });

  const write = async (...whats: unknown[]): Promise<void> => {
    const { revision: at } = await store.append(stream, whats.map(happened), revision);
    revision = at;
  };
  const writeWhenBack = async (what: unknown): Promise<void> => {
    const event = happened(what);
    const written = () =>
      store.append(stream, [event], revision).then(
        ({ revision: at }) => (revision = at) >= 0,
        () => false,
      );
    await until(written, 30_000, 'an append');
  };
  function follow(onTake: () => Promise<void> = async () => {}): unknown[] {
    const seen: unknown[] = [];
    subscription = store.subscribe(position, async (events) => {
      seen.push(...events.filter((event) => event.stream === stream).map(whatOf));
      await onTake();
    });
    return seen;
  }
  const numbers = (to: number) => Array.from({ length: to }, (_, n) => n);

  it('goes on after the server was killed, each event once and in order', async () => {
    const seen = follow();
    await write(0, 1, 2);
    await until(() => seen.length === 3, 30_000, 'three events');
    await double().kill();
    await double().restart();
    await writeWhenBack(3);
    await write(4, 5);
    await until(() => seen.length >= 6, 30_000, 'six events');
    expect(seen).to.deep.equal(numbers(6));
  });

  it('goes on in the middle of history, whichever call brings it', async () => {
    for (let n = 0; n < 2000; n += 200) await write(...numbers(200).map((m) => n + m));
    let blows = 0;
    const seen = follow(async () => {
      if (blows++ % 4 === 0) await double().fault({ blow: 'drop subscriptions' });
    });
    await until(() => seen.length >= 2000, 30_000, 'all of history');
    expect(seen).to.deep.equal(numbers(2000));
    expect(blows, 'pieces of it').to.be.above(2); // Some 500 at most, and an interruption after the first.
  });

  it('survives a broken connection', async () => {
    const seen = follow();
    await write(0);
    await until(() => seen.length === 1, 30_000, 'the first');
    await double().fault({ blow: 'drop connections' });
    await writeWhenBack(1);
    await until(() => seen.length >= 2, 30_000, 'the second');
    expect(seen).to.deep.equal([0, 1]);
  });

  it('takes an event once that comes twice', async () => {
    await double().fault({ duplicates: true });
    await write(...numbers(50));
    const seen = follow();
    await until(() => seen.length >= 50, 30_000, 'fifty');
    await write(50, 51);
    await until(() => seen.length >= 52, 30_000, 'the last ones');
    expect(seen).to.deep.equal(numbers(52));
  });

  it('waits for a slow taker without gathering all that comes', async () => {
    for (let n = 0; n < 6; n += 1) await write(...numbers(500).map((m) => n * 500 + m));
    let largest = 0;
    const seen: unknown[] = [];
    subscription = store.subscribe(position, async (events) => {
      largest = Math.max(largest, events.length);
      seen.push(...events.filter((event) => event.stream === stream).map(whatOf));
      await new Promise((resolve) => setTimeout(resolve, 60));
    });
    await until(() => seen.length >= 3000, 30_000, 'three thousand');
    expect(seen).to.deep.equal(numbers(3000));
    expect(largest).to.be.below(1100);
  });

  it('keeps up with a slow server', async () => {
    await double().fault({ slowMs: 3 });
    const seen = follow();
    await write(...numbers(30));
    await until(() => seen.length >= 30, 30_000, 'thirty');
    expect(seen).to.deep.equal(numbers(30));
  });

  it('ends at once when it is closed while nobody answers', async () => {
    await double().fault({ accepting: false });
    await double().fault({ blow: 'drop connections' });
    follow();
    await subscription?.close();
    await subscription?.ended;
    await double().fault({ accepting: true });
  });
});
