import { receivedRecord } from '#src/bridge/received-record.ts';
import { matchesFilters } from '#src/bridge/subscription-filter.ts';
import { SINGLE_TENANT } from '#src/kernel/tenant.ts';
import { majorOf } from '#src/bridge/topic-name.ts';
import type { ConsumedTopics, KafkaSourceOptions } from '#src/adapters/kafka/source.ts';
import type { MessageSource } from '#src/ports/message-source.ts';
import { createEventConsumer } from '#src/runtime/event-consumer.ts';
import {
  createTopicPlanner,
  type PlannedTopics,
  type TopicPlannerOptions,
} from '#src/runtime/delivery/topic-planner.ts';
import type { KafkaConsumerSettings } from './consumer-settings.ts';
import { catalog } from './definitions.ts';

export type TopicsReport = Partial<ConsumedTopics> &
  Readonly<{
    /** The current fault, until topics are consumed again. */
    trouble?: string;
    /** The messages by their outcome, since the start. */
    messages: PlannedTopics & Readonly<{ parked: number; dead: number }>;
  }>;

/** Consumes topics and plans the deliveries of their events. */
export type TopicConsumer = Readonly<{
  run(): Promise<void>;
  close(): Promise<void>;
}>;

type TopicConsumerOptions = Pick<
  TopicPlannerOptions,
  'book' | 'store' | 'planner' | 'ownSource' | 'clock' | 'scheduler' | 'onDue'
> &
  Readonly<{
    settings: KafkaConsumerSettings;
    platform: string;
    /** The tenant that owns what was recorded for a single one. */
    defaultTenant: string | undefined;
    onReport: (report: TopicsReport) => void;
    onTrouble: (message: string) => void;
  }>;

export function openTopicConsumer(options: TopicConsumerOptions): TopicConsumer {
  const { settings, platform, scheduler, onReport, onTrouble } = options;
  const planner = createTopicPlanner({
    ...options,
    ...{ recordOf: receivedRecord, matches: matchesFilters },
    recordedAs: (tenantId = SINGLE_TENANT) =>
      tenantId === options.defaultTenant ? SINGLE_TENANT : tenantId,
  });
  let consumed: ConsumedTopics | undefined;
  let brokerFault: string | undefined;
  /** The fault of the store or of a dead-letter topic, and the messages done when it occurred. */
  let workFault: Readonly<{ message: string; done: number }> | undefined;
  let closed = false;
  const isClosed = (): boolean => closed;

  const done = (): number => {
    const { handled, parked, dead } = consumer.report();
    return handled + parked + dead;
  };
  const heard = (message: string, known: string | undefined): string => {
    if (message !== known) onTrouble(`Topics: ${message}`);
    return message;
  };
  const source = kafkaSource(settings, {
    onFault: (message) => {
      consumed = undefined;
      brokerFault = heard(message, brokerFault);
    },
    onJoined: (topics) => {
      consumed = topics;
      brokerFault = undefined;
    },
  });
  const consumer = createEventConsumer({
    ...{ source, settings, scheduler, platform, clock: options.clock },
    store: EACH_IS_NEW,
    handle: (event, { message }) => planner.plan(event, message),
    knows: isKnownMajor,
    consumerId: settings.clientId,
    onFault: (message) => {
      workFault = { message: heard(message, workFault?.message), done: done() };
    },
  });

  const report = (): TopicsReport => {
    if (workFault !== undefined && done() > workFault.done) workFault = undefined;
    const trouble = brokerFault ?? workFault?.message;
    const { parked, dead } = consumer.report();
    return {
      ...consumed,
      ...(trouble !== undefined && { trouble }),
      messages: { ...planner.report(), parked, dead },
    };
  };
  const keepReporting = async (): Promise<void> => {
    while (!isClosed()) {
      onReport(report());
      await scheduler.sleep(REPORT_EVERY_MS);
    }
  };

  return {
    async run() {
      void keepReporting();
      await consumer.run();
    },
    async close() {
      closed = true;
      await consumer.close();
    },
  };
}

/** Consumes as a group; the driver is loaded when it runs. */
function kafkaSource(
  { kafka, ...settings }: KafkaConsumerSettings,
  reports: Required<Pick<KafkaSourceOptions, 'onFault' | 'onJoined'>>,
): MessageSource {
  const opened = import('#src/adapters/kafka/source.ts').then(({ createKafkaSource }) =>
    createKafkaSource({
      ...{ ...kafka, ...settings, ...reports },
      // Topics are noticed after their first events; older ones are left out by the time of the subscription.
      startAt: 'beginning',
      sessionTimeoutMs: SESSION_MS,
    }),
  );
  return {
    run: async (take) => (await opened).run(take),
    bury: async (message, more) => (await opened).bury(message, more),
    close: async () => (await opened).close(),
  };
}

/** The store of deliveries recognizes an event that comes again. */
const EACH_IS_NEW = { has: () => false, remember: () => true };

/** Parks a major that the catalog lacks. It says nothing about other keys, whose payloads are passed on unread. */
function isKnownMajor(key: string, major: number): boolean {
  const known = catalog.filter((definition) => definition.key === key);
  return (
    known.length === 0 || known.some((definition) => majorOf(definition.schemaVersion) === major)
  );
}

/** A member that crashed is replaced after this time. */
const SESSION_MS = 10_000;
const REPORT_EVERY_MS = 2000;
