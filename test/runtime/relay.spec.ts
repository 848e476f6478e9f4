import { expect } from 'chai';
import type { Arrived } from '#test/doubles/memory/publisher.ts';
import { Fenced } from '#src/ports/checkpoint-store.ts';
import type { NewEvent } from '#src/ports/event-store.ts';
import { seedOfRun } from '#test/support/random.ts';
import { logged, topicOf, transfer, transferTopics } from '#test/support/relayed.ts';
import { state, transactionPosted, transactionRecord } from '#test/support/transaction-samples.ts';
import { CHANGED, failed, POSTED, relayWorld } from './relay-world.ts';

const transfers = (count: number, from = 1): NewEvent[] =>
  Array.from({ length: count }, (_, n) => transfer(from + n));

const versionOf = ({ value }: Arrived): number =>
  (JSON.parse(value) as { version: number }).version;
const idOf = ({ headers }: Arrived): string => headers['ce-id'] ?? '';

/** Records without those that came before, by ce-id. */
function first(records: readonly Arrived[]): Arrived[] {
  const seen = new Map<string, Arrived>();
  for (const record of records) if (!seen.has(idOf(record))) seen.set(idOf(record), record);
  return [...seen.values()];
}

/** The versions of each balance in the order in which they came first. */
function versions(records: readonly Arrived[]): number[][] {
  const byKey = Map.groupBy(first(records), ({ key }) => key);
  return [...byKey.values()].map((ofKey) => ofKey.map(versionOf));
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n + 1);

