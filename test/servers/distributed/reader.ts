import { randomUUID } from 'node:crypto';
import { compressionType } from '#src/adapters/kafka/compression.ts';
import { connectionTo } from '#src/adapters/kafka/connection.ts';
import { until } from '#test/support/server.ts';
import { BROKERS, type Consumed } from '../kafka.ts';

/** Somebody else's consumer, which reads while everything goes on. */
export type Reader = Readonly<{
  /** What the broker holds of a topic, as far as it was read: each offset once, each partition in its order. */
  records(topic: string): readonly Consumed[];
  count(topic: string): number;
  stop(): Promise<void>;
}>;

/** Reads the topics from their beginning, as soon as they are there. */
export async function startReader(topics: readonly string[]): Promise<Reader> {
  await Promise.all([compressionType('lz4'), compressionType('zstd')]); // What it has to unpack.
  const kafka = connectionTo({ brokers: BROKERS, clientId: 'test-reader' });
  const admin = kafka.admin();
  await admin.connect();
  await until(
    async () => {
      const there = new Set(await admin.listTopics());
      return topics.every((topic) => there.has(topic));
    },
    90_000,
    'the topics are there',
  );
  await admin.disconnect();

  // A group that loses its broker reads some records again: what counts is what the log of the topic holds.
  const read = new Map(topics.map((topic) => [topic, new Map<string, Consumed>()]));
  const consumer = kafka.consumer({
    groupId: `test-${randomUUID()}`,
    maxWaitTimeInMs: 50,
    sessionTimeout: 6000, // So long a group waits for a member that lost its broker.
    heartbeatInterval: 1000,
    retry: { retries: 100, maxRetryTime: 1000, restartOnFailure: () => Promise.resolve(true) },
  });
  await consumer.connect();
  await consumer.subscribe({ topics: [...topics], fromBeginning: true });
  await consumer.run({
    eachMessage: async ({ topic, partition, message: { key, value, offset, headers = {} } }) => {
      const texts = Object.entries(headers).map(([name, text]) => [name, String(text)]);
      read.get(topic)?.set(`${partition} ${offset}`, {
        ...{ topic, partition, offset },
        key: String(key),
        headers: Object.fromEntries(texts) as Record<string, string>,
        value: String(value),
      });
    },
  });
  const byPlace = (a: Consumed, b: Consumed): number =>
    a.partition - b.partition || Number(BigInt(a.offset) - BigInt(b.offset));
  return {
    records: (topic) => [...(read.get(topic)?.values() ?? [])].sort(byPlace),
    count: (topic) => read.get(topic)?.size ?? 0,
    stop: () => consumer.disconnect(),
  };
}
