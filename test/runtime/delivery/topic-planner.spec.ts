import { expect } from 'chai';
import { receivedRecord } from '#src/bridge/received-record.ts';
import { matchesFilters } from '#src/bridge/subscription-filter.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { formatInstant, parseInstant, type Instant, type Micros } from '#src/kernel/instant.ts';
import type { Subscription, SubscriptionChange } from '#src/kernel/subscription.ts';
import { Unavailable } from '#src/ports/errors.ts';
import { START, type StoredEvent } from '#src/ports/event-store.ts';
import type { IncomingMessage } from '#src/ports/message-source.ts';
import { createBook } from '#src/runtime/delivery/book.ts';
import { createPlanner } from '#src/runtime/delivery/planner.ts';
import { createDeliverySource } from '#src/runtime/delivery/source.ts';
import { createTopicPlanner } from '#src/runtime/delivery/topic-planner.ts';
import { EventRefused, receivedEvent } from '#src/runtime/received-event.ts';
import {
  memoryDeliveryStore,
  newDeliveries,
  type DeliveryFaults,
} from '#test/doubles/memory/delivery-store.ts';
import { MemoryEventStore } from '#test/doubles/memory/event-store.ts';
import { MemoryLog } from '#test/doubles/memory/log.ts';
import { simulate } from '#test/doubles/memory/simulated.ts';
import { subscriptionTo } from '#test/support/deliveries.ts';
import { logged } from '#test/support/relayed.ts';

const WEBHOOK = { kind: 'webhook', url: 'https://receiver.example', timeoutMs: 1000 } as const;
const idOf = (n: number): Uuid => `0190a1c0-0000-7000-8000-${String(n).padStart(12, '0')}` as Uuid;

/** A log with subscriptions, and processes that plan the messages of topics over one store. */
function topicWorld() {
  const { scheduler, clock, run } = simulate(1);
  const log = new MemoryLog();
  const data = newDeliveries();
  const events = new MemoryEventStore({ scheduler, log });
  let subscriptions = 0;

  const start = (faults?: DeliveryFaults, unfinishedMax?: number) => {
    const store = memoryDeliveryStore(scheduler, data, faults);
    const due: Uuid[] = [];
    const book = createBook({
      ...{ log: events, tenants: () => ['default', 'acme'], changeIn, onChange: () => {} },
      journalOf: (tenantId) => `streaming-${tenantId}`,
    });
    const source = createDeliverySource({ log: events, topics: [], scheduler, onNews: () => {} });
    const planner = createPlanner({
      ...{ store, source, book, matches: matchesFilters, clock, scheduler, onTrouble: () => {} },
      positionAt: (instant) => events.positionAt(parseInstant(instant)),
    });
    const topics = createTopicPlanner({
      ...{ book, store, planner, clock, scheduler, matches: matchesFilters },
      ...{
        recordOf: receivedRecord,
        ownSource: 'quipu.ledger',
        recordedAs: (tenantId = 'default') => tenantId,
      },
      onDue: (id) => due.push(id),
      ...(unfinishedMax !== undefined && { unfinishedMax }),
    });
    const plan = (message: IncomingMessage): Promise<void> =>
      topics.plan(receivedEvent(message), message);
    return { plan, due, report: topics.report, store };
  };

  return {
    ...{ run, start, data, clock, scheduler },
    rows: () => [...data.rows.values()],
    async subscribe(changes: Partial<Subscription> = {}, tenantId = 'default'): Promise<Uuid> {
      subscriptions += 1;
      const id = idOf(subscriptions);
      const createdAt = formatInstant(clock.now());
      const subscription = subscriptionTo(WEBHOOK, { id, createdAt, ...changes });
      const change: SubscriptionChange = { is: 'set', subscription };
      const journal = `streaming-${tenantId}`;
      const event = logged(`change ${subscriptions}`, { type: 'Changed', data: change } as never);
      await events.append(journal, [event], log.revision(journal));
      return id;
    },
    message: (n: number, headers: Record<string, string> = {}, key = `key ${n}`) => ({
      ...{ topic: 'other.limit.activated', partition: 0, offset: String(n), key },
      headers: {
        ...{ 'ce-specversion': '1.0', 'ce-id': `event-${n}`, 'ce-source': 'other' },
        ...{ 'ce-type': 'studio.other.limit.activated', 'ce-schemaversion': '1.0.0' },
        ...{ 'ce-resourcetype': 'limit', 'ce-eventtype': 'activated' },
        'ce-time': formatInstant(clock.now()),
        ...headers,
      },
      value: `{"n": ${n}, "amount": 10.50}`,
    }),
  };
}

const changeIn = ({ type, data }: StoredEvent): SubscriptionChange | undefined =>
  type === 'Changed' ? (JSON.parse(data) as SubscriptionChange) : undefined;

