import { expect } from 'chai';
import type { Arrived } from '#test/doubles/memory/publisher.ts';
import { START, type NewEvent, type Position } from '#src/ports/event-store.ts';
import { LoggedEvent } from '#src/runtime/logged-event.ts';
import { CHANGED, failed, POSTED } from '#test/runtime/relay-world.ts';
import { seedOfRun } from '#test/support/random.ts';
import { transfer, transferTopics } from '#test/support/relayed.ts';
import { nthId } from '#test/support/stamps.ts';
import { replayWorld } from './replay-world.ts';

const transfers = (count: number, from = 1): NewEvent[] =>
  Array.from({ length: count }, (_, n) => transfer(from + n));
const idOf = ({ headers }: Pick<Arrived, 'headers'>): string => headers['ce-id'] ?? '';
const keyOf = ({ headers }: Arrived): string =>
  `${headers['ce-resourcetype']}.${headers['ce-eventtype']}`;

type World = ReturnType<typeof replayWorld>;

/** The records that the log yields for some transfers, as they are published the first time. */
const yielded = ({ world }: World, first: number, last: number) =>
  transferTopics().flatMap(({ name: topic, drafts }) =>
    world.log
      .readAll(START, 1e6)
      .filter(({ stream }) => stream === 'ledger-1')
      .slice(first - 1, last)
      .flatMap((event) => drafts(new LoggedEvent(event)))
      .map((draft) => ({ topic, ...draft })),
  );

const byId = (a: Arrived, b: Arrived): number => (idOf(a) < idOf(b) ? -1 : 1);

/** Plays a story and stops the replayer that it leaves. */
async function play(seed: number, story: (at: World) => Promise<void>): Promise<World> {
  const at = replayWorld(seed);
  await at.world.run(story(at));
  return at;
}

