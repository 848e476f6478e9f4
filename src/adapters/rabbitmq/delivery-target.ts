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
import {
  createSharedConnections,
  type SharedConnections,
} from '#src/adapters/network/shared-connections.ts';
import { within } from '#src/adapters/network/within.ts';
import { readQueueAddress, type QueueAddress } from '#src/kernel/broker-address.ts';
import type { Subscription } from '#src/kernel/subscription.ts';
import type {
  DeliveryMessage,
  DeliveryOutcome,
  DeliveryTarget,
} from '#src/ports/delivery-target.ts';
import type { OutgoingRecord } from '#src/ports/publisher.ts';
import { openChannel, type OpenChannel } from './channel.ts';
import { failureOf } from './failure.ts';
import { messageOf, type Message } from './message.ts';

export const openQueueTarget = (options: BrokerOptions): DeliveryTarget =>
  new RabbitDelivery(options);

/** Sends records to exchanges and queues of RabbitMQ, which it declares none of: they belong to the subscriber. */
class RabbitDelivery implements DeliveryTarget {
  readonly #options: Required<BrokerOptions>;
  readonly #channels: SharedConnections<OpenChannel>;

  constructor(options: BrokerOptions) {
    this.#options = { timeoutMs: TIMEOUT_MS, idleMs: IDLE_MS, ...options };
    this.#channels = createSharedConnections({
      close: (channel) => channel.close(),
      idleMs: this.#options.idleMs,
    });
  }

  async send(message: DeliveryMessage, signal: AbortSignal): Promise<DeliveryOutcome> {
    const { record, subscription } = message;
    const { target } = subscription;
    if (target.kind !== 'queue') throw new Error(`${target.kind} is not a queue`);
    const { credentials, timeoutMs } = this.#options;
    const address = readQueueAddress(target.address);
    if (address === undefined) return failed('address_refused');
    const login = loginFor(target.credentials, [address.host], credentials);
    if (login === 'refused') return failed('auth_error');

    const { isEncrypted, host, port, vhost, exchange } = address;
    // An unknown exchange breaks its channel, which must not disturb the deliveries to others.
    const key = JSON.stringify([isEncrypted, host, port, vhost, exchange, target.credentials]);
    const attempt = async (): Promise<void> => {
      const outgoing = messageIn(record, subscription, address);
      const open = () => this.#open(key, address, login === 'none' ? GUEST : login);
      const sending = this.#channels.use(key, open, (channel) => channel.send(exchange, outgoing));
      await within(timeoutMs, sending, signal);
    };
    return outcomeOf(attempt, (error) => failureOf(error, 0).errorClass, signal);
  }

  close(): Promise<void> {
    return this.#channels.close();
  }

  async #open(
    key: string,
    { isEncrypted, host, port, vhost }: QueueAddress,
    { username, password }: Pick<BrokerLogin, 'username' | 'password'>,
  ): Promise<OpenChannel> {
    const { guard, clientId, timeoutMs } = this.#options;
    guard.checkHost(host, isEncrypted);
    const opening = openChannel(
      {
        url: {
          protocol: isEncrypted ? 'amqps' : 'amqp',
          ...{ hostname: host, port, username, password },
          vhost: encodeURIComponent(vhost),
          heartbeat: HEARTBEAT_S,
        },
        lookup: guard.lookupFor(isEncrypted),
        exchanges: [],
        clientId,
        deliveryTimeoutMs: timeoutMs,
      },
      () => {
        this.#channels.drop(key);
      },
    );
    // A peer may keep a connection busy without ever completing it.
    return within(timeoutMs, opening).catch((error: unknown) => {
      void opening.then((channel) => channel.close()).catch(() => {});
      throw error;
    });
  }
}

/** The login that brokers accept from their own machine. */
const GUEST = { username: 'guest', password: 'guest' };
const HEARTBEAT_S = 30;

function messageIn(
  record: OutgoingRecord,
  subscription: Subscription,
  { routingKey }: QueueAddress,
): Message {
  const { options, ...message } = messageOf(inFormat(record, subscription));
  const isStructured = subscription.format === 'structured';
  return {
    ...message,
    ...(routingKey !== undefined && { routingKey }),
    options: { ...options, ...(isStructured && { contentType: STRUCTURED }) },
  };
}
