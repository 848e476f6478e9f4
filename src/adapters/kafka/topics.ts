import { setTimeout } from 'node:timers/promises';
import type { Admin, ITopicConfig, Kafka } from 'kafkajs';

/** Creates missing topics and their dead-letter topics if permitted; returns those still missing. */
export async function provisionTopics(
  kafka: Kafka,
  topics: readonly string[],
  deadLetters: string,
  mayCreate: boolean,
): Promise<readonly string[]> {
  const admin = kafka.admin();
  await admin.connect();
  try {
    const wanted = [...topics, ...topics.map((topic) => topic + deadLetters)];
    const present = new Set(await admin.listTopics());
    const missing = wanted.filter((topic) => !present.has(topic));
    if (!mayCreate || missing.length === 0) return missing;

    const { brokers } = await admin.describeCluster();
    const replicas = Math.min(REPLICAS, brokers.length);
    await admin.createTopics({
      topics: missing.map((topic) => configOf(topic, topic.endsWith(deadLetters), replicas)),
      waitForLeaders: false, // The driver would fail on a topic that its broker does not host yet.
    });
    await whenLed(admin, missing);
    return [];
  } finally {
    await admin.disconnect();
  }
}

/** Waits until topics that were just created have leaders: a busy broker takes a moment. Errors: what it says at the end. */
async function whenLed(admin: Admin, topics: string[]): Promise<void> {
  const deadlineMs = performance.now() + LED_WITHIN_MS;
  for (;;) {
    try {
      await admin.fetchTopicMetadata({ topics });
      return;
    } catch (error) {
      const { type } = error as Readonly<{ type?: string }>;
      if (!COMES.has(type) || performance.now() > deadlineMs) throw error;
      await setTimeout(LED_POLL_MS);
    }
  }
}

const COMES: ReadonlySet<string | undefined> = new Set([
  'UNKNOWN_TOPIC_OR_PARTITION',
  'LEADER_NOT_AVAILABLE',
]);
const LED_WITHIN_MS = 30_000;
const LED_POLL_MS = 100;

/** Contract events §3. */
const configOf = (topic: string, dead: boolean, replicationFactor: number): ITopicConfig => ({
  topic,
  numPartitions: dead ? 1 : PARTITIONS,
  replicationFactor,
  configEntries: [
    { name: 'retention.ms', value: String((dead ? 30 : 7) * DAY_MS) },
    { name: 'max.message.bytes', value: String(MESSAGE_BYTES_MAX) },
  ],
});

const PARTITIONS = 6;
const REPLICAS = 3;
const DAY_MS = 86_400_000;
/** The largest payload with its headers must fit, even uncompressed. */
const MESSAGE_BYTES_MAX = 1_310_720;
