import type { DeliveryStatus, DeliveryView } from '#src/kernel/delivery.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { formatInstant, parseInstant, type Instant, type Micros } from '#src/kernel/instant.ts';
import type {
  DeadLetterSelection,
  DeliveryCalls,
  LeasesSettled,
  SubscriptionAddress,
} from '#src/ports/delivery-calls.ts';
import type { Delivery } from '#src/ports/delivery-store.ts';
import { Unavailable } from '#src/ports/errors.ts';
import type { Ids } from '#src/ports/ids.ts';
import type { Draft } from '#src/ports/publisher.ts';
import type { BookedSubscription } from './book.ts';
import {
  acknowledged,
  dueAgain,
  isHeld,
  prolonged,
  readLeaseId,
  returned,
  type LeaseName,
} from './message-lease.ts';
import { createPulls, pulled, type PullParts } from './pulls.ts';
import { planned, viewOf } from './transitions.ts';

export type DeliveryCallParts = PullParts &
  Readonly<{
    ids: Pick<Ids, 'next'>;
    ping: (facts: Readonly<{ ceId: Uuid; occurredAt: Instant; subscriptionId: Uuid }>) => Draft;
    /** Called for a subscription of which deliveries became due. */
    wake: (id: Uuid) => void;
  }>;

/** The calls, and what their owner reports to them. */
export type DeliveryDesk = Readonly<{
  calls: DeliveryCalls;
  /** Reports that the log grew. */
  look(): void;
  /** Reports that deliveries of a subscription became due. */
  due(id: Uuid): void;
  /** Ends pulls that wait. */
  stop(): void;
}>;

/** A change of a message by the consumer that holds its lease. */
type LeaseChange = Readonly<{
  change: (held: Delivery, now: Micros) => Delivery;
  /** The status of a delivery that this change finished before. */
  settledAs?: DeliveryStatus;
}>;

