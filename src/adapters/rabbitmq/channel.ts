import type { LookupFunction } from 'node:net';
import { connect, type ChannelModel, type ConfirmChannel, type Options } from 'amqplib';
import { PublishFailed } from '#src/ports/publisher.ts';
import { inTurnById } from './in-turn.ts';
import type { Message } from './message.ts';

export type ChannelOptions = Readonly<{
  url: string | Options.Connect;
  /** Resolves the name of the broker; without it, the system does. */
  lookup?: LookupFunction;
  /** Declared, if they are not there yet. */
  exchanges: readonly string[];
  clientId: string;
  deliveryTimeoutMs: number;
}>;

/** A confirm channel on its own connection. */
export type OpenChannel = Readonly<{
  /** Resolves when the broker has accepted the message and routed it. */
  send(exchange: string, message: Message): Promise<void>;
  close(): Promise<void>;
}>;

/** Opens a channel. `onGone` is called once, when it can no longer be used. */
export async function openChannel(
  { url, lookup, exchanges, clientId, deliveryTimeoutMs }: ChannelOptions,
  onGone: () => void,
): Promise<OpenChannel> {
  const connection = await connect(url, {
    timeout: deliveryTimeoutMs,
    clientProperties: { connection_name: clientId },
    rejectUnauthorized: true,
    ...(lookup !== undefined && { lookup }),
  });
  /** The error that broke the channel, for the messages lost with it. */
  let cause: Error | undefined;
  let blocked = false;
  const broke = (error: Error): void => {
    cause ??= error;
  };
  connection.on('error', broke);
  connection.on('blocked', () => (blocked = true));
  connection.on('unblocked', () => (blocked = false));
  connection.on('close', onGone);

  try {
    const channel = await connection.createConfirmChannel();
    channel.on('error', broke);
    channel.on('close', () => {
      onGone();
      void closed(connection);
    });
    for (const exchange of exchanges) {
      await channel.assertExchange(exchange, 'topic', { durable: true });
    }
    const returned = watchReturns(channel);
    const inTurn = inTurnById();

    const send = (exchange: string, { id, routingKey, content, options }: Message) =>
      new Promise<void>((resolve, reject) => {
        const timer = setTimeout(() => {
          reject(
            blocked
              ? new PublishFailed('broker_overloaded', 'The broker has blocked the connection')
              : new PublishFailed('network_timeout', `No confirmation in ${deliveryTimeoutMs} ms`),
          );
          onGone(); // Later sends must not wait behind it.
          void closed(connection);
        }, deliveryTimeoutMs);
        const confirmed = (nack: unknown): void => {
          clearTimeout(timer);
          const unroutable = returned.delete(id);
          if (cause !== undefined) reject(cause);
          else if (nack) reject(new PublishFailed('broker_overloaded', 'The broker refused it'));
          else if (unroutable) reject(unrouted(exchange, routingKey));
          else resolve();
        };
        try {
          channel.publish(exchange, routingKey, content, options, confirmed);
        } catch (error) {
          clearTimeout(timer);
          reject(cause ?? (error instanceof Error ? error : new Error(String(error))));
        }
      });
    return {
      // A return names a message by its id, and one confirmation may be for several messages.
      send: (exchange, message) => inTurn(message.id, () => send(exchange, message)),
      close: () => closed(connection),
    };
  } catch (error) {
    void closed(connection);
    throw cause ?? error;
  }
}

/** Collects ids of returned messages; the broker sends a return before the confirmation of the same message. */
function watchReturns(channel: ConfirmChannel): Set<string> {
  const returned = new Set<string>();
  channel.on('return', ({ properties }: Readonly<{ properties: { messageId?: unknown } }>) => {
    returned.add(String(properties.messageId));
  });
  return returned;
}

const unrouted = (exchange: string, routingKey: string): PublishFailed =>
  new PublishFailed('topic_not_found', `${exchange} has no queue for ${routingKey}`);

const closed = (connection: ChannelModel): Promise<void> => connection.close().catch(() => {});
