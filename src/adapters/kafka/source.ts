import { isUtf8 } from 'node:buffer';
import { setTimeout } from 'node:timers/promises';
import type { Consumer, EachBatchPayload, Kafka, KafkaMessage } from 'kafkajs';
import type { IncomingMessage, MessageSource } from '#src/ports/message-source.ts';
import type { Publisher } from '#src/ports/publisher.ts';
import { compressionType } from './compression.ts';
import { connectionTo, type KafkaConnection } from './connection.ts';
import { openKafkaPublisher } from './publisher.ts';

export type KafkaSourceOptions = KafkaConnection &
  Readonly<{
    group: string;
    /** Names, and regular expressions that begin with `^`, which no dead-letter topic matches. */
    topics: readonly string[];
    /** The start of a group that has no position yet. */
    startAt: 'beginning' | 'end';
    /** The longest time that the broker waits for messages, in milliseconds. */
    pollTimeoutMs: number;
    /** The time that a message being taken has when the source is closed. */
    closeTimeoutMs: number;
    deadLetterSuffix: string;
    /** The silence after which the group takes a member for dead, in milliseconds. */
    sessionTimeoutMs?: number;
    /** The interval at which it looks for topics that are new, in milliseconds. */
    discoverEveryMs?: number;
    onFault?: (message: string) => void;
    /** Called whenever it consumes (again). */
    onJoined?: (topics: ConsumedTopics) => void;
  }>;

export type ConsumedTopics = Readonly<{
  topics: readonly string[];
  /** The names among the settings that the broker does not have. */
  missing: readonly string[];
}>;

/**
 * Consumes topics as a member of a group, up to six partitions side by side. Positions are committed for messages that
 * were taken, at least every half second. It reconnects until it is closed, and joins again when there are new topics.
 */
export function createKafkaSource(options: KafkaSourceOptions): MessageSource {
  const { group, startAt, pollTimeoutMs, closeTimeoutMs, deadLetterSuffix } = options;
  const { sessionTimeoutMs = SESSION_MS, discoverEveryMs = DISCOVER_MS } = options;
  const { onFault = () => {}, onJoined = () => {} } = options;
  const chosenIn = topicChoice(options.topics, deadLetterSuffix);
  const closing = new AbortController();
  const closed = Promise.withResolvers<undefined>();
  const closes = (): boolean => closing.signal.aborted;
  let consumer: Consumer | undefined;
  let publisher: Promise<Publisher> | undefined;

  const eachBatch = async (
    payload: EachBatchPayload,
    take: (message: IncomingMessage) => Promise<void>,
  ): Promise<void> => {
    const { topic, partition, messages } = payload.batch;
    for (const message of messages) {
      if (closes() || payload.isStale()) return;
      try {
        await take(incoming(topic, partition, message));
      } catch (error) {
        if (closes()) return; // The next member takes it again.
        throw error;
      }
      payload.resolveOffset(message.offset);
      await payload.commitOffsetsIfNecessary();
      await payload.heartbeat();
    }
  };

  /** Consumes until the source is closed or the topics are others. Errors: those of the driver, when it gives up. */
  const consume = async (take: (message: IncomingMessage) => Promise<void>): Promise<void> => {
    const kafka = connectionTo(options);
    const chosen = chosenIn(await topicsOn(kafka));
    const { topics } = chosen;
    if (closes()) return;
    if (topics.length === 0) {
      onJoined(chosen);
      await pause(discoverEveryMs, closing.signal);
      return;
    }
    const own = kafka.consumer({
      groupId: group,
      maxWaitTimeInMs: pollTimeoutMs,
      sessionTimeout: sessionTimeoutMs,
      rebalanceTimeout: 2 * sessionTimeoutMs,
      heartbeatInterval: Math.floor(sessionTimeoutMs / 10),
      retry: { restartOnFailure: async () => !closes() },
    });
    consumer = own;
    const failed = new AbortController();
    const either = AbortSignal.any([closing.signal, failed.signal]);
    own.on('consumer.crash', ({ payload: { error, restart } }) => {
      if (restart) onFault(String(error));
      else failed.abort(error);
    });
    own.on('consumer.group_join', () => {
      onJoined(chosen);
    });
    await own.connect();
    await own.subscribe({ topics: [...topics], fromBeginning: startAt === 'beginning' });
    await own.run({
      eachBatchAutoResolve: false,
      autoCommitInterval: COMMIT_EVERY_MS,
      autoCommitThreshold: COMMIT_EVERY,
      partitionsConsumedConcurrently: PARTITIONS,
      eachBatch: (payload) => eachBatch(payload, take),
    });
    for (let present: readonly string[] | undefined; !closes();) {
      if (present !== undefined && String(chosenIn(present).topics) !== String(topics)) return;
      await pause(discoverEveryMs, either);
      failed.signal.throwIfAborted();
      present = await topicsOn(kafka).catch(() => undefined); // The consumer reports a broker that is away.
    }
  };

  const keepConsuming = async (take: (message: IncomingMessage) => Promise<void>) => {
    while (!closes()) {
      try {
        await consume(take);
      } catch (error) {
        if (!closes()) onFault(String(error));
      }
      await consumer?.disconnect().catch(() => {});
      await pause(RECONNECT_MS, closing.signal);
    }
  };

  return {
    async run(take) {
      await Promise.all([compressionType('lz4'), compressionType('zstd')]); // Both are unpacked on demand.
      await Promise.race([keepConsuming(take), closed.promise]);
    },

    async bury({ topic, key, headers, value, bytes }, more) {
      publisher ??= openKafkaPublisher({ ...options, ...DEAD_LETTERS });
      const body = (bytes as unknown as string | undefined) ?? value; // The driver sends bytes as they are.
      const record = { key, headers: { ...headers, ...more }, value: body };
      await (await publisher).publish(`${topic}${deadLetterSuffix}`, [record]);
    },

    async close() {
      closing.abort();
      const left = new AbortController();
      const disconnected = consumer?.disconnect().catch(() => {});
      await Promise.race([disconnected, pause(closeTimeoutMs, left.signal)]);
      left.abort();
      await (await publisher)?.close();
      closed.resolve(undefined);
    },
  };
}

