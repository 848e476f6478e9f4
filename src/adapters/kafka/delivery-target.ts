import type { Producer } from 'kafkajs';
import {
  failed,
  IDLE_MS,
  inFormat,
  loginFor,
  outcomeOf,
  STRUCTURED,
  TIMEOUT_MS,
  type BrokerLogin,
  type BrokerOptions,
} from '#src/adapters/network/broker-delivery.ts';
import { connectionFault } from '#src/adapters/network/connection-fault.ts';
import {
  createSharedConnections,
  type SharedConnections,
} from '#src/adapters/network/shared-connections.ts';
import { within } from '#src/adapters/network/within.ts';
import { readBusAddress, type BusAddress } from '#src/kernel/broker-address.ts';
import type { Subscription } from '#src/kernel/subscription.ts';
import type {
  DeliveryErrorClass,
  DeliveryMessage,
  DeliveryOutcome,
  DeliveryTarget,
} from '#src/ports/delivery-target.ts';
import type { OutgoingRecord } from '#src/ports/publisher.ts';
import { connectionTo } from './connection.ts';
import { failureOf, rootOf } from './failure.ts';
import { guardedSockets } from './guarded-sockets.ts';
import { keyPartitioner } from './partitioner.ts';

export const openBusTarget = (options: BrokerOptions): DeliveryTarget => new KafkaDelivery(options);

type Connected = Readonly<{ producer: Producer; onSent: () => void }>;

/** Sends records to topics of Kafka, which it does not create: they belong to the subscriber. */
class KafkaDelivery implements DeliveryTarget {
  readonly #options: Required<BrokerOptions>;
  readonly #producers: SharedConnections<Connected>;

  constructor(options: BrokerOptions) {
    this.#options = { timeoutMs: TIMEOUT_MS, idleMs: IDLE_MS, ...options };
    this.#producers = createSharedConnections({
      close: ({ producer }) => producer.disconnect(),
      idleMs: this.#options.idleMs,
    });
  }

  async send(message: DeliveryMessage, signal: AbortSignal): Promise<DeliveryOutcome> {
    const { record, subscription } = message;
    const { target } = subscription;
    if (target.kind !== 'bus') throw new Error(`${target.kind} is not a bus`);
    const { credentials, timeoutMs } = this.#options;
    const address = readBusAddress(target.address);
    if (address === undefined) return failed('address_refused');
    const hosts = address.brokers.map(({ host }) => host);
    const login = loginFor(target.credentials, hosts, credentials);
    if (login === 'refused') return failed('auth_error');

    const { topic, ...cluster } = address;
    const key = JSON.stringify([cluster, target.credentials]);
    const attempt = async (): Promise<void> => {
      const messages = [messageIn(record, subscription)];
      const open = () => this.#open(address, login === 'none' ? undefined : login);
      const sending = this.#producers.use(key, open, async ({ producer, onSent }) => {
        await producer.send({ topic, acks: ALL_REPLICAS, timeout: timeoutMs, messages });
        onSent();
      });
      await within(timeoutMs, sending, signal);
    };
    return outcomeOf(attempt, classOf, signal);
  }

  close(): Promise<void> {
    return this.#producers.close();
  }

  async #open(
    { brokers, isEncrypted, mechanism }: BusAddress,
    login: BrokerLogin | undefined,
  ): Promise<Connected> {
    const { guard, clientId } = this.#options;
    let received = 0;
    const kafka = connectionTo({
      brokers: brokers.map(
        ({ host, port }) => `${host.includes(':') ? `[${host}]` : host}:${port}`,
      ),
      clientId,
      ...(isEncrypted && { tls: {} }),
      ...(login !== undefined && { sasl: { mechanism, ...login } }),
      connectRetries: RETRIES,
      socketFactory: guardedSockets(guard, isEncrypted, (bytes) => {
        received += bytes;
        return received <= RECEIVED_BYTES_MAX;
      }),
    });
    const producer = kafka.producer({
      allowAutoTopicCreation: false,
      createPartitioner: keyPartitioner,
      retry: { retries: RETRIES },
    });
    await producer.connect();
    return { producer, onSent: () => (received = 0) };
  }
}

const ALL_REPLICAS = -1;
/** Within an attempt, because the leader of a partition may have moved. */
const RETRIES = 2;
/** The driver buffers a response of any size; all that a producer needs, since its last success, is far smaller. */
const RECEIVED_BYTES_MAX = 16_777_216;

/** The record as it was recorded, under its own key; a structured one also says its content type. */
function messageIn(record: OutgoingRecord, subscription: Subscription) {
  const { key, headers, value } = inFormat(record, subscription);
  const isStructured = subscription.format === 'structured';
  return {
    key,
    value,
    headers: { ...headers, ...(isStructured && { 'content-type': STRUCTURED }) },
  };
}

const classOf = (error: unknown): DeliveryErrorClass =>
  connectionFault(rootOf(error)) ?? failureOf(error, 0).errorClass;
