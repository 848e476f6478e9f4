import type { DatabaseSync } from 'node:sqlite';
import { createBalanceVersions, createSqliteSeenIds } from '#src/adapters/embedded/seen-ids.ts';
import type { RabbitSourceOptions } from '#src/adapters/rabbitmq/source.ts';
import { systemClock, systemScheduler } from '#src/adapters/system.ts';
import { readConsumerSettings, readRetrySettings } from '#src/bootstrap/consumer-settings.ts';
import { SettingReader, type Environment } from '#src/kernel/setting-reader.ts';
import type { MessageSource } from '#src/ports/message-source.ts';
import type { SeenIds } from '#src/ports/seen-ids.ts';
import {
  createEventConsumer,
  type EventConsumer,
  type EventHandler,
} from '#src/runtime/event-consumer.ts';

export type { IncomingMessage, MessageSource } from '#src/ports/message-source.ts';
export type { SeenIds } from '#src/ports/seen-ids.ts';
export type { ConsumerReport, EventConsumer, EventHandler } from '#src/runtime/event-consumer.ts';
export type { ReceivedEvent } from '#src/runtime/received-event.ts';

export type ConsumerOptions<Kept extends boolean | Promise<boolean>> = Readonly<{
  source: MessageSource;
  store: SeenIds<Kept>;
  handle: EventHandler<Kept>;
  /** The first part of the names of dead-letter headers. */
  platform: string;
  /** The majors of the schema that the handler knows, by event key; without it, 1. Events of others are parked. */
  majors?: Readonly<Record<string, readonly number[]>>;
  /** STREAMING_CONSUMER_* variables, as in `process.env`. */
  settings?: Environment;
  /** Receives what an operator should know: a store or a broker that is unavailable. */
  onFault?: (message: string) => void;
}>;

/** The settings of a consumer are invalid: the message names every problem. */
export class ConsumerRefused extends Error {
  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'ConsumerRefused';
  }
}

/** Creates a consumer that handles each event once, as its ce-id shows. Errors: ConsumerRefused. */
export function createConsumer<Kept extends boolean | Promise<boolean>>({
  source,
  store,
  handle,
  platform,
  majors = {},
  settings = {},
  onFault = () => {},
}: ConsumerOptions<Kept>): EventConsumer {
  const read = checked(settings, readRetrySettings);
  const consumerId = settings['STREAMING_CONSUMER_CLIENT_ID'] ?? 'consumer';
  return createEventConsumer<Kept>({
    ...{ source, store, handle, platform, consumerId, onFault, settings: read },
    knows: (key, major) => (majors[key] ?? [1]).includes(major),
    ...{ scheduler: systemScheduler, clock: systemClock },
  });
}

/**
 * Consumes topics of Kafka, as STREAMING_CONSUMER_* variables say; a new group starts at the beginning. Errors:
 * ConsumerRefused.
 */
export function kafkaSource(
  settings: Environment,
  onFault: (message: string) => void = () => {},
): MessageSource {
  const on = { ...settings, STREAMING_CONSUMER_ENABLED: 'true' };
  const { kafka, ...read } = checked(on, readConsumerSettings)!;
  return whenRun(async () => {
    const { createKafkaSource } = await import('#src/adapters/kafka/source.ts');
    return createKafkaSource({ ...kafka, ...read, startAt: 'beginning', onFault });
  });
}

export type RabbitQueue = Pick<RabbitSourceOptions, 'url' | 'queue'> &
  Partial<Pick<RabbitSourceOptions, 'clientId' | 'closeTimeoutMs' | 'onFault'>>;

/** Consumes a queue of RabbitMQ that is bound to the exchange of a producer. */
export function rabbitSource(queue: RabbitQueue): MessageSource {
  return whenRun(async () => {
    const { createRabbitSource } = await import('#src/adapters/rabbitmq/source.ts');
    const defaults = { clientId: 'consumer', closeTimeoutMs: 30_000, onFault: () => {} };
    return createRabbitSource({ ...defaults, ...queue });
  });
}

/**
 * Remembers ids in a table of your own SQLite database, so that `remember` joins your transaction. Ids are kept for a
 * week, unless the topics keep events for longer. For another database, implement `SeenIds` with a table of ids: insert
 * the id in the transaction of the effect, and let the primary key tell whether it was there.
 */
export const sqliteSeenIds = (db: DatabaseSync, keepDays = 7): SeenIds<boolean> =>
  createSqliteSeenIds(db, { clock: systemClock, keepMs: keepDays * DAY_MS });

/** Keeps the last version of each balance in a table of your own SQLite database. */
export const sqliteBalanceVersions = createBalanceVersions;

/** Loads the driver of a source when it is used. */
function whenRun(create: () => Promise<MessageSource>): MessageSource {
  let created: Promise<MessageSource> | undefined;
  const source = (): Promise<MessageSource> => (created ??= create());
  return {
    run: async (take) => (await source()).run(take),
    bury: async (message, more) => (await source()).bury(message, more),
    close: async () => (await created)?.close(),
  };
}

function checked<Read>(settings: Environment, read: (reader: SettingReader) => Read): Read {
  const reader = new SettingReader(settings);
  const result = read(reader);
  if (reader.mistakes.length > 0) throw new ConsumerRefused(reader.mistakes);
  return result;
}

const DAY_MS = 86_400_000;