describe('replayer', () => {
  it('publishes the events of the window again, byte for byte, both ends included', async () => {
    const at = await play(1, async (w) => {
      await w.world.append(...transfers(40));
      await w.request(1, 11, 20);
      const { replayer } = w.start();
      await w.world.until(() => w.isCompleted(1));
      await replayer.stop();
    });
    expect(at.again.toSorted(byId)).to.deep.equal(yielded(at, 11, 20).sort(byId));
  });

  it('leaves the checkpoints of topics alone', async () => {
    const at = await play(1, async (w) => {
      await w.world.append(...transfers(10));
      const { relay } = w.world.start();
      await w.world.until(() => w.world.arrived.length === 30);
      await relay.stop();
      const before = [POSTED, CHANGED].map((topic) => w.saved.get(topic)?.position);
      await w.request(1, 1, 10);
      const { replayer } = w.start();
      await w.world.until(() => w.isCompleted(1));
      await replayer.stop();
      expect([POSTED, CHANGED].map((topic) => w.saved.get(topic)?.position)).to.eql(before);
    });
    expect(at.world.arrived.map(idOf).sort()).to.deep.equal(at.again.map(idOf).sort());
  });

  it('publishes nothing that the live lane of its topic has not published', async () => {
    const at = await play(1, async (w) => {
      await w.world.append(...transfers(40));
      const positions = w.world.log.readAll(START, 20).map(({ position }) => position);
      let live: Record<string, Position> = { [POSTED]: positions[19]!, [CHANGED]: positions[0]! };
      await w.request(1, 1, 20);
      const { replayer } = w.start({ publishedTo: (topic) => live[topic]! });
      await w.world.scheduler.sleep(60_000);
      expect(w.again.filter(({ topic }) => topic === CHANGED)).to.deep.equal([]);
      expect(w.isCompleted(1)).to.equal(false);
      expect(w.faultsSeen.join()).to.include('A replay waits');
      live = { ...live, [CHANGED]: w.world.log.end() };
      await w.world.until(() => w.isCompleted(1));
      await replayer.stop();
    });
    expect(at.again.toSorted(byId)).to.deep.equal(yielded(at, 1, 20).sort(byId));
  });

  it('keeps the checkpoint of a replay until its completion is recorded, and no longer', async () => {
    await play(1, async (w) => {
      const lanes = () => [...w.saved.keys()].filter((lane) => lane.startsWith('replay-0'));
      await w.world.append(...transfers(40));
      const { relay } = w.world.start();
      await w.world.until(() => w.world.arrived.length === 120);
      await relay.stop();
      w.saved.set('replay-bank.streaming', w.saved.get(POSTED)!); // The topic of a platform of that name.
      await w.request(1, 1, 40);
      const first = w.start({ isBusy: () => true, checkpointsFail: () => w.isCompleted(1) });
      await w.world.until(() => lanes().length === 1);
      expect(w.isCompleted(1)).to.equal(false);
      await w.world.until(() => w.isCompleted(1));
      await w.world.scheduler.sleep(1_000);
      first.crash();
      expect(lanes(), 'after a crash').to.deep.equal([`replay-${nthId(1)}`]);

      await w.request(2, 1, 40);
      const published = w.again.length;
      const { replayer } = w.start({ fence: 2 });
      await w.world.until(() => w.isCompleted(2));
      await w.world.scheduler.sleep(1_000);
      expect(lanes()).to.deep.equal([]);
      expect([...w.saved.keys()]).to.have.members([POSTED, CHANGED, 'replay-bank.streaming']);
      await w.world.scheduler.sleep(10_000);
      expect(w.again.length - published).to.equal(120);
      await replayer.stop();
    });
  });

  it('narrows to keys and subjects', async () => {
    const at = await play(1, async (w) => {
      await w.world.append(...transfers(20));
      const [posted] = yielded(w, 5, 5);
      await w.request(1, 1, 20, { keys: ['transaction.posted'] });
      await w.request(2, 1, 20, { subjects: [posted!.headers['ce-subject']!] });
      const { replayer } = w.start();
      await w.world.until(() => w.isCompleted(2));
      await replayer.stop();
    });
    expect(at.again.slice(0, 20).map(keyOf)).to.deep.equal(
      Array.from({ length: 20 }, () => 'transaction.posted'),
    );
    const [posted] = yielded(at, 5, 5);
    expect(at.again.slice(20).map(idOf)).to.deep.equal([idOf(posted!)]);
  });

  it('ends at the request: what comes after it is published once, live', async () => {
    const at = await play(1, async (w) => {
      await w.world.append(...transfers(5));
      await w.request(1, 1, 1_000);
      await w.world.append(...transfers(5, 6));
      const { replayer } = w.start();
      await w.world.until(() => w.isCompleted(1));
      await replayer.stop();
    });
    expect(at.again).to.have.length(15);
  });

  it('runs one replay after the other, and each once', async () => {
    const at = await play(1, async (w) => {
      await w.world.append(...transfers(20));
      await w.request(1, 1, 20, { keys: ['transaction.posted'] });
      await w.request(2, 1, 20, { keys: ['balance.changed'] });
      const { replayer } = w.start();
      await w.world.until(() => w.isCompleted(2));
      await w.world.scheduler.sleep(10_000);
      expect(replayer.pending()).to.equal(0);
      await replayer.stop();
      const later = w.start({ fence: 2 });
      await w.world.scheduler.sleep(10_000);
      await later.replayer.stop();
    });
    const keys = at.again.map(keyOf);
    expect(keys).to.have.length(60);
    expect(keys.lastIndexOf('transaction.posted')).to.equal(19);
  });

  it('takes a smaller share while live records wait', async () => {
    const timeOf = async (isBusy: boolean): Promise<number> => {
      let took = 0;
      await play(1, async (w) => {
        await w.world.append(...transfers(100));
        await w.request(1, 1, 100);
        const { replayer } = w.start({ isBusy: () => isBusy });
        await w.world.until(() => w.again.length > 0);
        const startedMs = w.world.scheduler.elapsedMs();
        await w.world.until(() => w.isCompleted(1));
        took = w.world.scheduler.elapsedMs() - startedMs;
        await replayer.stop();
      });
      return took;
    };
    expect(await timeOf(true)).to.be.greaterThan(3 * (await timeOf(false)));
  });

  it('waits for a broker that is away, and says so once', async () => {
    const at = await play(1, async (w) => {
      await w.world.append(...transfers(10));
      await w.request(1, 1, 10);
      const backAtMs = w.world.scheduler.elapsedMs() + 600_000;
      const faults = () =>
        w.world.scheduler.elapsedMs() < backAtMs
          ? ({ fails: failed('broker_unavailable') } as const)
          : 'ok';
      const { replayer } = w.start({ faults });
      await w.world.until(() => w.isCompleted(1));
      expect(w.world.scheduler.elapsedMs()).to.be.at.least(backAtMs);
      await replayer.stop();
    });
    expect(at.again.map(idOf).sort()).to.deep.equal(yielded(at, 1, 10).map(idOf).sort());
    expect(at.faultsSeen).to.have.length(1);
  });

  it('leaves out a record that the broker never takes, and says so', async () => {
    const at = await play(1, async (w) => {
      await w.world.append(...transfers(10));
      await w.request(1, 1, 10, { keys: ['transaction.posted'] });
      const [, , third] = yielded(w, 1, 10).filter(({ topic }) => topic === POSTED);
      const faults = (_: string, records: readonly Pick<Arrived, 'headers'>[]) => {
        const n = records.findIndex((record) => idOf(record) === idOf(third!));
        return n < 0 ? 'ok' : { fails: failed('serialization_error', n), arrived: n };
      };
      const { replayer } = w.start({ faults });
      await w.world.until(() => w.isCompleted(1));
      await replayer.stop();
    });
    expect(at.again).to.have.length(9);
    expect(at.faultsSeen.join()).to.contain('leaves out a record');
  });

  it('stops before a damaged event, says so, and repeats nothing while it waits', async () => {
    const at = await play(1, async (w) => {
      const [damaged] = transfers(1, 6);
      await w.world.append(...transfers(5));
      await w.world.append({ ...damaged!, data: damaged!.data.replace('@alice', '@alicf') });
      await w.world.append(...transfers(5, 7));
      await w.request(1, 1, 20);
      const { replayer } = w.start();
      await w.world.scheduler.sleep(600_000);
      expect(w.isCompleted(1)).to.equal(false);
      expect(replayer.pending()).to.equal(1);
      await replayer.stop();
    });
    expect(at.again).to.have.length(15);
    expect(at.faultsSeen.join()).to.match(/A replay cannot go on: .*hash|damaged/i);
  });

  it('completes whatever crashes and fails, and loses and reorders nothing', async function () {
    this.timeout(60_000);
    const seeds = seedOfRun(1);
    for (let seed = seeds; seed < seeds + 40; seed += 1) {
      const at = await play(seed, async (w) => {
        const chance = (probability: number) => w.world.random() < probability;
        const faults = (_: string, records: readonly unknown[]) => {
          if (chance(0.05)) return 'hangs' as const;
          if (chance(0.7)) return 'ok' as const;
          const arrived = Math.floor(w.world.random() * (records.length + 1));
          const acknowledged = Math.floor(w.world.random() * (arrived + 1));
          return { fails: failed('broker_unavailable', acknowledged), arrived };
        };
        await w.world.append(...transfers(30));
        await w.request(1, 1, 30);
        await w.world.append(...transfers(10, 31));
        await w.request(2, 21, 40);
        for (let fence = 1; !w.isCompleted(2); fence += 1) {
          const { replayer, crash } = w.start({
            faults,
            checkpointsFail: () => chance(0.1),
            fence,
          });
          await w.world.scheduler.sleep(w.world.random() * 2_000);
          if (chance(0.7)) crash();
          else await replayer.stop();
        }
      });
      const wanted = [yielded(at, 1, 30), yielded(at, 21, 40)].flat().filter(isChange);
      const versions = new Map<string, number[]>();
      for (const { key, value } of distinctRuns(at.again.filter(isChange))) {
        const { version } = JSON.parse(value) as { version: number };
        versions.set(key, [...(versions.get(key) ?? []), version]);
      }
      expect(new Set(at.again.map(idOf)), `seed ${seed}`).to.have.length(120);
      expect(wanted.every((record) => at.again.some((one) => idOf(one) === idOf(record)))).to.equal(
        true,
      );
      // A repetition begins at a checkpoint: versions go up by one, or back to one that came before.
      for (const [key, found] of versions) {
        for (const [n, version] of found.entries()) {
          const before = found[n - 1] ?? 0;
          expect(version, `seed ${seed}, ${key}`).to.be.at.most(Math.max(before + 1, 21));
        }
      }
    }
  });
});

const isChange = ({ topic }: Pick<Arrived, 'topic'>): boolean => topic === CHANGED;

/** Records without those that come again at once. */
const distinctRuns = (records: readonly Arrived[]): readonly Arrived[] =>
  records.filter(
    (record, n) => records[n - 1] === undefined || idOf(records[n - 1]!) !== idOf(record),
  );
