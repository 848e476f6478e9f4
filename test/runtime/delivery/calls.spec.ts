import { expect } from 'chai';
import type { Uuid } from '#src/kernel/ids.ts';
import { formatInstant, type Micros } from '#src/kernel/instant.ts';
import type { PulledMessage } from '#src/ports/delivery-calls.ts';
import { SUBSCRIPTION } from '#test/support/deliveries.ts';
import { callsWorld, leasesIn, OF, TENANT, textsIn, type CallsWorld } from './calls-world.ts';

const upTo = (count: number): string[] => Array.from({ length: count }, (_, n) => `n${n + 1}`);
const OTHER = { ...OF, tenantId: 'other' };
const NO_SUCH = { ...OF, subscriptionId: '0190a1c0-0000-7000-8000-0000000000ff' as Uuid };

/** Runs a story in a world with an active pull subscription. */
const story = (tell: (world: CallsWorld) => Promise<void>, seed = 1) => {
  const world = callsWorld(seed);
  return world.run(world.subscribe().then(() => tell(world)));
};
const only = (messages: readonly PulledMessage[]): PulledMessage => {
  expect(messages).to.have.length(1);
  return messages[0]!;
};

describe('delivery calls', () => {
  describe('pull', () => {
    it('leases what the subscription matches, in the order of the log', () =>
      story(async ({ start, note }) => {
        await note(upTo(3));
        const { pull } = start();
        const messages = await pull();
        expect(textsIn(messages)).to.deep.equal(upTo(3));
        expect(messages.map(({ attempt }) => attempt)).to.deep.equal([1, 1, 1]);
        expect(new Set(leasesIn(messages)).size).to.equal(3);
        expect(await pull()).to.deep.equal([]);
      }));

    it('returns no more than it is asked for, and plans no further than that needs', () =>
      story(async ({ start, note, rows }) => {
        await note(upTo(1200));
        const { pull } = start();
        expect(textsIn(await pull({ max: 7 }))).to.deep.equal(upTo(7));
        expect(rows()).to.have.length(500);
        expect(await pull({ max: 1000 })).to.have.length(1000);
        expect(textsIn(await pull({ max: 1000 }))).to.deep.equal(upTo(1200).slice(1007));
      }));

    it('keeps an answer below 4 MiB, and returns at least one message', () =>
      story(async ({ start, note }) => {
        const large = 'é'.repeat(500_000);
        await note([...Array.from({ length: 6 }, () => large), 'small']);
        await note(['x'.repeat(5 * 1024 * 1024), 'last']);
        const { pull } = start();
        const sizes = [];
        for (let n = 0; n < 4; n += 1) sizes.push((await pull()).length);
        expect(sizes).to.deep.equal([4, 3, 1, 1]);
      }));

    it('sees a subscription that another process has just created, changed or removed', () =>
      story(async ({ start, note, subscribe, remove }) => {
        const { calls, pull } = start();
        await note(['one']);
        expect(await pull()).to.have.length(1);
        await note(['two']);
        await subscribe({ status: 'paused' });
        expect(await pull()).to.deep.equal([]);
        await subscribe();
        expect(textsIn(await pull({ waitMs: 1000 }))).to.deep.equal(['two']);
        await remove();
        expect(await calls.pull(OF, { max: 1, waitMs: 0, leaseMs: 1000 })).to.equal(undefined);
      }));

    it('waits for the first message, and is woken by it', () =>
      story(async ({ start, note, sleep, scheduler }) => {
        const { pull } = start();
        expect(await pull()).to.deep.equal([]);
        const pulled = pull({ waitMs: 20_000 });
        await sleep(5300);
        await note(['one']);
        const appendedMs = scheduler.elapsedMs();
        expect(textsIn(await pulled)).to.deep.equal(['one']);
        expect(scheduler.elapsedMs() - appendedMs).to.be.lessThan(250);
      }));

    it('waits no longer than it is asked to', () =>
      story(async ({ start, scheduler }) => {
        const { pull } = start();
        const startedMs = scheduler.elapsedMs();
        expect(await pull({ waitMs: 2500 })).to.deep.equal([]);
        expect(scheduler.elapsedMs() - startedMs).to.be.within(2500, 2600);
      }));

    it('that waits is woken by returned messages, leases that expire, and a subscription resumed', () =>
      story(async ({ start, note, subscribe, scheduler, sleep }) => {
        const { calls, pull } = start();
        await note(['one']);
        const { leaseId } = only(await pull());
        const waiting = pull({ waitMs: 20_000, leaseMs: 3000 });
        await sleep(100);
        const returnedMs = scheduler.elapsedMs();
        await calls.nack(OF, [leaseId], 0);
        expect(await waiting).to.have.length(1);
        expect(scheduler.elapsedMs() - returnedMs).to.be.lessThan(50);

        const leasedMs = scheduler.elapsedMs();
        expect(await pull({ waitMs: 20_000, leaseMs: 1000 })).to.have.length(1);
        expect(scheduler.elapsedMs() - leasedMs).to.be.within(3000, 4100);

        await subscribe({ status: 'paused' });
        const paused = pull({ waitMs: 20_000 });
        await sleep(5000);
        await subscribe();
        expect(await paused).to.have.length(1);
      }));

    it('that waits ends when the process stops, and when the subscription is removed', () =>
      story(async ({ start, remove, sleep, scheduler }) => {
        const { calls, pull, stop } = start();
        const other = start();
        const waiting = pull({ waitMs: 20_000 });
        const removed = other.calls.pull(OF, { max: 1, waitMs: 20_000, leaseMs: 1000 });
        await sleep(100);
        stop();
        expect(await waiting).to.deep.equal([]);
        await remove();
        expect(await removed).to.equal(undefined);
        expect(scheduler.elapsedMs()).to.be.lessThan(2000);
        expect(await calls.pull(OF, { max: 1, waitMs: 9, leaseMs: 1000 })).to.equal(undefined);
      }));

    it('buries records that cannot be sent, and goes on behind them', () =>
      story(async ({ start, note, rows, deliveries }) => {
        await note(['one', 'two']);
        await note(['fault'], 'a', { fault: 'too large' });
        const { pull } = start();
        only(await pull({ max: 1 }));
        const [, second] = rows();
        deliveries.rows.set(second!.id, { ...second!, eventId: 'not in the log' });
        await note(['three']);
        expect(textsIn(await pull({ waitMs: 1000 }))).to.deep.equal(['three']);
        const dead = rows().filter(({ status }) => status === 'dead');
        expect(dead.map(({ attempts }) => attempts[0]?.errorClass)).to.deep.equal([
          'serialization_error',
          'serialization_error',
        ]);
      }));

    it('offers what comes after a damaged event, which is an attempt each time', () =>
      story(async (world) => {
        const { pull } = world.start();
        await world.note(['one']);
        await world.note(['two'], 'b', { isDamaged: true });
        await world.note(['three']);
        expect(textsIn(await pull())).to.deep.equal(['one', 'three']);
        expect(await pull()).to.deep.equal([]);
        await world.sleep(3_600_000);
        await pull();
        const row = world.rows().find(({ recordKey }) => recordKey === 'b');
        expect(row).to.include({ status: 'retrying', tries: 2 }).and.not.to.have.property('lease');
      }));

    it('in order offers the next message of a key after the outcome of the one before', () =>
      story(async ({ start, note, subscribe }) => {
        await subscribe({ ordering: 'key' });
        await note(['a1', 'a2', 'a3']);
        await note(['b1'], 'b');
        const { calls, pull } = start();
        const [a1, b1] = await pull();
        expect(textsIn([a1!, b1!])).to.deep.equal(['a1', 'b1']);
        expect(await pull()).to.deep.equal([]);
        await calls.nack(OF, [a1!.leaseId], 0);
        const again = only(await pull());
        expect(textsIn([again])).to.deep.equal(['a1']);
        const waiting = pull({ waitMs: 20_000 });
        await calls.ack(OF, [again.leaseId]);
        expect(textsIn(await waiting)).to.deep.equal(['a2']);
      }));

    it('knows subscriptions of its tenant that are pulled, and no others', () =>
      story(async ({ start, note, subscribe }) => {
        await note(['one']);
        const { calls, pull } = start();
        const leaseIds = leasesIn(await pull());
        const options = { max: 1, waitMs: 0, leaseMs: 1000 };
        for (const address of [OTHER, NO_SUCH]) {
          expect(await calls.pull(address, options)).to.equal(undefined);
          expect(await calls.ack(address, leaseIds)).to.equal(undefined);
          expect(await calls.nack(address, leaseIds, 0)).to.equal(undefined);
          expect(await calls.extend(address, leaseIds, 1000)).to.equal(undefined);
          expect(await calls.replay(address, { ids: [] })).to.equal(undefined);
          expect(await calls.ping(address)).to.equal(undefined);
        }
        await subscribe({
          target: { kind: 'webhook', url: 'https://example.com', timeoutMs: 1000 },
        });
        expect(await calls.pull(OF, options)).to.equal(undefined);
        expect(await calls.ack(OF, leaseIds)).to.equal(undefined);
      }));
  });

  describe('leases', () => {
    it('that expire are counted as attempts, and their messages offered again', () =>
      story(async ({ start, note, sleep, rows }) => {
        await note(['one']);
        const { pull } = start();
        const first = only(await pull({ leaseMs: 5000 }));
        await sleep(4900);
        expect(await pull()).to.deep.equal([]);
        await sleep(200);
        const second = only(await pull());
        expect(second.attempt).to.equal(2);
        expect(second.leaseId).to.not.equal(first.leaseId);
        const [row] = rows();
        expect(
          row?.attempts.map(({ errorClass, durationMs }) => [errorClass, durationMs]),
        ).to.deep.equal([['lease_expired', 5000]]);
      }));

    it('that expired or were replaced settle nothing', () =>
      story(async ({ start, note, sleep, rows }) => {
        await note(['one']);
        const { calls, pull } = start();
        const first = leasesIn(await pull({ leaseMs: 5000 }));
        await sleep(5000);
        const nothing = { settled: 0, expired: first };
        expect(await calls.ack(OF, first)).to.deep.equal(nothing);
        const second = leasesIn(await pull());
        expect(await calls.ack(OF, first)).to.deep.equal(nothing);
        expect(await calls.nack(OF, first, 0)).to.deep.equal(nothing);
        expect(await calls.extend(OF, first, 9000)).to.deep.equal(nothing);
        expect(rows()[0]?.status).to.equal('retrying');
        expect(await calls.ack(OF, second)).to.deep.equal({ settled: 1, expired: [] });
        expect(await calls.ack(OF, first)).to.deep.equal(nothing);
      }));

    it('acknowledged again are counted again, and change nothing', () =>
      story(async ({ start, note, rows, sleep }) => {
        await note(['one', 'two']);
        const { calls, pull } = start();
        const leaseIds = leasesIn(await pull());
        await sleep(1500);
        const twice = [...leaseIds, ...leaseIds];
        expect(await calls.ack(OF, twice)).to.deep.equal({ settled: 2, expired: [] });
        const acked = rows();
        expect(
          acked.map(({ status, attempts }) => [status, attempts[0]?.durationMs]),
        ).to.deep.equal([
          ['delivered', 1500],
          ['delivered', 1500],
        ]);
        await sleep(60_000);
        expect(await calls.ack(OF, leaseIds)).to.deep.equal({ settled: 2, expired: [] });
        expect(await calls.nack(OF, leaseIds, 0)).to.deep.equal({ settled: 0, expired: leaseIds });
        expect(rows()).to.deep.equal(acked);
        expect(await pull()).to.deep.equal([]);
      }));

    it('are prolonged from now', () =>
      story(async ({ start, note, sleep }) => {
        await note(['one']);
        const { calls, pull } = start();
        const leaseIds = leasesIn(await pull({ leaseMs: 5000 }));
        await sleep(4000);
        expect(await calls.extend(OF, leaseIds, 5000)).to.deep.equal({ settled: 1, expired: [] });
        await sleep(4900);
        expect(await pull()).to.deep.equal([]);
        expect(await calls.ack(OF, leaseIds)).to.deep.equal({ settled: 1, expired: [] });
      }));

    it('that never were are expired, whatever their text', () =>
      story(async ({ start, note, rows }) => {
        await note(['one']);
        const { calls, pull } = start();
        const { leaseId } = only(await pull());
        const forged = [
          ...['', '.', 'x', leaseId.slice(0, 36), leaseId.slice(0, 37), `${leaseId}x`],
          ...[leaseId.toUpperCase(), `${leaseId.slice(0, 37)}${'A'.repeat(22)}`],
          `${NO_SUCH.subscriptionId}.${leaseId.slice(37)}`,
        ];
        const before = rows();
        expect(await calls.ack(OF, forged)).to.deep.equal({ settled: 0, expired: forged });
        expect(await calls.ack(OF, [])).to.deep.equal({ settled: 0, expired: [] });
        expect(rows()).to.deep.equal(before);
      }));

    it('of another subscription settle nothing', () =>
      story(async ({ start, note, subscribe }) => {
        await subscribe({ id: NO_SUCH.subscriptionId });
        await note(['one']);
        const { calls, pull } = start();
        const leaseIds = leasesIn(await pull());
        expect(await calls.ack(NO_SUCH, leaseIds)).to.deep.equal({ settled: 0, expired: leaseIds });
      }));
  });

  describe('returned messages', () => {
    it('are offered again after the pause, and die after ten attempts', () =>
      story(async ({ start, note, sleep, rows }) => {
        await note(['one']);
        const { calls, pull } = start();
        let last = '';
        for (let attempt = 1; attempt <= 10; attempt += 1) {
          const message = only(await pull());
          expect(message.attempt).to.equal(attempt);
          last = message.leaseId;
          expect(await calls.nack(OF, [last], 7000)).to.deep.equal({ settled: 1, expired: [] });
          await sleep(6900);
          expect(await pull()).to.deep.equal([]);
          await sleep(100);
        }
        expect(await pull()).to.deep.equal([]);
        const [row] = rows();
        expect(row?.status).to.equal('dead');
        expect(row?.attempts.map(({ errorClass }) => errorClass)).to.deep.equal(
          Array.from({ length: 10 }, () => 'nacked'),
        );
        expect(await calls.nack(OF, [last], 0)).to.deep.equal({ settled: 1, expired: [] });
        expect(await calls.ack(OF, [last])).to.deep.equal({ settled: 0, expired: [last] });
      }));

    it('can no longer be acknowledged', () =>
      story(async ({ start, note }) => {
        await note(['one']);
        const { calls, pull } = start();
        const leaseIds = leasesIn(await pull());
        await calls.nack(OF, leaseIds, 60_000);
        expect(await calls.ack(OF, leaseIds)).to.deep.equal({ settled: 0, expired: leaseIds });
      }));

    it('and expired leases share the ten attempts', () =>
      story(async ({ start, note, sleep, rows }) => {
        await note(['one', 'two']);
        const { calls, pull } = start();
        const { leaseId } = only(await pull({ max: 1 }));
        await calls.nack(OF, [leaseId], 0);
        for (let attempt = 2; attempt <= 10; attempt += 1) {
          const pulled = await pull({ leaseMs: 1000 });
          expect(pulled.map((message) => message.attempt)).to.have.members([attempt, attempt - 1]);
          await sleep(1000);
        }
        expect(textsIn(await pull({ leaseMs: 1000 }))).to.deep.equal(['two']);
        await sleep(1000);
        expect(await pull()).to.deep.equal([]);
        expect(rows().map(({ status }) => status)).to.deep.equal(['dead', 'dead']);
      }));
  });

  describe('dead letters', () => {
    /** Lets all messages die at once. */
    const kill = ({ deliveries, clock }: CallsWorld): void => {
      for (const { dueAt: _, lease: __, ...row } of [...deliveries.rows.values()]) {
        if (row.status === 'dead') continue;
        deliveries.rows.set(row.id, {
          ...{ ...row, version: row.version + 1, status: 'dead', tries: 10 },
          finishedAt: clock.now(),
        });
      }
    };
    const plan = async (world: CallsWorld, count: number) => {
      await world.note(upTo(count));
      const process = world.start();
      for (let left = count; left > 0; left -= 1000) await process.pull({ max: 1000 });
      return process;
    };

    it('are replayed by ids, with all attempts before them', () =>
      story(async (world) => {
        const { calls, pull, woken } = await plan(world, 5);
        kill(world);
        const [first, second, third] = world.rows().map(({ id }) => id);
        await calls.retry(TENANT, third!);
        woken.length = 0;
        const ids = [first!, second!, second!, third!, NO_SUCH.subscriptionId];
        expect(await calls.replay(OF, { ids })).to.equal(2);
        expect(woken).to.deep.equal([SUBSCRIPTION]);
        const messages = await pull();
        expect(textsIn(messages)).to.have.members(upTo(3));
        expect(messages.map(({ attempt }) => attempt)).to.deep.equal([1, 1, 1]);
      }));

    it('are replayed by the time of their death, in steps', () =>
      story(async (world) => {
        const { calls } = await plan(world, 1200);
        kill(world);
        const diedAt = world.clock.now();
        await world.sleep(60_000);
        const at = (afterMs: number) => formatInstant((diedAt + afterMs * 1000) as Micros);
        const replay = (fromMs: number, toMs: number) =>
          calls.replay(OF, { from: at(fromMs), to: at(toMs) });
        expect(await replay(-1000, -1)).to.equal(0);
        expect(await replay(1, 1_000_000)).to.equal(0);
        expect(await replay(0, 0)).to.equal(1200);
        expect(world.rows().every(({ status }) => status === 'pending')).to.equal(true);
        expect(await replay(0, 0)).to.equal(0);
      }));

    it('that die again at once are replayed once', () =>
      story(async (world) => {
        await plan(world, 700);
        kill(world);
        const { calls } = world.start((operation) => {
          if (operation === 'list') kill(world);
          return 'ok';
        });
        const from = formatInstant(world.clock.now());
        expect(await calls.replay(OF, { from, to: from })).to.equal(700);
      }));
  });

  describe('retry', () => {
    it('makes a delivery due in any status, unless a consumer holds it', () =>
      story(async ({ start, note, rows, sleep }) => {
        await note(['one']);
        const { calls, pull } = start();
        const leased = leasesIn(await pull({ leaseMs: 1000 }));
        const [row] = rows();
        const retry = () => calls.retry(TENANT, row!.id);
        expect((await retry())?.status).to.equal('pending');
        expect(await pull()).to.deep.equal([]);
        expect(await calls.ack(OF, leased)).to.deep.equal({ settled: 1, expired: [] });

        expect((await retry())?.status).to.equal('pending');
        const again = leasesIn(await pull({ leaseMs: 1000 }));
        await calls.nack(OF, again, 60_000);
        expect((await retry())?.attempts).to.have.length(2);
        expect(await pull({ leaseMs: 1000 })).to.have.length(1);
        await sleep(1000);
        const view = await retry();
        expect(view?.attempts.map(({ errorClass }) => errorClass)).to.deep.equal([
          ...[undefined, 'nacked', 'lease_expired'],
        ]);
        expect(only(await pull()).attempt).to.equal(1);
      }));

    it('knows deliveries of its tenant, of subscriptions that exist', () =>
      story(async ({ start, note, rows, remove }) => {
        await note(['one']);
        const { calls, pull } = start();
        await pull();
        const id = rows()[0]!.id;
        expect(await calls.retry('other', id)).to.equal(undefined);
        expect(await calls.retry(TENANT, SUBSCRIPTION)).to.equal(undefined);
        await remove();
        expect(await calls.retry(TENANT, id)).to.equal(undefined);
      }));
  });

  it('lists deliveries of a tenant', () =>
    story(async ({ start, note }) => {
      await note(upTo(3));
      const { calls, pull } = start();
      const messages = await pull();
      await calls.ack(OF, [messages[1]!.leaseId]);
      const page = { offset: 0, limit: 10 };
      const all = await calls.deliveries({ tenantId: TENANT }, page);
      expect(all).to.have.length(3);
      expect(all[0]).to.have.all.keys(
        ...['id', 'subscriptionId', 'eventId', 'eventType', 'status', 'attempts', 'nextAttemptAt'],
      );
      const [acked] = await calls.deliveries({ tenantId: TENANT, status: 'delivered' }, page);
      expect(acked?.eventId).to.equal(messages[1]?.record.headers['ce-id']);
      expect(await calls.deliveries({ tenantId: 'other' }, page)).to.deep.equal([]);
    }));

  describe('ping', () => {
    it('is delivered whatever the filters, as a system event', () =>
      story(async ({ start, subscribe, clock }) => {
        await subscribe({ filters: { types: [] } });
        const { calls, pull, woken } = start();
        const occurredAt = formatInstant(clock.now()).slice(0, 19);
        const view = await calls.ping(OF);
        expect(woken).to.deep.equal([SUBSCRIPTION]);
        const { record } = only(await pull());
        expect(view).to.include({ eventId: record.headers['ce-id'], status: 'pending' });
        expect(record.key).to.equal('system:ping');
        expect(record.headers).to.include({
          'ce-type': 'studio.quipu.streaming.ping',
          'ce-systemevent': 'true',
          'ce-source': 'quipu.ledger',
        });
        expect(record.headers).to.not.have.property('ce-tenantid');
        const payload = JSON.parse(record.value) as Record<string, string>;
        expect(payload).to.have.all.keys('subscriptionId', 'occurredAt');
        expect(payload['subscriptionId']).to.equal(SUBSCRIPTION);
        expect(payload['occurredAt']).to.equal(record.headers['ce-time']);
        expect(payload['occurredAt']?.slice(0, 19)).to.equal(occurredAt);
      }));

    it('is another one each time, and none for a subscription that is not active', () =>
      story(async ({ start, subscribe, rows }) => {
        const { calls } = start();
        await calls.ping(OF);
        await calls.ping(OF);
        expect(new Set(rows().map(({ eventId }) => eventId)).size).to.equal(2);
        for (const status of ['paused', 'disabled'] as const) {
          await subscribe({ status });
          expect(await calls.ping(OF)).to.equal(undefined);
        }
        expect(rows()).to.have.length(2);
      }));
  });
});
