import { expect } from 'chai';
import type { Uuid } from '#src/kernel/ids.ts';
import type { Instant, Micros } from '#src/kernel/instant.ts';
import type { Delivery, DeliveryStore } from '#src/ports/delivery-store.ts';
import { START, type Position } from '#src/ports/event-store.ts';
import { newName, newUuid } from './samples.ts';

/** Tests the promises of the DeliveryStore port, for every adapter. */
export function deliveryStoreContract(open: () => Promise<DeliveryStore>): void {
  let store: DeliveryStore;
  let subscription: Uuid;
  let tenant: string;

  beforeEach(async () => {
    store = await open();
    subscription = newUuid();
    tenant = newName();
  });
  afterEach(() => store.close());

  const delivery = (n: number, more: Partial<Delivery> = {}): Delivery => ({
    id: newUuid(),
    version: 1,
    subscriptionId: subscription,
    tenantId: tenant,
    position: at(n),
    ordinal: 0,
    eventId: newUuid(),
    eventType: 'studio.quipu.account.created',
    recordKey: `key ${n}`,
    status: 'pending',
    attempts: [],
    tries: 0,
    dueAt: micros(n),
    ...more,
  });
  const plan = (from: number | undefined, to: number, deliveries: readonly Delivery[] = []) =>
    store.plan({
      subscriptionId: subscription,
      from: from === undefined ? undefined : at(from),
      to: at(to),
      deliveries,
    });
  const due = (now: number, { limit = 100, ordered = false } = {}) =>
    store.due(subscription, { now: micros(now), limit, ordered });
  const changed = (before: Delivery, more: Partial<Delivery>): Delivery => {
    const { dueAt, ...rest } = { ...before, version: before.version + 1, ...more };
    return dueAt === undefined ? rest : { ...rest, dueAt };
  };
  const finished = (before: Delivery, status: 'delivered' | 'dead', n: number): Delivery =>
    changed(before, { status, dueAt: undefined as never, finishedAt: micros(n) });

  describe('plans', () => {
    it('begin anywhere, once', async () => {
      expect(await store.progress(subscription)).to.equal(undefined);
      expect(await plan(3, 5)).to.equal(false);
      expect(await plan(undefined, 5)).to.equal(true);
      expect(await plan(undefined, 7)).to.equal(false);
      expect(await store.progress(subscription)).to.deep.equal({ cursor: at(5) });
    });

    it('go on where the one before ended, or change nothing', async () => {
      const [first, second] = [delivery(1), delivery(2)];
      await plan(undefined, 0);
      expect(await plan(0, 1, [first])).to.equal(true);
      expect(await plan(0, 2, [second])).to.equal(false);
      expect(await store.progress(subscription)).to.deep.equal({ cursor: at(1) });
      expect(await due(9)).to.deep.equal([first]);
      expect(await plan(1, 2, [second])).to.equal(true);
      expect(await due(9)).to.deep.equal([first, second]);
    });

    it('keep a delivery that exists already as it is', async () => {
      const first = delivery(1);
      await plan(undefined, 1, [first]);
      const delivered = finished(first, 'delivered', 5);
      await store.replace([delivered]);
      expect(await plan(1, 2, [first, delivery(2)])).to.equal(true);
      expect(await store.get([first.id])).to.deep.equal([delivered]);
    });

    it('of many at once are made by one of them', async () => {
      await plan(undefined, 0);
      const outcomes = await Promise.all(
        Array.from({ length: 8 }, (_, n) => plan(0, 10 + n, [delivery(1)])),
      );
      expect(outcomes.filter(Boolean)).to.have.length(1);
    });

    it('of one subscription say nothing of another', async () => {
      await plan(undefined, 1, [delivery(1)]);
      const other = newUuid();
      expect(await store.progress(other)).to.equal(undefined);
      expect(await store.due(other, { now: micros(9), limit: 9, ordered: false })).to.deep.equal(
        [],
      );
    });
  });

  it('remembers since when a subscription fails, whatever its cursor does', async () => {
    await plan(undefined, 1);
    await store.markFailing(subscription, micros(7));
    await plan(1, 2);
    expect(await store.progress(subscription)).to.deep.equal({
      cursor: at(2),
      failingSince: micros(7),
    });
    await store.markFailing(subscription, undefined);
    expect(await store.progress(subscription)).to.deep.equal({ cursor: at(2) });
  });

  describe('what is due', () => {
    it('is what the time has come for, the earliest first, then in the order of the log', async () => {
      const late = delivery(1, { dueAt: micros(9) });
      const twins = [
        delivery(2, { dueAt: micros(3) }),
        delivery(2, { ordinal: 1, dueAt: micros(3) }),
      ];
      const early = delivery(3, { dueAt: micros(2) });
      await plan(undefined, 3, [late, ...twins.toReversed(), early]);
      expect(await due(1)).to.deep.equal([]);
      expect(await due(3)).to.deep.equal([early, ...twins]);
      expect(await due(9)).to.deep.equal([early, ...twins, late]);
      expect(await due(9, { limit: 2 })).to.deep.equal([early, twins[0]]);
    });

    it('in order is the first of each key alone, and nothing of a key whose first must wait', async () => {
      const of = (n: number, key: string, dueAt: number) =>
        delivery(n, { recordKey: key, dueAt: micros(dueAt) });
      const [a1, a2, b1, b2] = [of(1, 'a', 9), of(2, 'a', 1), of(3, 'b', 1), of(4, 'b', 1)];
      await plan(undefined, 4, [a1, a2, b1, b2]);
      expect(await due(5, { ordered: true })).to.deep.equal([b1]);
      expect(await due(9, { ordered: true })).to.deep.equal([b1, a1]);
      await store.replace([finished(b1, 'dead', 5)]);
      expect(await due(5, { ordered: true })).to.deep.equal([b2]);
    });

    it('is nothing that has ended', async () => {
      const [one, two] = [delivery(1), delivery(2)];
      await plan(undefined, 2, [one, two]);
      await store.replace([finished(one, 'delivered', 5), finished(two, 'dead', 5)]);
      expect(await due(99)).to.deep.equal([]);
    });

    it('comes also from what was added by itself', async () => {
      await plan(undefined, 3);
      const ping = delivery(3);
      expect(await store.add([ping])).to.deep.equal(new Set([ping.id]));
      expect(await store.add([{ ...ping, eventType: 'other' }])).to.have.length(0);
      expect(await due(9)).to.deep.equal([ping]);
    });

    it('comes from topics in the order of their offsets, once there is a cursor', async () => {
      const of = (offset: number, key: string): Delivery =>
        delivery(1, {
          ...{ position: START, ordinal: offset, recordKey: key, dueAt: micros(1) },
          message: { key, headers: { 'ce-id': 'é' }, value: '{"a":"ü"}' },
        });
      const [a1, a2, b1] = [of(2 ** 40, 'a'), of(2 ** 40 + 1, 'a'), of(7, 'b')];
      expect(await store.add([a2, b1])).to.deep.equal(new Set([a2.id, b1.id]));
      expect(await store.add([a1, a2, b1])).to.deep.equal(new Set([a1.id]));
      expect(await due(9)).to.deep.equal([]);
      await plan(undefined, 3);
      expect(await due(9)).to.deep.equal([b1, a1, a2]);
      expect(await due(9, { ordered: true })).to.deep.equal([b1, a1]);
      expect(await store.add([])).to.have.length(0);
    });

    it('is added once, however many add it', async () => {
      await plan(undefined, 3);
      const rows = [1, 2, 3].map((n) => delivery(n, { position: START, ordinal: n }));
      const added = await Promise.all(Array.from({ length: 8 }, () => store.add(rows)));
      const ids = added.flatMap((one) => [...one]).toSorted();
      expect(ids).to.deep.equal(rows.map(({ id }) => id).toSorted());
      expect(await due(9)).to.deep.equal(rows);
    });
  });

  describe('changes', () => {
    it('replace the version before them, and are made by one of many', async () => {
      const one = delivery(1);
      await plan(undefined, 1, [one]);
      const attempts = Array.from({ length: 8 }, (_, n) =>
        changed(one, { status: 'retrying', tries: n, dueAt: micros(20) }),
      );
      const outcomes = await Promise.all(attempts.map((next) => store.replace([next])));
      const winners = attempts.filter((_, n) => outcomes[n]?.has(one.id));
      expect(winners).to.have.length(1);
      expect(await store.get([one.id])).to.deep.equal(winners);
    });

    it('say which of several were made', async () => {
      const [one, two] = [delivery(1), delivery(2)];
      await plan(undefined, 2, [one, two]);
      const next = [
        changed(one, { tries: 1 }),
        { ...two, version: 7 },
        delivery(9, { version: 2 }),
      ];
      expect([...(await store.replace(next))]).to.deep.equal([one.id]);
      expect(await store.replace([])).to.have.length(0);
    });

    it('keep every member, and lose those that are left out', async () => {
      const attempt = {
        at: '2026-01-05T12:00:00.000000Z' as Instant,
        durationMs: 3,
        statusCode: 500,
      };
      const one = delivery(1, {
        message: { key: 'k', headers: { 'ce-id': 'é' }, value: '{"a":1}' },
      });
      await plan(undefined, 1, [one]);
      const leased = changed(one, {
        status: 'retrying',
        tries: 1,
        attempts: [attempt],
        lease: { token: 't', since: micros(4) },
      });
      await store.replace([leased]);
      expect(await store.get([one.id])).to.deep.equal([leased]);
      const { lease: _, ...released } = { ...leased, version: 3 };
      await store.replace([released]);
      expect(await store.get([one.id])).to.deep.equal([released]);
    });
  });

  it('gives what is asked for by id, and nothing for other ids', async () => {
    const one = delivery(1);
    await plan(undefined, 1, [one]);
    expect(await store.get([newUuid(), one.id])).to.deep.equal([one]);
    expect(await store.get([])).to.deep.equal([]);
  });

  it('lists the latest first, by every filter, page by page', async () => {
    const all = Array.from({ length: 5 }, (_, n) => delivery(n + 1)).sort(byId);
    await plan(undefined, 5, all);
    const dead = finished(all[2]!, 'dead', 30);
    await store.replace([dead]);
    const list = (filter: object, offset = 0, limit = 9) =>
      store.list({ tenantId: tenant, ...filter }, offset, limit);
    const shown = all.map((one) => (one.id === dead.id ? dead : one)).toReversed();
    expect(await list({})).to.deep.equal(shown);
    expect(await list({}, 1, 2)).to.deep.equal(shown.slice(1, 3));
    expect(await list({ status: 'dead' })).to.deep.equal([dead]);
    expect(await list({ status: 'pending' })).to.have.length(4);
    expect(await list({ eventId: all[0]!.eventId })).to.deep.equal([all[0]]);
    expect(await list({ subscriptionId: newUuid() })).to.deep.equal([]);
    expect(await list({ from: micros(30), to: micros(31) })).to.deep.equal([dead]);
    expect(await list({ from: micros(31) })).to.deep.equal([]);
    expect(await list({ to: micros(30) })).to.deep.equal([]);
    expect(await store.list({ tenantId: newName() }, 0, 9)).to.deep.equal([]);
  });

  it('counts what is not delivered, and says when the next is due', async () => {
    expect(await store.backlog(subscription)).to.deep.equal({ pending: 0, retrying: 0, dead: 0 });
    const [one, two, three, four] = [delivery(1), delivery(2), delivery(3), delivery(4)];
    await plan(undefined, 4, [one, two, three, four]);
    await store.replace([
      finished(one, 'delivered', 5),
      finished(two, 'dead', 5),
      changed(three, { status: 'retrying', dueAt: micros(50) }),
    ]);
    expect(await store.backlog(subscription)).to.deep.equal({
      ...{ pending: 1, retrying: 1, dead: 1 },
      dueAt: micros(4),
    });
  });

  it('purges what is old, and delivered ones beyond so many, a few at a time', async () => {
    const all = Array.from({ length: 8 }, (_, n) => delivery(n + 1));
    await plan(undefined, 8, all);
    await store.replace([
      ...all.slice(0, 5).map((one, n) => finished(one, 'delivered', 10 + n)),
      ...all.slice(5, 7).map((one, n) => finished(one, 'dead', 10 + n)),
    ]);
    const purge = (limit: number, more: object = {}) =>
      store.purge(subscription, {
        ...{ deliveredBefore: micros(0), deliveredKept: 100, deadBefore: micros(0), limit },
        ...more,
      });
    const left = async () =>
      (await store.get(all.map(({ id }) => id)))
        .map(({ id }) => all.findIndex((one) => one.id === id) + 1)
        .sort();
    expect(await purge(9)).to.equal(0);
    expect(await purge(1, { deliveredBefore: micros(12) })).to.equal(1);
    expect(await purge(9, { deliveredBefore: micros(12) })).to.equal(1);
    expect(await left()).to.deep.equal([3, 4, 5, 6, 7, 8]);
    expect(await purge(9, { deadBefore: micros(11) })).to.equal(1);
    expect(await left()).to.deep.equal([3, 4, 5, 7, 8]);
    expect(await purge(9, { deliveredKept: 2 })).to.equal(1);
    expect(await left()).to.deep.equal([4, 5, 7, 8]);
  });

  it('forgets a subscription, a few at a time', async () => {
    await plan(
      undefined,
      5,
      [1, 2, 3].map((n) => delivery(n)),
    );
    expect(await store.subscriptions()).to.include(subscription);
    expect(await store.forget(subscription, 2)).to.equal(false);
    while (!(await store.forget(subscription, 2))) await store.progress(subscription);
    expect(await store.subscriptions()).not.to.include(subscription);
    expect(await store.progress(subscription)).to.equal(undefined);
    expect(await store.list({ tenantId: tenant }, 0, 9)).to.deep.equal([]);
  });
}

const at = (n: number): Position => String(n).padStart(10, '0') as Position;
const micros = (n: number): Micros => (1_767_614_400_000_000 + n) as Micros;
const byId = (a: Delivery, b: Delivery): number => (a.id < b.id ? -1 : 1);