/** Returns how the topics to consume are chosen among those that there are. */
function topicChoice(
  wanted: readonly string[],
  deadLetterSuffix: string,
): (present: readonly string[]) => ConsumedTopics {
  const names = wanted.filter((one) => !one.startsWith('^'));
  const patterns = wanted.filter((one) => one.startsWith('^')).map((one) => new RegExp(one));
  const isChosen = (topic: string): boolean =>
    names.includes(topic) ||
    (!topic.endsWith(deadLetterSuffix) && patterns.some((pattern) => pattern.test(topic)));
  return (present) => ({
    topics: present.filter(isChosen).toSorted(),
    missing: names.filter((name) => !present.includes(name)),
  });
}

async function topicsOn(kafka: Kafka): Promise<readonly string[]> {
  const admin = kafka.admin();
  try {
    await admin.connect();
    return await admin.listTopics();
  } finally {
    await admin.disconnect();
  }
}

function incoming(topic: string, partition: number, message: KafkaMessage): IncomingMessage {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(message.headers ?? {})) {
    if (value !== undefined) headers[name] = String(value);
  }
  const { key, value, offset } = message;
  return {
    ...{ topic, partition, offset, key: String(key ?? ''), headers, value: String(value ?? '') },
    ...(value !== null && !isUtf8(value) && { bytes: value }),
  };
}

/** The limits of dead letters, which are few. */
const DEAD_LETTERS = {
  compression: 'none',
  batchMaxBytes: 1_048_576,
  retries: 3,
  deliveryTimeoutMs: 30_000,
  createTopics: false,
} as const;
/** Waits, at most until the signal. */
const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  setTimeout(ms, undefined, { signal }).catch(() => {});

const RECONNECT_MS = 500;
const DISCOVER_MS = 10_000;
const SESSION_MS = 30_000;
const COMMIT_EVERY_MS = 500;
const COMMIT_EVERY = 500;
const PARTITIONS = 6;
