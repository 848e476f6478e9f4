import { isUtf8 } from 'node:buffer';
import { connect, type Channel, type ChannelModel, type ConsumeMessage } from 'amqplib';
import type { IncomingMessage, MessageSource } from '#src/ports/message-source.ts';
import { openChannel, type OpenChannel } from './channel.ts';

export type RabbitSourceOptions = Readonly<{
  /** `amqp://user:password@host:port/vhost`, or `amqps:`. */
  url: string;
  /** A durable queue that operators bound to the exchange. */
  queue: string;
  clientId: string;
  /** The time that a message being taken has when the source is closed. */
  closeTimeoutMs: number;
  onFault: (message: string) => void;
}>;

/**
 * Consumes one queue, one message after the other; each is acknowledged when it was taken. It reconnects until it is
 * closed. Dead letters go to the dead-letter exchange of the exchange that a message came from, with its routing key.
 */
export function createRabbitSource(options: RabbitSourceOptions): MessageSource {
  const { url, queue, clientId, closeTimeoutMs, onFault } = options;
  const closing = Promise.withResolvers<undefined>();
  let isClosing = false;
  let connection: ChannelModel | undefined;
  let taking: Promise<void> = Promise.resolve();
  const deadLetters = new Map<string, Promise<OpenChannel>>();
  const closed = (): boolean => isClosing;

  /** Resolves when the connection is gone. */
  const consume = async (take: (message: IncomingMessage) => Promise<void>): Promise<void> => {
    const own = await connect(url, {
      timeout: CONNECT_MS,
      clientProperties: { connection_name: clientId },
    });
    connection = own;
    const gone = Promise.withResolvers<undefined>();
    own.on('error', () => {}); // `close` follows.
    own.on('close', () => {
      gone.resolve(undefined);
    });
    const channel = await own.createChannel();
    channel.on('error', (error: Error) => {
      onFault(error.message);
    });
    channel.on('close', () => void own.close().catch(() => {}));
    await channel.prefetch(PREFETCH);
    await channel.consume(queue, (message) => {
      if (message === null)
        void own.close().catch(() => {}); // The queue was deleted.
      else taking = taking.then(() => taken(own, channel, message, take));
    });
    await gone.promise;
    if (connection === own) connection = undefined;
  };

  const taken = async (
    own: ChannelModel,
    channel: Channel,
    message: ConsumeMessage,
    take: (message: IncomingMessage) => Promise<void>,
  ): Promise<void> => {
    if (closed() || connection !== own) return; // The broker delivers it again.
    try {
      await take(incoming(message));
      channel.ack(message);
    } catch (error) {
      if (closed()) return;
      onFault(String(error));
      if (connection === own) connection = undefined; // What else it delivered comes again, in order.
      await own.close().catch(() => {});
    }
  };

  const deadLetterChannel = (exchange: string): Promise<OpenChannel> => {
    const known = deadLetters.get(exchange);
    if (known !== undefined) return known;
    const forget = (): void => {
      if (deadLetters.get(exchange) === opening) deadLetters.delete(exchange);
    };
    const settings = { url, clientId, deliveryTimeoutMs: CONNECT_MS, exchanges: [exchange] };
    const opening = openChannel(settings, forget);
    opening.catch(forget);
    deadLetters.set(exchange, opening);
    return opening;
  };

  return {
    async run(take) {
      while (!closed()) {
        try {
          await consume(take);
        } catch (error) {
          if (!closed()) onFault(String(error));
        }
        await Promise.race([pause(RECONNECT_MS), closing.promise]);
      }
    },

    async bury({ topic, headers, value, bytes }, more) {
      const [exchange = '', routingKey = ''] = topic.split('/');
      const channel = await deadLetterChannel(`${exchange}.dlx`);
      const id = headers['ce-id'] ?? '';
      await channel.send(`${exchange}.dlx`, {
        ...{
          id,
          routingKey,
          content: bytes === undefined ? Buffer.from(value) : Buffer.from(bytes),
        },
        options: {
          ...{ mandatory: true, persistent: true, contentType: 'application/json', messageId: id },
          headers: { ...headers, ...more },
        },
      });
    },

    async close() {
      isClosing = true;
      await Promise.race([taking, pause(closeTimeoutMs, false)]);
      closing.resolve(undefined);
      await connection?.close().catch(() => {});
      const channels = await Promise.allSettled(deadLetters.values());
      for (const channel of channels) {
        if (channel.status === 'fulfilled') await channel.value.close();
      }
    },
  };
}

function incoming({ content, fields, properties }: ConsumeMessage): IncomingMessage {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(properties.headers ?? {})) {
    headers[name] = String(value);
  }
  return {
    topic: `${fields.exchange}/${fields.routingKey}`,
    key: headers['ce-subject'] ?? '',
    headers,
    value: content.toString(),
    ...(!isUtf8(content) && { bytes: content }),
  };
}

/** Waits; the process lives for it unless the caller says otherwise. */
const pause = (ms: number, lives = true): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    if (!lives) timer.unref();
  });

const CONNECT_MS = 10_000;
const RECONNECT_MS = 500;
const PREFETCH = 100;
