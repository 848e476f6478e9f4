import { expect } from 'chai';
import { MemoryEventStore } from '#test/doubles/memory/event-store.ts';
import { systemScheduler } from '#src/adapters/system.ts';
import { NONE } from '#src/kernel/ids.ts';
import { START, type EventStore, type Position } from '#src/ports/event-store.ts';
import { createTail, type LogTail } from '#src/runtime/tail.ts';
import { happened, whatOf } from '#test/contracts/samples.ts';
import { until } from '#test/support/server.ts';

describe('the tail of the log', () => {
  let store: EventStore;
  let tail: LogTail;
  let news: number;
  let reads: Position[];
  let written: number;

  const write = async (...whats: readonly unknown[]): Promise<void> => {
    written = (await store.append('stream', whats.map(happened), written)).revision;
  };
  const told = async (after: Position, limit = 100) =>
    (await tail.readAll(after, limit)).map(whatOf);
  const positionOf = async (revision: number) =>
    (await store.read('stream', revision, 1))[0]?.position ?? START;
  const open = (eventsMax?: number): void => {
    tail = createTail({
      log: {
        readAll: (after, limit) => {
          reads.push(after);
          return store.readAll(after, limit);
        },
        subscribe: (after, take) => store.subscribe(after, take),
      },
      scheduler: systemScheduler,
      onNews: () => (news += 1),
      ...(eventsMax !== undefined && { eventsMax }),
    });
  };

  beforeEach(() => {
    store = new MemoryEventStore({ scheduler: systemScheduler });
    [news, reads, written] = [0, [], NONE];
    open();
  });
  afterEach(async () => {
    await tail.close();
    await store.close();
  });

  it('reads the log until its end, and from then on tells of news and reads them from memory', async () => {
    await write('a', 'b');
    expect(await told(START)).to.deep.equal(['a', 'b']);
    await write('c');
    await until(() => news === 1, 30_000, 'news');
    expect(await told(await positionOf(1))).to.deep.equal(['c']);
    expect(await told(await positionOf(2))).to.deep.equal([]);
    expect(reads, 'the log was read once').to.deep.equal([START]);
  });

  it('has one subscription for all who follow, wherever they stand', async () => {
    await write('a');
    await told(START);
    await write('b', 'c', 'd');
    await until(() => news > 0, 30_000, 'news');
    expect(await told(await positionOf(0))).to.deep.equal(['b', 'c', 'd']);
    expect(await told(await positionOf(1), 1)).to.deep.equal(['c']);
    expect(await told(await positionOf(2))).to.deep.equal(['d']);
    expect(reads).to.have.length(1);
  });

  it('reads the log for whoever is further behind than memory reaches, and misses nothing', async () => {
    open(4);
    await told(START);
    for (let n = 0; n < 20; n += 1) await write(n);
    const last = await positionOf(18);
    await until(async () => (await told(last)).length === 1, 30_000, 'the last one');
    const seen: unknown[] = [];
    let at = START;
    for (;;) {
      const events = await tail.readAll(at, 3);
      if (events.length === 0) break;
      seen.push(...events.map(whatOf));
      at = events.at(-1)!.position;
    }
    expect(seen).to.deep.equal(Array.from({ length: 20 }, (_, n) => n));
    expect(reads.length).to.be.above(1);
  });
});
