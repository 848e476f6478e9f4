import {
  systemClock,
  systemIds,
  systemRandomBytes,
  systemScheduler,
} from '#src/adapters/system.ts';
import { subscriptionChangeIn } from '#src/bridge/streaming/subscription-change.ts';
import { pingDraft } from '#src/bridge/streaming/system-event.ts';
import { matchesFilters } from '#src/bridge/subscription-filter.ts';
import type { DeliverySettings } from '#src/components/streaming/delivery-settings.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { parseInstant } from '#src/kernel/instant.ts';
import { streamingJournal } from '#src/kernel/journal-name.ts';
import type { DeliveryCalls } from '#src/ports/delivery-calls.ts';
import type { DeliveryStore } from '#src/ports/delivery-store.ts';
import type { EventStore } from '#src/ports/event-store.ts';
import type { SecretStore } from '#src/ports/secret-store.ts';
import type { Tracing } from '#src/ports/tracing.ts';
import { createBook } from '#src/runtime/delivery/book.ts';
import { createDeliveryCalls } from '#src/runtime/delivery/calls.ts';
import { createDispatcher, type Dispatcher } from '#src/runtime/delivery/dispatcher.ts';
import { createPlanner } from '#src/runtime/delivery/planner.ts';
import type { DeliveryReport } from '#src/runtime/delivery/report.ts';
import { createDeliverySource } from '#src/runtime/delivery/source.ts';
import type { KafkaConsumerSettings } from './consumer-settings.ts';
import { publishedTopics } from './definitions.ts';
import { openDeliveryTargets } from './delivery-targets.ts';
import type { StreamingSettings } from './streaming-settings.ts';
import { recordedTenants, type Tenancy } from './tenants.ts';
import { openTopicConsumer, type TopicConsumer, type TopicsReport } from './topic-consumer.ts';
import { tracedTarget } from './tracing.ts';

type DeliveryRoleOptions = Readonly<{
  platform: string;
  /** Undefined while one tenant is served. */
  tenancy: Tenancy | undefined;
  streaming: StreamingSettings;
  settings: DeliverySettings;
  /** The topics of other producers; undefined if only the log is delivered, or another process consumes them. */
  consumer: KafkaConsumerSettings | undefined;
  log: Pick<EventStore, 'read' | 'readAll' | 'at' | 'end' | 'subscribe' | 'positionAt'>;
  store: DeliveryStore;
  /** Opens the secrets on first use. */
  secrets: () => Promise<SecretStore>;
  /** Disables a subscription for good or until it is resumed; durable when it resolves. Errors: Unavailable. */
  disable: (tenantId: string, id: Uuid) => Promise<void>;
  /** Records each attempt to deliver. */
  tracing?: Tracing | undefined;
  onReport: (report: DeliveryReport) => void;
  onTopics: (report: TopicsReport) => void;
  onTrouble: (message: string) => void;
}>;

export type DeliveryRole = Readonly<{
  calls: DeliveryCalls;
  /** Returns what delivers to push targets; one process at a time runs it. */
  dispatcher(): Dispatcher;
  /** Plans the deliveries of topics; undefined if there are none to consume. */
  topics: TopicConsumer | undefined;
  close(): Promise<void>;
}>;

/** Assembles the delivery service over stores that are open. */
export function openDeliveryRole(options: DeliveryRoleOptions): DeliveryRole {
  const { platform, streaming, log, store, onTrouble } = options;
  const { source: ceSource, partitionKey, policies, clientId, closeTimeoutMs } = streaming;
  const [clock, scheduler] = [systemClock, systemScheduler];
  const { defaultTenant } = options.tenancy ?? {};
  const producer = { platform, source: ceSource, partitionKey, defaultTenant };
  let running: Dispatcher | undefined;
  const news = (id?: Uuid): void => {
    running?.wake(id);
    api.look();
  };
  const source = createDeliverySource({
    ...{ log, scheduler, onNews: news },
    onDamage: (damage) => {
      onTrouble(`${damage.message}; its events are delivered once it is whole`);
    },
    topics: publishedTopics(producer, policies),
  });
  // Follows the log from its end, so that the first subscription is noticed at once; later reads try again.
  void source
    .end()
    .then((end) => source.after(end, 1))
    .catch(() => undefined);
  const book = createBook({
    ...{ log, journalOf: streamingJournal, changeIn: subscriptionChangeIn },
    tenants: recordedTenants(log, options.tenancy),
    onChange: news,
  });
  const planner = createPlanner({
    ...{ store, source, book, matches: matchesFilters, clock, scheduler, onTrouble },
    positionAt: (instant) => log.positionAt(parseInstant(instant)),
  });
  const api = createDeliveryCalls({
    ...{ book, store, source, planner, clock, scheduler, ids: systemIds() },
    randomBytes: systemRandomBytes,
    ping: (facts) => pingDraft(facts, producer),
    wake: (id) => running?.due(id),
  });
  const topics =
    options.consumer &&
    openTopicConsumer({
      ...{ settings: options.consumer, platform, ownSource: ceSource, book, store, planner },
      defaultTenant,
      ...{ clock, scheduler, onTrouble, onReport: options.onTopics },
      onDue: (id) => {
        api.due(id);
      },
    });
  const target = tracedTarget(
    openDeliveryTargets({
      ...options.settings,
      ...{ clientId, secrets: options.secrets, scheduler },
    }),
    options.tracing,
  );
  return {
    calls: api.calls,
    topics,
    dispatcher() {
      running = createDispatcher({
        ...{ book, store, source, planner, target, scheduler, clock, closeTimeoutMs, onTrouble },
        onReport: options.onReport,
        disable: ({ tenantId, subscription }, reason) => {
          onTrouble(`Subscription ${subscription.name} is disabled: ${reason}`);
          return options.disable(tenantId, subscription.id);
        },
      });
      return running;
    },
    async close() {
      api.stop();
      await target.close();
      await source.close();
    },
  };
}