describe('relay', () => {
  it('publishes what is in the log and what comes, once and in order, while nothing breaks', async () => {
    const world = relayWorld();
    await world.run(
      (async () => {
        await world.append(...transfers(25));
        const { relay } = world.start();
        await world.until(() => world.at(POSTED).length === 25);
        await world.append(...transfers(25, 26));
        await world.until(() => world.arrived.length === 150);
        await relay.stop();
      })(),
    );
    expect(versions(world.at(CHANGED))).to.deep.equal([upTo(50), upTo(50)]);
    expect(new Set(world.arrived.map(idOf))).to.have.length(150);
  });

  it('goes on from the end of a log that is an older copy, and says so', async () => {
    const world = relayWorld();
    await world.run(
      (async () => {
        await world.append(...transfers(5));
        const { relay } = world.start();
        await world.until(() => world.arrived.length === 15);
        await relay.stop();
      })(),
    );
    const older = relayWorld();
    for (const [lane, checkpoint] of world.saved) older.saved.set(lane, checkpoint);
    await older.run(
      (async () => {
        await older.append(...transfers(2));
        const later = older.start({ fence: 2 });
        await older.scheduler.sleep(1000);
        expect(later.faultsSeen).to.have.length(world.saved.size);
        expect(later.faultsSeen[0]).to.contain('older copy');
        await older.append(...transfers(2, 6));
        await older.until(() => older.arrived.length === 6);
        await later.relay.stop();
        await older.append(...transfers(3, 8)); // Beyond where the topics once stood.
        const last = older.start({ fence: 3 });
        await older.until(() => older.arrived.length === 15);
        await last.relay.stop();
        expect(last.faultsSeen).to.deep.equal([]);
      })(),
    );
  });

  it('goes on where it stopped', async () => {
    const world = relayWorld();
    await world.run(
      (async () => {
        await world.append(...transfers(5));
        const earlier = world.start();
        await world.until(() => world.arrived.length === 15);
        await earlier.relay.stop();
        await world.append(...transfers(5, 6));
        const later = world.start({ fence: 2 });
        await world.until(() => world.arrived.length === 30);
        await world.scheduler.sleep(5000);
        await later.relay.stop();
      })(),
    );
    expect(world.arrived).to.have.length(30);
  });

  it('loses and reorders nothing whatever crashes and fails; what comes twice has its id', async function () {
    this.timeout(60_000);
    const seeds = seedOfRun(1);
    for (let seed = seeds; seed < seeds + 40; seed += 1) {
      const world = relayWorld(seed);
      const chance = (probability: number) => world.random() < probability;
      const faults = (_: string, records: readonly unknown[]) => {
        if (chance(0.8)) return 'ok' as const;
        const arrived = Math.floor(world.random() * (records.length + 1));
        const acknowledged = Math.floor(world.random() * (arrived + 1));
        return { fails: failed('broker_unavailable', acknowledged), arrived };
      };
      const checkpointsFail = () => chance(0.1);
      await world.run(
        (async () => {
          let written = 0;
          let fence = 0;
          while (written < 60) {
            const process = world.start({ faults, checkpointsFail, fence: (fence += 1) });
            for (let n = 0; n < 3; n += 1) {
              const more = 1 + Math.floor(world.random() * 8);
              await world.append(...transfers(more, written + 1));
              written += more;
              await world.scheduler.sleep(world.random() * 300);
            }
            if (chance(0.2)) await process.relay.stop();
            process.crash();
          }
          world.start({ faults, fence: fence + 1 });
          const all = () => first(world.arrived).length === 3 * written;
          await world.until(all);
          expect(versions(world.at(CHANGED)), `seed ${seed}`).to.deep.equal([
            upTo(written),
            upTo(written),
          ]);
        })(),
      );
    }
  });

  it('publishes again, under the same ids, what it had published before a crash and not saved', async () => {
    const world = relayWorld();
    await world.run(
      (async () => {
        await world.append(...transfers(5));
        const { crash } = world.start({ checkpointsFail: () => world.arrived.length > 0 });
        await world.until(() => world.arrived.length === 15);
        crash();
        world.start({ fence: 2 });
        await world.until(() => world.arrived.length === 30);
      })(),
    );
    expect(first(world.arrived)).to.have.length(15);
    const [before, again] = [world.arrived.slice(0, 15), world.arrived.slice(15)];
    const sorted = (records: Arrived[]) => records.map((one) => JSON.stringify(one)).sort();
    expect(sorted(again)).to.deep.equal(sorted(before));
  });

  it('goes on in the middle of an event that fills several loads', async () => {
    const world = relayWorld();
    const moves = Array.from({ length: 100 }, (_, n) => ({
      ...{ alias: '@a', type: 'CREDIT' as const },
      ...{ balance: state('0', n), balanceAfter: state('1', n + 1) },
    }));
    const large = logged('large', transactionPosted(transactionRecord('large', moves)));
    await world.run(
      (async () => {
        await world.append(transfer(1), large);
        const settings = { bufferedRecordsMax: 40 };
        const full = () => world.at(CHANGED).length >= 50;
        const { crash } = world.start({
          settings,
          faults: () => (full() ? { fails: failed('broker_unavailable') } : 'ok'),
        });
        const isSaved = () => world.saved.get(CHANGED)?.done === world.at(CHANGED).length - 2;
        await world.until(() => full() && isSaved());
        expect(world.at(CHANGED).length).to.be.below(102);
        crash();
        world.start({ settings, fence: 2 });
        await world.until(() => first(world.at(CHANGED)).length === 102);
      })(),
    );
    expect(world.at(CHANGED)).to.have.length(102);
    expect(versions(world.at(CHANGED)).at(-1)).to.deep.equal(upTo(100));
  });

  describe('when a topic fails', () => {
    const failing = (topic: string, how: Parameters<typeof failed>[0]) => (to: string) =>
      to === topic ? { fails: failed(how) } : ('ok' as const);

    it('lets the others go on, and says what is wrong', async () => {
      const world = relayWorld();
      await world.run(
        (async () => {
          await world.append(...transfers(5));
          const { relay } = world.start({ faults: failing(POSTED, 'topic_not_found') });
          await world.until(() => world.at(CHANGED).length === 10);
          await world.scheduler.sleep(600_000);
          const [posted, changed] = relay.report().lanes;
          expect(posted).to.deep.include({ published: 0, dead: 0 });
          expect(posted?.trouble).to.include({ errorClass: 'topic_not_found' });
          expect(posted?.eventsBehind).to.equal(5);
          expect(changed).to.deep.include({ published: 10, trouble: undefined, eventsBehind: 0 });
        })(),
      );
    });

    it('counts what is behind up to the end of the log, also what was never read', async () => {
      const world = relayWorld();
      await world.run(
        (async () => {
          await world.append(...transfers(600));
          const { relay } = world.start({ faults: failing(POSTED, 'topic_not_found') });
          await world.until(() => world.at(CHANGED).length === 1200);
          await world.append(...transfers(400, 601));
          await world.until(() => world.at(CHANGED).length === 2000);
          await world.scheduler.sleep(10_000);
          const [posted, changed] = relay.report().lanes;
          expect(posted?.eventsBehind).to.be.within(990, 1010);
          expect(changed?.eventsBehind).to.equal(0);
        })(),
      );
    });

    it('tries again for ever, ever more seldom, up to every 30 s', async () => {
      const world = relayWorld();
      const triedMs: number[] = [];
      await world.run(
        (async () => {
          await world.append(transfer(1));
          world.start({
            topics: transferTopics().slice(0, 1),
            faults: () => {
              triedMs.push(world.scheduler.elapsedMs());
              return triedMs.length < 40 ? { fails: failed('context_canceled') } : 'ok';
            },
          });
          await world.until(() => world.at(POSTED).length === 1);
        })(),
      );
      const waits = triedMs.slice(1).map((ms, n) => ms - (triedMs[n] ?? 0));
      waits.forEach((wait, n) => {
        const full = Math.min(100 * 2 ** n, 30_000);
        expect(wait).to.be.within(full / 2, full + 1000);
      });
      expect(new Set(waits.map(Math.round)).size).to.be.greaterThan(20); // By chance, not in step.
    });

    it('gives the target peace once most calls fail, and comes back when it answers', async () => {
      const world = relayWorld();
      let away = true;
      let calls = 0;
      await world.run(
        (async () => {
          await world.append(...transfers(5));
          const { relay } = world.start({
            still: true,
            faults: () => {
              calls += 1;
              return away ? { fails: failed('broker_unavailable') } : 'ok';
            },
          });
          await world.until(() => relay.report().circuitOpen);
          expect(calls).to.be.within(10, 11);
          await world.scheduler.sleep(3_600_000);
          expect(calls).to.be.lessThan(10 + 3600 / 30 + 2); // One tries when its time is over.
          away = false;
          await world.until(() => world.arrived.length === 15, 120_000);
          expect(relay.report()).to.include({ circuitOpen: false });
        })(),
      );
      expect(versions(world.at(CHANGED))).to.deep.equal([upTo(5), upTo(5)]);
    });

    it('takes a record out of the way that can never be published, and records where it is', async () => {
      const world = relayWorld();
      await world.run(
        (async () => {
          await world.append(...transfers(5));
          world.start({
            faults: (topic, records) => {
              const at =
                topic === CHANGED
                  ? records.findIndex(({ key, value }) => key && value.includes('"version":3'))
                  : -1;
              return at < 0 ? 'ok' : { fails: failed('serialization_error', at), arrived: at };
            },
          });
          await world.until(() => world.at(CHANGED).length === 8);
        })(),
      );
      expect(versions(world.at(CHANGED))).to.deep.equal([
        [1, 2, 4, 5],
        [1, 2, 4, 5],
      ]);
      const dead = world.at(`${CHANGED}.dlq`);
      expect(dead.map(versionOf)).to.deep.equal([3, 3]);
      expect(dead[0]?.headers).to.include({
        'ce-type': 'studio.quipu.balance.changed',
        'x-quipu-dlq-source-topic': CHANGED,
        'x-quipu-dlq-error-class': 'serialization_error',
        'x-quipu-dlq-error-message': 'The broker says serialization_error',
        'x-quipu-dlq-retry-count': '0',
        'x-quipu-dlq-producer-id': 'relay-1',
      });
      expect(dead[0]?.headers['x-quipu-dlq-first-failure-at']).to.match(/^2026-01-01T00:00:/);
      expect(world.letters.map(({ ceId }) => ceId)).to.deep.equal(dead.map(idOf));
      expect(world.letters[0]?.event).to.include({ journal: 'ledger-1', revision: 2 });
    });

    it('leaves the payload out where even the dead letters do not take it', async () => {
      const world = relayWorld();
      await world.run(
        (async () => {
          await world.append(transfer(1));
          world.start({
            faults: (topic, [record]) =>
              topic.startsWith(POSTED) && record?.value !== ''
                ? { fails: failed('serialization_error') }
                : 'ok',
          });
          await world.until(() => world.letters.length === 1);
        })(),
      );
      const [dead] = world.at(`${POSTED}.dlq`);
      expect(dead?.value).to.equal('');
      expect(dead?.headers).to.include({ 'x-quipu-dlq-payload-omitted': 'true' });
      expect(Number(dead?.headers['x-quipu-dlq-payload-bytes'])).to.be.greaterThan(500);
    });

    it('gives up what has had no topic for 24 hours, and not before', async function () {
      this.timeout(60_000);
      const world = relayWorld();
      await world.run(
        (async () => {
          await world.append(...transfers(3));
          world.start({ faults: failing(POSTED, 'topic_not_found'), still: true });
          await world.scheduler.sleep(23.8 * 3_600_000);
          expect(world.letters).to.deep.equal([]);
          await world.until(() => world.letters.length === 3, 1_200_000);
        })(),
      );
      expect(world.at(`${POSTED}.dlq`)).to.have.length(3);
    });

    it('never gives up what the broker was merely away for', async function () {
      this.timeout(60_000);
      const world = relayWorld();
      await world.run(
        (async () => {
          await world.append(transfer(1));
          world.start({ faults: failing(POSTED, 'network_timeout'), still: true });
          await world.scheduler.sleep(36 * 3_600_000);
        })(),
      );
      expect(world.letters).to.deep.equal([]);
    });
  });

  describe('started for the first time', () => {
    it('leaves out what is in the log by then', async () => {
      const world = relayWorld();
      await world.run(
        (async () => {
          await world.append(...transfers(5));
          world.start({ settings: { startAt: 'now' } });
          await world.until(() => world.saved.size === 2);
          await world.append(transfer(6));
          await world.until(() => world.arrived.length === 3);
        })(),
      );
      expect(world.at(CHANGED).map(versionOf)).to.deep.equal([6, 6]);
    });

    it('remembers where that was, whatever happens before the first record is out', async () => {
      const world = relayWorld();
      const away = () => ({ fails: failed('broker_unavailable') });
      await world.run(
        (async () => {
          await world.append(transfer(1));
          const { crash } = world.start({ settings: { startAt: 'now' }, faults: away });
          await world.until(() => world.saved.size === 2);
          await world.append(transfer(2));
          crash();
          world.start({ settings: { startAt: 'now' }, fence: 2 });
          await world.until(() => world.arrived.length === 3);
        })(),
      );
      expect(world.at(CHANGED).map(versionOf)).to.deep.equal([2, 2]);
    });
  });

  it('stops when another process has the lease', async () => {
    const world = relayWorld();
    const outcome = await world.run(
      (async () => {
        await world.append(...transfers(5));
        const old = world.start({ fence: 1 });
        await world.until(() => world.arrived.length === 15);
        world.start({ fence: 2 });
        await world.append(transfer(6));
        await world.until(() => [...world.saved.values()].every(({ fence }) => fence === 2));
        await world.append(transfer(7));
        return old.ended.catch((error: unknown) => error);
      })(),
    );
    expect(outcome).to.be.instanceOf(Fenced);
  });

  it('waits at its end for what is on its way, but not for ever', async () => {
    const world = relayWorld();
    const tookMs = await world.run(
      (async () => {
        await world.append(transfer(1));
        const { relay } = world.start({ faults: (topic) => (topic === POSTED ? 'hangs' : 'ok') });
        await world.until(() => world.at(CHANGED).length === 2);
        const askedMs = world.scheduler.elapsedMs();
        await relay.stop();
        return world.scheduler.elapsedMs() - askedMs;
      })(),
    );
    expect(tookMs).to.be.within(4900, 5200);
    expect(world.saved.get(CHANGED)?.position).to.not.equal('');
  });

  it('follows the log once, and reads it once, however many topics there are', async () => {
    const world = relayWorld();
    const [posted] = transferTopics();
    const topics = Array.from({ length: 40 }, (_, n) => ({ ...posted, name: `topic-${n}` }));
    await world.run(
      (async () => {
        await world.append(...transfers(100));
        world.start({ topics, settings: { bufferedRecordsMax: 10_000 } });
        await world.until(() => world.arrived.length === 4000);
        await world.append(...transfers(10, 101));
        await world.until(() => world.arrived.length === 4400);
      })(),
    );
    expect(world.counts.subscriptions).to.equal(1);
    expect(world.counts.reads).to.be.lessThan(40); // Eleven pages and its end, and here and there one for a lane that fell behind.
  });

  it('reads a long log once, although topics without records could run ahead of the others', async () => {
    const world = relayWorld();
    await world.run(
      (async () => {
        await world.append(...transfers(600));
        const { relay } = world.start({
          topics: [...transferTopics(), topicOf('account.created')],
        });
        await world.until(() => world.arrived.length === 1800);
        await relay.stop();
      })(),
    );
    expect(world.counts.reads).to.be.within(60, 70); // Sixty pages, and the end.
  });

  for (const fate of ['hangs', { fails: failed('broker_unavailable') }] as const) {
    it(`leaves a topic behind that ${fate === 'hangs' ? 'hangs' : 'fails'}, and reads on for the others`, async () => {
      const world = relayWorld();
      await world.run(
        (async () => {
          await world.append(...transfers(600));
          let mended = false;
          const faults = (to: string) => (to === POSTED && !mended ? fate : ('ok' as const));
          const { relay, crash } = world.start({ faults });
          await world.until(() => world.at(CHANGED).length === 1200, 10_000);
          mended = true;
          if (fate === 'hangs') {
            crash();
            world.start({ fence: 2 });
          }
          await world.until(() => first(world.at(POSTED)).length === 600);
          if (fate !== 'hangs') await relay.stop();
        })(),
      );
      expect(versions(world.at(CHANGED))).to.deep.equal([upTo(600), upTo(600)]);
    });
  }

  it('stops at once while a topic waits for another one', async () => {
    const world = relayWorld();
    await world.run(
      (async () => {
        await world.append(...transfers(600));
        const topics = [topicOf('transaction.posted'), topicOf('account.created')];
        const { relay } = world.start({ topics, faults: () => 'hangs' });
        await world.scheduler.sleep(200);
        const stopping = world.scheduler.elapsedMs();
        await relay.stop();
        expect(world.scheduler.elapsedMs() - stopping).to.be.lessThan(6000); // The time that records on their way have.
      })(),
    );
  });

  it('holds no more records than it may while a broker takes nothing', async () => {
    const world = relayWorld();
    let largest = 0;
    await world.run(
      (async () => {
        await world.append(...transfers(100));
        world.start({
          settings: { bufferedRecordsMax: 20, batchEvents: 500 },
          faults: (_, records) => {
            largest = Math.max(largest, records.length);
            return { fails: failed('broker_unavailable') };
          },
        });
        await world.scheduler.sleep(60_000);
      })(),
    );
    expect(largest).to.be.within(5, 20); // Two topics, each with one load on its way and one waiting.
  });
});