describe('plans of topics', () => {
  let world: ReturnType<typeof topicWorld>;
  beforeEach(() => (world = topicWorld()));

  it('hold the message as it came, and are due at once', () =>
    world.run(
      (async () => {
        const id = await world.subscribe();
        await world.subscribe({ filters: { types: ['nothing.*'] } });
        const { plan, due, store } = world.start();
        const message = world.message(7, { traceparent: '00-1', host: 'evil' });
        await plan(message);
        const [row] = await store.due(id, { now: world.clock.now(), limit: 9, ordered: false });
        const { host: _, ...headers } = message.headers as Record<string, string>;
        expect(row).to.deep.include({
          ...{ subscriptionId: id, eventId: 'event-7', position: START, ordinal: 7 },
          ...{ recordKey: 'other.limit.activated\nkey 7', status: 'pending' },
          message: { key: 'key 7', headers, value: message.value },
        });
        expect([world.rows().length, due]).to.deep.equal([1, [id]]);
      })(),
    ));

  it('are made once, by however many and whenever an event comes again', () =>
    world.run(
      (async () => {
        await world.subscribe();
        const [one, two] = [world.start(), world.start()];
        await Promise.all([one.plan(world.message(1)), two.plan(world.message(1))]);
        await world.scheduler.sleep(3_600_000);
        const later = { ...world.message(1, { 'ce-source': 'moved' }), offset: '9' };
        await two.plan(later);
        expect(world.rows()).to.have.length(1);
        expect(one.report().planned + two.report().planned).to.equal(1);
        expect(one.report().repeated + two.report().repeated).to.equal(2);
      })(),
    ));

  it('are those of others, for the tenant named, and since the subscription began', () =>
    world.run(
      (async () => {
        await world.scheduler.sleep(3_600_000);
        const now = world.clock.now();
        const at = (ms: number): Instant => formatInstant((now + ms * 1000) as Micros);
        const ours = await world.subscribe();
        const theirs = await world.subscribe({}, 'acme');
        const since = await world.subscribe({ startAt: at(-1_800_000) });
        const process = world.start();
        const plan = async (n: number, headers: Record<string, string>): Promise<Uuid[]> => {
          await process.plan(world.message(n, headers));
          const rows = world.rows().filter(({ eventId }) => eventId === `event-${n}`);
          return rows.map(({ subscriptionId }) => subscriptionId);
        };
        expect(await plan(1, { 'ce-source': 'quipu.ledger' })).to.deep.equal([]);
        expect(await plan(2, { 'ce-tenantid': 'acme' })).to.deep.equal([theirs]);
        expect(await plan(3, { 'ce-tenantid': 'default' })).to.deep.equal([ours, since]);
        expect(await plan(4, { 'ce-tenantid': 'unknown' })).to.deep.equal([]);
        expect(await plan(5, { 'ce-time': at(-59_000) })).to.deep.equal([ours, since]);
        expect(await plan(6, { 'ce-time': at(-61_000) })).to.deep.equal([since]);
        expect(await plan(7, { 'ce-time': at(-1_800_001) })).to.deep.equal([]);
        const report = { planned: 4, repeated: 0, unmatched: 2, own: 1 };
        expect(process.report()).to.deep.equal(report);
      })(),
    ));

  it('keep the order of a topic and key, and of nothing else', () =>
    world.run(
      (async () => {
        const id = await world.subscribe({ ordering: 'key' });
        const { plan, store } = world.start();
        // Two members of the group may add what they were given before and after a rebalance in any order.
        for (const [n, key] of [
          [3, 'a'],
          [2, 'a'],
          [4, 'b'],
          [5, ''],
          [6, ''],
        ] as const) {
          await plan(world.message(n, {}, key));
        }
        await plan({ ...world.message(1, {}, 'a'), topic: 'other.limit.closed' });
        const now = world.clock.now();
        const due = await store.due(id, { now, limit: 9, ordered: true });
        const places = due.map(({ ordinal }) => ordinal).sort();
        expect(places).to.deep.equal([1, 2, 4, 5, 6]);
      })(),
    ));

  it('are refused for a subscription that has no room, and made for the others', () =>
    world.run(
      (async () => {
        const full = await world.subscribe({ filters: { types: ['limit.*'] } });
        const { plan, store } = world.start(undefined, 2);
        for (const n of [1, 2]) await plan(world.message(n));
        const other = await world.subscribe();
        const outcome = await plan(world.message(3)).catch((error: unknown) => error);
        expect(outcome).to.be.instanceOf(EventRefused).and.include({ kind: 'backlog_full' });
        expect(String(outcome)).to.include(full);
        const of = (id: Uuid) => world.rows().filter(({ subscriptionId }) => subscriptionId === id);
        expect([of(full).length, of(other).length]).to.deep.equal([2, 1]);

        // Delivered ones make room, once they are counted again; the event comes from its dead letters.
        const [first] = of(full);
        const { dueAt: _, ...rest } = first!;
        await store.replace([{ ...rest, version: 1, status: 'delivered' }]);
        await world.scheduler.sleep(2000);
        await plan(world.message(3));
        expect([of(full).length, of(other).length]).to.deep.equal([3, 1]);
      })(),
    ));

  it('are made again where the store did not respond, and none twice', () =>
    world.run(
      (async () => {
        await world.subscribe();
        const fates = ['refused', 'unanswered', 'ok'] as const;
        let calls = 0;
        const { plan } = world.start((operation) =>
          operation === 'add' ? (fates[calls++] ?? 'ok') : 'ok',
        );
        for (const fate of fates) {
          const outcome = await plan(world.message(1)).catch((error: unknown) => error);
          if (fate === 'ok') expect(outcome).to.equal(undefined);
          else expect(outcome).to.be.instanceOf(Unavailable);
        }
        expect(world.rows()).to.have.length(1);
      })(),
    ));
});
