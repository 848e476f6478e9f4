import { subscriptionChangeIn } from '#src/bridge/streaming/subscription-change.ts';
import { pingDraft } from '#src/bridge/streaming/system-event.ts';
import { matchesFilters } from '#src/bridge/subscription-filter.ts';
import type { DisableSubscriptions } from '#commands/streaming/processes/disable-subscription.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { parseInstant } from '#src/kernel/instant.ts';
import { streamingJournal } from '#src/kernel/journal-name.ts';
import type { DeliveryCalls } from '#src/ports/delivery-calls.ts';
import type { DeliveryTarget } from '#src/ports/delivery-target.ts';
import { Unavailable } from '#src/ports/errors.ts';
import type { Ids } from '#src/ports/ids.ts';
import { createBook } from '#src/runtime/delivery/book.ts';
import { createDeliveryCalls } from '#src/runtime/delivery/calls.ts';
import { createDispatcher, type Dispatcher } from '#src/runtime/delivery/dispatcher.ts';
import { createPlanner } from '#src/runtime/delivery/planner.ts';
import { createDeliverySource } from '#src/runtime/delivery/source.ts';
import { holdRole } from '#src/runtime/hold-role.ts';
import { memoryDeliveryStore } from '#test/doubles/memory/delivery-store.ts';
import { memoryLeases } from '#test/doubles/memory/leases.ts';
import { producer } from '#test/support/relayed.ts';
import { TOPICS } from './publishing.ts';
import { ThreadLog, type Thread, type ThreadLife } from './thread.ts';
import type { World } from './world.ts';

type Options = Readonly<{
  world: World;
  life: ThreadLife;
  ids: Ids;
  /** Serves in the process of the thread. */
  disable: DisableSubscriptions;
  randomBytes: (size: number) => Uint8Array;
}>;

/** Serves the calls of consumers, and delivers to the receivers while this thread has the lease. */
export function startDelivering({
  world,
  life,
  ids,
  disable,
  randomBytes,
}: Options): DeliveryCalls {
  const { simFaults, leases, deliveries, exclusive, holders } = world;
  const { scheduler, wire, name, heard } = life;
  const { clock } = simFaults;
  const log = new ThreadLog(world, scheduler);
  const store = heard(memoryDeliveryStore(wire, deliveries.data, simFaults.deliveries));
  const onTrouble = (message: string): void => {
    world.note(`${name}: ${message}`);
  };
  let running: Dispatcher | undefined;
  const news = (id?: Uuid): void => {
    running?.wake(id);
    api.look();
  };
  const source = createDeliverySource({ log, scheduler, onNews: news, topics: TOPICS });
  const book = createBook({
    ...{
      log,
      tenants: () => ['default'],
      journalOf: streamingJournal,
      changeIn: subscriptionChangeIn,
    },
    onChange: news,
  });
  const planner = createPlanner({
    ...{ store, source, book, matches: matchesFilters, clock, scheduler, onTrouble },
    positionAt: (instant) => log.positionAt(parseInstant(instant)),
  });
  const api = createDeliveryCalls({
    ...{ book, store, source, planner, clock, scheduler, ids, randomBytes },
    ping: (facts) => pingDraft(facts, producer),
    wake: (id) => running?.due(id),
  });
  const target: DeliveryTarget = heard({
    async send({ record, subscription: { id } }) {
      deliveries.sent(id, record);
      const fate = simFaults.receive();
      await wire.yield();
      if (fate.arrives) deliveries.received(id, record);
      await wire.yield();
      return fate.outcome;
    },
    close: async () => {},
  });
  const role = holdRole({
    ...{ name: 'delivery', holder: name, leases: memoryLeases(scheduler, leases), scheduler },
    isGone: (holder) => exclusive && !holders.has(holder),
    begin: async () => {
      running = createDispatcher({
        ...{ book, store, source, planner, target, scheduler, clock, onTrouble },
        closeTimeoutMs: 5000,
        onReport: () => undefined,
        disable: async ({ tenantId, subscription }) => {
          await scheduler.yield();
          return heard({ disable }).disable(tenantId, subscription.id);
        },
      });
      return running;
    },
    onFault: (error) => {
      onTrouble(String(error));
    },
  });
  void role.run();
  return api.calls;
}

/** Passes calls on to the thread that delivers, as the process does. Errors: Unavailable while it is dead. */
export function callsTo(thread: Thread<DeliveryCalls> | undefined): DeliveryCalls {
  const call =
    (name: keyof DeliveryCalls) =>
    async (...parameters: readonly unknown[]): Promise<unknown> => {
      const served = thread?.served();
      const lost = (): never => {
        throw new Unavailable('The delivery service is starting again');
      };
      if (served === undefined) return lost();
      await served.by.scheduler.yield();
      const calls = served.is as unknown as Record<string, (...of: readonly unknown[]) => unknown>;
      return Promise.race([calls[name]?.(...parameters), served.by.died.then(lost)]);
    };
  return new Proxy({} as DeliveryCalls, {
    get: (_, name) => call(name as keyof DeliveryCalls),
  });
}
