import { expect } from 'chai';
import { memoryClusterMessages } from '#test/doubles/memory/cluster-messages.ts';
import { simulate, type Simulation } from '#test/doubles/memory/simulated.ts';
import { Unavailable } from '#src/ports/errors.ts';
import type { Position, StoredEvent } from '#src/ports/event-store.ts';
import type { ClusterMessages } from '#src/ports/cluster-messages.ts';
import { createContentionNotices } from '#src/journal/contention.ts';
import { followProgress, postProgress } from '#src/runtime/projector-progress.ts';
import type { ProjectionReport } from '#src/runtime/projection-report.ts';
import { newUuid } from '#test/contracts/samples.ts';

const logId = newUuid();
const at = (n: number) => String(n).padStart(4, '0') as Position;
const report = (n: number, journals: readonly string[] = []): ProjectionReport => ({
  collections: new Map([['balance', { checkpoint: at(n), rebuilding: false, stopped: false }]]),
  indexed: new Map(journals.map((journal) => [journal, n])),
  position: at(n),
  caughtUp: true,
});

/** What a projector that is level has nothing after. */
const log = {
  logId,
  end: async () => at(0),
  readAll: async (): Promise<readonly StoredEvent[]> => [],
};

describe('notices between processes', () => {
  let world: Simulation;
  let board: ClusterMessages;
  let away: boolean;
  const pass = (ms: number) => world.run(world.scheduler.sleep(ms));

  beforeEach(() => {
    world = simulate(3);
    away = false;
    const inner = memoryClusterMessages(world.scheduler);
    board = {
      ...inner,
      read: async (name) => {
        if (away) throw new Unavailable('away');
        return inner.read(name);
      },
    };
  });

  describe('of the projector', () => {
    const heard: ProjectionReport[] = [];
    const silences: number[] = [];
    const faults: unknown[] = [];
    const follow = () => {
      heard.length = silences.length = faults.length = 0;
      const { scheduler } = world;
      let asked = 0;
      const growing = { ...log, end: async () => at((asked += 1) === 1 ? 0 : 9999) };
      return followProgress({
        ...{ board, log: growing, scheduler },
        onReport: (told) => heard.push(told),
        onSilence: () => silences.push(1),
      });
    };
    const poster = (fence = 1) =>
      postProgress(board, logId, fence, world.scheduler, (error) => faults.push(error));

    it('reach who follows whole, the last ones when there are many', async () => {
      const follower = follow();
      const post = poster();
      for (let n = 1; n <= 50; n += 1) post(report(n, ['ledger-a']));
      await pass(300);
      expect(heard.at(-1)).to.deep.equal(report(50, ['ledger-a']));
      expect(heard.length).to.be.below(5);
      await world.run(follower.stop());
    });

    it('do not count as caught up before all is shown that was in the log when this process came', async () => {
      const late = { position: at(7) } as StoredEvent;
      const { scheduler } = world;
      const told: [Position, boolean][] = [];
      const follower = followProgress({
        ...{ board, scheduler },
        log: {
          logId,
          end: async () => at(9), // Of the system's: nothing of ours stands there.
          readAll: async (after) => (after < late.position ? [late] : []),
        },
        onReport: ({ position, caughtUp }) => told.push([position, caughtUp]),
        onSilence: () => undefined,
      });
      const post = poster();
      post(report(5));
      await pass(300);
      post(report(7));
      await pass(300);
      expect(told[0]).to.deep.equal([at(5), false]);
      expect(told.at(-1)).to.deep.equal([at(7), true]);
      await world.run(follower.stop());
    });

    it('of a longer log, before an older copy took its place, do not count as caught up', async () => {
      const told: boolean[] = [];
      const follower = followProgress({
        ...{ board, scheduler: world.scheduler },
        log: { ...log, end: async () => at(5) },
        onReport: ({ caughtUp }) => told.push(caughtUp),
        onSilence: () => undefined,
      });
      const post = poster();
      post(report(9));
      await pass(300);
      expect(told.at(-1)).to.equal(false);
      post(report(5)); // Built from the log that there is.
      await pass(300);
      expect(told.at(-1)).to.equal(true);
      await world.run(follower.stop());
    });

    it('say again which journals were indexed, for whoever missed a notice', async () => {
      const post = poster();
      post(report(1, ['ledger-a']));
      await pass(100);
      post(report(2, ['ledger-b']));
      await pass(100);
      const follower = follow();
      await pass(100);
      expect([...(heard[0]?.indexed ?? [])]).to.deep.equal([
        ['ledger-a', 1],
        ['ledger-b', 2],
      ]);
      await world.run(follower.stop());
    });

    it('of a holder that was followed are refused', async () => {
      poster(2)(report(2));
      await pass(100);
      const follower = follow();
      poster(1)(report(1));
      await pass(300);
      expect(heard.map(({ position }) => position)).to.deep.equal([at(2)]);
      expect(faults.map((fault) => (fault as Error).name)).to.deep.equal(['Fenced']);
      await world.run(follower.stop());
    });

    it('are missed when the board is away, which is told, and heard again afterwards', async () => {
      const follower = follow();
      poster()(report(1));
      await pass(200);
      away = true;
      await pass(500);
      expect(silences.length).to.be.above(0);
      away = false;
      await pass(500);
      expect(heard.map(({ position }) => position)).to.deep.equal([at(1), at(1)]);
      await world.run(follower.stop());
    });

    it('are looked for more often for a moment when somebody waits', async () => {
      const follower = follow();
      await pass(150);
      const before = world.scheduler.elapsedMs();
      follower.urge();
      poster()(report(1));
      await world.run(
        (async () => {
          while (heard.length === 0) await world.scheduler.sleep(1);
        })(),
      );
      expect(world.scheduler.elapsedMs() - before).to.be.below(20);
      await world.run(follower.stop());
    });
  });

  it('of whoever waits for a journal reach the others once each, and not those who come later', async () => {
    const heard = { one: [] as string[], two: [] as string[], late: [] as string[] };
    const { scheduler } = world;
    const join = (who: keyof typeof heard) =>
      createContentionNotices({
        messages: board,
        scheduler,
        onWaiting: (journal) => heard[who].push(journal),
      });
    const [one, two] = [join('one'), join('two')];
    await pass(300);
    one.announce('ledger-a');
    one.announce('ledger-a'); // Said already.
    await pass(1000);
    const late = join('late');
    await pass(1000);
    expect(heard).to.deep.equal({ one: ['ledger-a'], two: ['ledger-a'], late: [] });
    one.announce('ledger-a');
    await pass(1000);
    expect(heard.late).to.deep.equal(['ledger-a']);
    await world.run(Promise.all([one.stop(), two.stop(), late.stop()]));
  });
});
