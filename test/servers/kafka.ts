import { randomUUID } from 'node:crypto';
import { compressionType } from '#src/adapters/kafka/compression.ts';
import { connectionTo } from '#src/adapters/kafka/connection.ts';

/** Where a Kafka is; without one these suites are pending, or fail where it must be there. */
export const BROKERS = (process.env['KAFKA_BROKERS'] ?? '').split(',').filter(Boolean);

/** `describe` where there is a Kafka. */
export function describeOnKafka(title: string, suite: () => void): void {
  if (BROKERS.length > 0) {
    describe(title, function () {
      this.timeout(180_000);
      suite();
    });
  } else if (process.env['REQUIRE_ENGINES'] === '1') {
    it(title, () => {
      throw new Error('KAFKA_BROKERS is not set');
    });
  } else {
    describe.skip(title, suite);
  }
}

/** A platform nobody else has: its topics are this run's own. */
export const newPlatform = (): string => `test_${randomUUID().slice(0, 8)}`;

export type Consumed = Readonly<{
  topic: string;
  partition: number;
  offset: string;
  key: string;
  headers: Readonly<Record<string, string>>;
  value: string;
}>;

/**
 * Reads topics from their beginning until there are so many records, or what is wanted of them is there, then whatever
 * comes in a moment more.
 */
export async function consume(
  topics: readonly string[],
  wanted: number | ((consumed: readonly Consumed[]) => boolean),
  brokers: readonly string[] = BROKERS,
): Promise<Consumed[]> {
  const isThere = typeof wanted === 'number' ? () => consumed.length >= wanted : wanted;
  await Promise.all([compressionType('lz4'), compressionType('zstd')]); // What it has to unpack.
  const kafka = connectionTo({ brokers, clientId: 'test-consumer' });
  const consumer = kafka.consumer({ groupId: `test-${randomUUID()}`, maxWaitTimeInMs: 100 });
  const consumed: Consumed[] = [];
  await consumer.connect();
  try {
    await whenHosted(() => consumer.subscribe({ topics: [...topics], fromBeginning: true }));
    await consumer.run({
      eachMessage: async ({ topic, partition, message }) => {
        const headers = Object.entries(message.headers ?? {});
        consumed.push({
          topic,
          partition,
          offset: message.offset,
          key: String(message.key),
          headers: Object.fromEntries(headers.map(([name, value]) => [name, String(value)])),
          value: String(message.value),
        });
      },
    });
    const deadlineMs = performance.now() + WITHIN_MS;
    while (!isThere(consumed) && performance.now() < deadlineMs) await pause(20);
    await pause(200);
  } finally {
    await consumer.disconnect();
  }
  return consumed;
}

/** On a busy machine the broker takes a moment to host a topic that was created just now. */
async function whenHosted(subscribe: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await subscribe();
      return;
    } catch (error) {
      const { type } = error as Readonly<{ type?: string }>;
      if (type !== 'UNKNOWN_TOPIC_OR_PARTITION' || attempt === ATTEMPTS_MAX) throw error;
      await pause(200);
    }
  }
}

const ATTEMPTS_MAX = 25;
const WITHIN_MS = 60_000;
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