export function createDeliveryCalls(parts: DeliveryCallParts): DeliveryDesk {
  const { book, store, planner, clock, scheduler } = parts;
  const pulls = createPulls(parts);

  const becameDue = (id: Uuid): void => {
    pulls.due(id);
    parts.wake(id);
  };

  const booked = async (of: SubscriptionAddress): Promise<BookedSubscription | undefined> => {
    await book.refresh();
    const found = book.get(of.subscriptionId);
    return found?.tenantId === of.tenantId ? found : undefined;
  };

  const settle = async (
    of: SubscriptionAddress,
    leaseIds: readonly string[],
    { change, settledAs }: LeaseChange,
  ): Promise<LeasesSettled | undefined> => {
    const { subscriptionId } = of;
    if (book.get(subscriptionId) === undefined) await book.refresh();
    const found = pulled(book.get(subscriptionId), of);
    if (found === undefined) return undefined;
    const all = new Set(leaseIds);
    const settled = new Set<string>();
    let open = leasesIn(all);
    for (let round = 0; open.size > 0; round += 1) {
      if (round === ROUNDS_MAX) throw new Unavailable('Other consumers change these messages');
      const names = [...open.values()];
      const rows = await store.get([...new Set(names.map(({ id }) => id))]);
      const byId = new Map(rows.map((row) => [row.id, row]));
      const now = clock.now();
      const changes = new Map<string, Delivery>();
      for (const [leaseId, { id, token }] of open) {
        const row = byId.get(id);
        if (row === undefined || !isOf(of, row) || row.lease?.token !== token) continue;
        if (isHeld(row, now)) changes.set(leaseId, change(row, now));
        else if (row.status === settledAs) settled.add(leaseId);
      }
      if (changes.size === 0) break;
      const replaced = await store.replace([...changes.values()]);
      for (const [leaseId, { id }] of changes) if (replaced.has(id)) settled.add(leaseId);
      // What another writer changed meanwhile is looked at again.
      open = leasesIn([...changes.keys()].filter((leaseId) => !settled.has(leaseId)));
    }
    // An acknowledgment lets the next message of its key go.
    const mayBeDue = settledAs !== 'delivered' || found.subscription.ordering === 'key';
    if (settled.size > 0 && mayBeDue) pulls.due(subscriptionId);
    return { settled: settled.size, expired: [...all].filter((one) => !settled.has(one)) };
  };

  /** Makes dead deliveries due. Returns how many: others were changed meanwhile. */
  const revive = async (of: SubscriptionAddress, found: readonly Delivery[]): Promise<number> => {
    const dead = found.filter((row) => isOf(of, row) && row.status === 'dead');
    if (dead.length === 0) return 0;
    const now = clock.now();
    const { size } = await store.replace(dead.map((row) => dueAgain(row, now)));
    if (size > 0) becameDue(of.subscriptionId);
    return size;
  };

  const reviveWindow = async (
    of: SubscriptionAddress,
    from: Micros,
    until: Micros,
  ): Promise<number> => {
    // One that dies again is not replayed twice by the same call.
    const to = Math.min(until, clock.now()) as Micros;
    const filter = { ...of, status: 'dead' as const, from, to: (to + 1) as Micros };
    const seen = new Set<Uuid>();
    let count = 0;
    for (let offset = 0; ;) {
      const found = await store.list(filter, offset, STEP);
      const fresh = found.filter(({ id }) => !seen.has(id));
      for (const { id } of fresh) seen.add(id);
      count += await revive(of, fresh);
      if (found.length < STEP) return count;
      // Replayed ones leave the list, unless they die again.
      if (fresh.length === 0) offset += STEP;
      await scheduler.yield();
    }
  };

  const reviveSelected = async (
    of: SubscriptionAddress,
    selection: DeadLetterSelection,
  ): Promise<number> => {
    if (!('ids' in selection)) {
      return reviveWindow(of, parseInstant(selection.from), parseInstant(selection.to));
    }
    const ids = [...new Set(selection.ids)];
    let count = 0;
    for (let from = 0; from < ids.length; from += STEP) {
      count += await revive(of, await store.get(ids.slice(from, from + STEP)));
    }
    return count;
  };

  const retry = async (tenantId: string, deliveryId: Uuid): Promise<DeliveryView | undefined> => {
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      const [row] = await store.get([deliveryId]);
      if (row?.tenantId !== tenantId) return undefined;
      if ((await booked(row)) === undefined) return undefined;
      const now = clock.now();
      // Two consumers must not hold one message.
      if (isHeld(row, now)) return viewOf(row);
      const next = dueAgain(row, now);
      if ((await store.replace([next])).size === 0) continue;
      becameDue(row.subscriptionId);
      return viewOf(next);
    }
    throw new Unavailable('This delivery is being changed');
  };

  const ping = async (of: SubscriptionAddress): Promise<DeliveryView | undefined> => {
    const found = await booked(of);
    if (found?.subscription.status !== 'active') return undefined;
    const now = clock.now();
    const { subscriptionId, tenantId } = of;
    const facts = { ceId: parts.ids.next(), occurredAt: formatInstant(now), subscriptionId };
    const { fault, ...record } = parts.ping(facts);
    const position = await planner.cursor(found);
    const delivery = planned({
      ...{ subscriptionId, tenantId, record, position, ordinal: 0, now },
      ...(fault !== undefined && { fault }),
    });
    await store.add([{ ...delivery, message: record }]);
    becameDue(subscriptionId);
    return viewOf(delivery);
  };

  const calls: DeliveryCalls = {
    pull: pulls.pull,
    ack: (of, leaseIds) => settle(of, leaseIds, { change: acknowledged, settledAs: 'delivered' }),
    nack: (of, leaseIds, delayMs) =>
      settle(of, leaseIds, {
        change: (held, now) => returned(held, now, delayMs),
        settledAs: 'dead',
      }),
    extend: (of, leaseIds, leaseMs) =>
      settle(of, leaseIds, { change: (held, now) => prolonged(held, now, leaseMs) }),
    async deliveries(search, { offset, limit }) {
      return (await store.list(search, offset, limit)).map(viewOf);
    },
    retry,
    async replay(of, selection) {
      if ((await booked(of)) === undefined) return undefined;
      return reviveSelected(of, selection);
    },
    ping,
  };

  return { calls, look: pulls.look, due: becameDue, stop: pulls.stop };
}

const isOf = (of: SubscriptionAddress, row: Delivery): boolean =>
  row.subscriptionId === of.subscriptionId && row.tenantId === of.tenantId;

function leasesIn(leaseIds: Iterable<string>): ReadonlyMap<string, LeaseName> {
  const leases = new Map<string, LeaseName>();
  for (const leaseId of leaseIds) {
    const lease = readLeaseId(leaseId);
    if (lease !== undefined) leases.set(leaseId, lease);
  }
  return leases;
}

const ROUNDS_MAX = 10;
/** The dead letters that are read and replayed at once. */
const STEP = 500;
