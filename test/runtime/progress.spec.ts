import { expect } from 'chai';
import { simulate } from '#test/doubles/memory/simulated.ts';
import { Refusal } from '#src/kernel/errors.ts';
import type { Revision } from '#src/kernel/ids.ts';
import type { Position, StoredEvent } from '#src/ports/event-store.ts';
import { createProgress, type Progress } from '#src/runtime/progress.ts';
import type { CollectionReport } from '#src/runtime/projection-report.ts';

const at = (n: number): Position => String(n).padStart(4, '0') as Position;
const JOURNAL = 'ledger-1';

describe('progress', () => {
  let world: ReturnType<typeof simulate>;
  let stored: Map<string, Position>;
  /** The positions of the log that have an event of ours, and its end. */
  let written: Position[];
  let end: Position;
  let progress: Progress;

  /** Everything shown up to a place, but for what `collections` say. */
  const projected = (n: number, collections: Record<string, Partial<CollectionReport>> = {}) => {
    const all = { account: {}, balance: {}, ...collections };
    progress.projected({
      collections: new Map(
        Object.entries(all).map(([name, report]) => [
          name,
          { checkpoint: at(n), rebuilding: false, stopped: false, ...report },
        ]),
      ),
      indexed: new Map(),
      position: at(n),
      caughtUp: true,
    });
  };

  /** How a wait ends, and after how many ms. */
  const outcome = (token?: Record<string, Revision>, of = JOURNAL) =>
    ended(() => progress.reached('balance', of, token));
  const ended = (wait: () => Promise<void>) =>
    world.run(
      (async () => {
        const from = world.scheduler.elapsedMs();
        const took = () => Math.round(world.scheduler.elapsedMs() - from);
        try {
          await wait();
          return { shown: true, took: took() };
        } catch (error) {
          const { refusal, details } = error as Refusal;
          return { refusal, retry: details.retryAfterSeconds, took: took() };
        }
      })(),
    );

  beforeEach(() => {
    world = simulate(1);
    stored = new Map();
    written = [];
    end = at(0);
    const log = {
      read: async (stream: string, revision: Revision) => {
        const position = stored.get(`${stream} ${revision}`);
        return position === undefined ? [] : [{ position } as StoredEvent];
      },
      readAll: async (after: Position) =>
        written
          .filter((position) => position > after)
          .map((position) => ({ position }) as StoredEvent),
      end: async () => end,
    };
    progress = createProgress(log, world.scheduler);
    projected(0);
  });

  it('lets a reader through at once when nothing was written', async () => {
    expect(await outcome()).to.deep.equal({ shown: true, took: 0 });
  });

  it('lets nobody through before the log was read to its end once', async () => {
    const log = { read: async () => [], readAll: async () => [], end: async () => at(0) };
    progress = createProgress(log, world.scheduler);
    expect(await outcome()).to.include({ refusal: 'UNAVAILABLE' });
  });

  it('makes a reader wait for what this process acknowledged in the journal', async () => {
    progress.acknowledged(JOURNAL, 3, at(7));
    void world.scheduler.sleep(30).then(() => projected(6));
    void world.scheduler.sleep(60).then(() => projected(7));
    expect(await outcome()).to.deep.equal({ shown: true, took: 60 });
  });

  it('does not make it wait for other journals', async () => {
    progress.acknowledged('ledger-2', 3, at(7));
    expect(await outcome()).to.deep.equal({ shown: true, took: 0 });
  });

  it('makes a reader of many journals wait for the last of their category', async () => {
    progress.acknowledged('organization-1', 0, at(5));
    progress.acknowledged('organization-2', 0, at(6));
    progress.acknowledged(JOURNAL, 0, at(9));
    void world.scheduler.sleep(20).then(() => projected(6));
    expect(await outcome(undefined, 'organization')).to.deep.equal({ shown: true, took: 20 });
  });

  it('refuses after two seconds rather than show what is stale', async () => {
    progress.acknowledged(JOURNAL, 3, at(7));
    const { took, ...refused } = (await outcome()) as { took: number };
    expect(refused).to.deep.equal({ refusal: 'UNAVAILABLE', retry: 1 });
    expect(took).to.be.within(2000, 2100);
  });

  it('refuses at once when the projection has stopped, and who waited for it', async () => {
    projected(1, { balance: { stopped: true } });
    expect(await outcome()).to.include({ refusal: 'UNAVAILABLE', took: 0 });

    projected(1);
    progress.acknowledged(JOURNAL, 3, at(7));
    void world.scheduler.sleep(40).then(() => projected(1, { balance: { stopped: true } }));
    expect(await outcome()).to.include({ refusal: 'UNAVAILABLE', took: 40 });
  });

  it('waits for what a token names, written by whomever', async () => {
    stored.set('ledger-9 4', at(8));
    void world.scheduler.sleep(50).then(() => projected(8));
    expect(await outcome({ 'ledger-9': 4 })).to.deep.equal({ shown: true, took: 50 });
    expect(await outcome({ 'ledger-9': 4 })).to.deep.equal({ shown: true, took: 0 });
  });

  it('waits for an event that is still to come, and not for ever', async () => {
    void world.scheduler.sleep(120).then(() => stored.set('ledger-9 4', at(0)));
    expect(await outcome({ 'ledger-9': 4 })).to.deep.equal({ shown: true, took: 150 });
    expect(await outcome({ 'ledger-9': 5 })).to.include({ refusal: 'UNAVAILABLE' });
  });

  it('needs no look at the log for what this process knows', async () => {
    progress.acknowledged(JOURNAL, 3, at(7));
    projected(7);
    expect(await outcome({ [JOURNAL]: 2 })).to.deep.equal({ shown: true, took: 0 });
  });

  describe('level with the log', () => {
    const level = () => ended(() => progress.level('balance'));

    it('waits for what any process wrote before, and not for what comes later', async () => {
      [written, end] = [[at(7)], at(7)];
      expect(await level()).to.include({ refusal: 'UNAVAILABLE', retry: 1 });
      void world.scheduler.sleep(20).then(() => ([written, end] = [[at(7), at(9)], at(9)]));
      void world.scheduler.sleep(60).then(() => projected(7));
      expect(await level()).to.deep.equal({ shown: true, took: 100 });
    });

    it('is reached before an end that has no event of ours', async () => {
      [written, end] = [[at(5), at(9)], at(8)];
      projected(5);
      expect(await level()).to.deep.equal({ shown: true, took: 0 });
    });

    it('is not believed of rows that are rebuilt, or that have stopped', async () => {
      projected(9, { balance: { rebuilding: true, checkpoint: at(9) } });
      end = at(9);
      expect(await level()).to.include({ refusal: 'UNAVAILABLE', retry: 1 });
      projected(9, { balance: { stopped: true } });
      expect(await level()).to.include({ refusal: 'UNAVAILABLE', took: 0 });
    });
  });

  it('shows old rows while they are rebuilt, but not as an answer to a new write', async () => {
    progress.acknowledged(JOURNAL, 3, at(7));
    projected(9, { balance: { rebuilding: true, checkpoint: at(2) } });
    expect(await outcome(undefined, 'ledger-2')).to.deep.equal({ shown: true, took: 0 });
    expect(await outcome()).to.include({ refusal: 'UNAVAILABLE' });
  });

  it('tells the age of the oldest append that is not shown', async () => {
    const lags: number[] = [];
    await world.run(
      (async () => {
        progress.acknowledged(JOURNAL, 1, at(1));
        await world.scheduler.sleep(100);
        progress.acknowledged(JOURNAL, 2, at(2));
        await world.scheduler.sleep(50);
        lags.push(progress.lagMs());
        projected(1);
        lags.push(progress.lagMs());
        projected(2);
        lags.push(progress.lagMs());
      })(),
    );
    expect(lags).to.deep.equal([150, 50, 0]);
  });

  it('has no lag when the projector is faster than the acknowledgement', () => {
    projected(5);
    progress.acknowledged(JOURNAL, 1, at(5));
    expect(progress.lagMs()).to.equal(0);
  });

  it('is overloaded above two seconds, and never because a projection has stopped', async () => {
    await world.run(
      (async () => {
        progress.acknowledged(JOURNAL, 1, at(1));
        await world.scheduler.sleep(2001);
      })(),
    );
    expect(progress.overloaded('single')).to.equal(true);
    projected(1, { balance: { stopped: true, checkpoint: at(0) } });
    expect(progress.overloaded('single')).to.equal(false);
  });
});
