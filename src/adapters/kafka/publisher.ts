import type { CompressionTypes, Kafka, Message, Producer } from 'kafkajs';
import { within } from '#src/adapters/network/within.ts';
import { PublishFailed, type OutgoingRecord, type Publisher } from '#src/ports/publisher.ts';
import { chunksOf } from './chunks.ts';
import { compressionType, type Compression } from './compression.ts';
import { failureOf, isTooLarge } from './failure.ts';
import { connectionTo, type KafkaConnection } from './connection.ts';
import { keyPartitioner } from './partitioner.ts';
import { provisionTopics } from './topics.ts';

export type KafkaOptions = KafkaConnection &
  Readonly<{
    compression: Compression;
    /** The maximum size of one request, in bytes before compression. */
    batchMaxBytes: number;
    /** The driver's retries within one attempt of the caller, and the time limit for all of them. */
    retries: number;
    deliveryTimeoutMs: number;
    /** True if missing topics should be created. */
    createTopics: boolean;
  }>;

/** Connects when the first record is sent. */
export async function openKafkaPublisher(options: KafkaOptions): Promise<Publisher> {
  return new KafkaPublisher(options, await compressionType(options.compression));
}

/**
 * Publishes with one idempotent producer per topic, acknowledged by all replicas, so that a failing topic does not
 * affect others. A producer whose send failed is never reused: the driver numbers its next records as if nothing had
 * arrived, and a broker that did receive them drops these as duplicates.
 */
class KafkaPublisher implements Publisher {
  readonly target: string;
  readonly #options: KafkaOptions;
  readonly #compression: CompressionTypes;
  readonly #kafka: Kafka;
  readonly #producers = new Map<string, Promise<Producer>>();
  #closed = false;

  constructor(options: KafkaOptions, compression: CompressionTypes) {
    this.target = `kafka://${options.brokers.join(',')}`;
    this.#options = options;
    this.#compression = compression;
    this.#kafka = connectionTo(options);
  }

  async publish(topic: string, records: readonly OutgoingRecord[]): Promise<void> {
    let acknowledged = 0;
    for (const chunk of chunksOf(records, this.#options.batchMaxBytes)) {
      try {
        await this.#send(topic, chunk);
      } catch (error) {
        if (isTooLarge(error) && chunk.length > 1) {
          // A topic's limit may be lower than ours: a record that is too large must fail alone.
          await this.#oneByOne(topic, chunk, acknowledged);
        } else {
          throw failureOf(error, acknowledged);
        }
      }
      acknowledged += chunk.length;
    }
  }

  bury(topic: string, record: OutgoingRecord): Promise<void> {
    return this.publish(`${topic}${DEAD_LETTERS}`, [record]);
  }

  async provision(topics: readonly string[]): Promise<readonly string[]> {
    try {
      return await provisionTopics(this.#kafka, topics, DEAD_LETTERS, this.#options.createTopics);
    } catch (error) {
      throw failureOf(error, 0);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    const producers = [...this.#producers.values()];
    this.#producers.clear();
    await Promise.all(producers.map(disconnected));
  }

  async #oneByOne(topic: string, chunk: readonly OutgoingRecord[], before: number): Promise<void> {
    for (const [n, record] of chunk.entries()) {
      try {
        await this.#send(topic, [record]);
      } catch (error) {
        throw failureOf(error, before + n);
      }
    }
  }

  async #send(topic: string, records: readonly OutgoingRecord[]): Promise<void> {
    if (this.#closed) throw new PublishFailed('context_canceled', 'The publisher is closed');
    const producer = this.#producers.get(topic) ?? this.#connect(topic);
    const sending = producer.then((connected) =>
      connected.send({
        topic,
        acks: ALL_REPLICAS,
        timeout: this.#options.deliveryTimeoutMs,
        compression: this.#compression,
        messages: records.map(messageOf),
      }),
    );
    try {
      await within(this.#options.deliveryTimeoutMs, sending);
    } catch (error) {
      if (this.#producers.get(topic) === producer) this.#producers.delete(topic);
      // The driver may still be sending, and reconnects for that: disconnect only afterwards.
      void sending.catch(() => {}).then(() => disconnected(producer));
      throw error;
    }
  }

  #connect(topic: string): Promise<Producer> {
    const { retries } = this.#options;
    const producer = this.#kafka.producer({
      idempotent: true,
      maxInFlightRequests: 1,
      allowAutoTopicCreation: false,
      createPartitioner: keyPartitioner,
      retry: { retries },
    });
    const connecting = producer.connect().then(() => producer);
    this.#producers.set(topic, connecting);
    return connecting;
  }
}

const messageOf = ({ key, headers, value }: OutgoingRecord): Message => ({ key, headers, value });

const disconnected = (producer: Promise<Producer>): Promise<void> =>
  producer.then((connected) => connected.disconnect()).catch(() => {});

const ALL_REPLICAS = -1;
/** Contract events §3. */
const DEAD_LETTERS = '.dlq';
