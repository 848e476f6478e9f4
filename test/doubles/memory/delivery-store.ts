import type { Uuid } from '#src/kernel/ids.ts';
import type { Delivery, DeliveryStore, SubscriptionProgress } from '#src/ports/delivery-store.ts';
import { Unavailable } from '#src/ports/errors.ts';
import type { Scheduler } from '#src/ports/scheduler.ts';

/** The stored rows, which outlive the stores that are opened over them, as those of a database do. */
export type MemoryDeliveries = Readonly<{
  progress: Map<Uuid, SubscriptionProgress>;
  rows: Map<Uuid, Delivery>;
}>;

export const newDeliveries = (): MemoryDeliveries => ({ progress: new Map(), rows: new Map() });

/** A call that fails: `refused` before anything is stored, `unanswered` after everything is. */
export type StoreFate = 'ok' | 'refused' | 'unanswered';
export type DeliveryFaults = (operation: keyof DeliveryStore) => StoreFate;

/** Deliveries in memory, and faults on request. */
export function memoryDeliveryStore(
  scheduler: Scheduler,
  data: MemoryDeliveries = newDeliveries(),
  faults: DeliveryFaults = () => 'ok',
): DeliveryStore {
  const { progress, rows } = data;

  const call = async <Result>(
    operation: keyof DeliveryStore,
    work: () => Result,
  ): Promise<Result> => {
    await scheduler.yield();
    const fate = faults(operation);
    if (fate === 'refused') throw new Unavailable(`${operation} is refused`);
    const result = work();
    await scheduler.yield();
    if (fate === 'unanswered') throw new Unavailable(`${operation} has no response`);
    return result;
  };
  const of = (id: Uuid): Delivery[] =>
    [...rows.values()].filter((row) => row.subscriptionId === id).sort(byPlace);

  return {
    progress: (id) => call('progress', () => progress.get(id)),
    plan: ({ subscriptionId, from, to, deliveries }) =>
      call('plan', () => {
        const known = progress.get(subscriptionId);
        if (known?.cursor !== from) return false;
        progress.set(subscriptionId, { ...known, cursor: to });
        for (const row of deliveries) if (!rows.has(row.id)) rows.set(row.id, row);
        return true;
      }),
    markFailing: (id, since) =>
      call('markFailing', () => {
        const known = progress.get(id);
        if (known === undefined) return;
        const { cursor } = known;
        progress.set(id, { cursor, ...(since !== undefined && { failingSince: since }) });
      }),
    add: (deliveries) =>
      call('add', () => {
        const fresh = deliveries.filter(({ id }) => !rows.has(id));
        for (const row of fresh) rows.set(row.id, row);
        return new Set(fresh.map(({ id }) => id));
      }),
    due: (id, { now, limit, ordered }) =>
      call('due', () => {
        const cursor = progress.get(id)?.cursor;
        const keys = new Set<string>();
        return [...rows.values()]
          .filter((row) => row.subscriptionId === id && row.dueAt !== undefined)
          .filter(({ position }) => cursor !== undefined && position <= cursor)
          .sort(byPlace)
          .filter(({ recordKey }) => {
            const isFirst = !keys.has(recordKey);
            keys.add(recordKey);
            return isFirst || !ordered;
          })
          .filter(({ dueAt = Infinity }) => dueAt <= now)
          .sort((a, b) => (a.dueAt ?? 0) - (b.dueAt ?? 0) || byPlace(a, b))
          .slice(0, limit);
      }),
    get: (ids) => call('get', () => ids.flatMap((id) => rows.get(id) ?? [])),
    replace: (next) =>
      call('replace', () => {
        const replaced = next.filter(({ id, version }) => rows.get(id)?.version === version - 1);
        for (const row of replaced) rows.set(row.id, row);
        return new Set(replaced.map(({ id }) => id));
      }),
    list: ({ tenantId, subscriptionId, status, eventId, from, to }, offset, limit) =>
      call('list', () =>
        [...rows.values()]
          .filter(
            (row) =>
              row.tenantId === tenantId &&
              (subscriptionId === undefined || row.subscriptionId === subscriptionId) &&
              (status === undefined || row.status === status) &&
              (eventId === undefined || row.eventId === eventId) &&
              (from === undefined || (row.finishedAt ?? -1) >= from) &&
              (to === undefined || (row.finishedAt ?? Infinity) < to),
          )
          .sort((a, b) => (a.id < b.id ? 1 : -1))
          .slice(offset, offset + limit),
      ),
    backlog: (id) =>
      call('backlog', () => {
        const count = (status: string): number =>
          of(id).filter((row) => row.status === status).length;
        const dueAt = of(id).reduce(
          (least, row) => Math.min(least, row.dueAt ?? Infinity),
          Infinity,
        );
        return {
          ...{ pending: count('pending'), retrying: count('retrying'), dead: count('dead') },
          ...(dueAt !== Infinity && { dueAt: dueAt as never }),
        };
      }),
    subscriptions: () =>
      call('subscriptions', () => {
        const ofRows = [...rows.values()].map(({ subscriptionId }) => subscriptionId);
        return [...new Set([...progress.keys(), ...ofRows])];
      }),
    purge: (id, { deliveredBefore, deliveredKept, deadBefore, limit }) =>
      call('purge', () => {
        const finished = of(id).sort((a, b) => (b.finishedAt ?? 0) - (a.finishedAt ?? 0));
        const old = finished
          .filter(({ status }) => status === 'delivered')
          .filter(({ finishedAt = 0 }, n) => n >= deliveredKept || finishedAt < deliveredBefore);
        const dead = finished.filter(
          ({ status, finishedAt = 0 }) => status === 'dead' && finishedAt < deadBefore,
        );
        const gone = [...old, ...dead].slice(0, limit);
        for (const row of gone) rows.delete(row.id);
        return gone.length;
      }),
    forget: (id, limit) =>
      call('forget', () => {
        const gone = of(id).slice(0, limit);
        for (const row of gone) rows.delete(row.id);
        if (of(id).length > 0) return false;
        progress.delete(id);
        return true;
      }),
    close: async () => {},
  };
}

const byPlace = (a: Delivery, b: Delivery): number =>
  a.position === b.position ? a.ordinal - b.ordinal : a.position < b.position ? -1 : 1;
