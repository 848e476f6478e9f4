import type { OutgoingRecord, Publisher } from '#src/ports/publisher.ts';
import { PublishFailed } from '#src/ports/publisher.ts';
import { openChannel, type OpenChannel } from './channel.ts';
import { failureOf } from './failure.ts';
import { messageOf } from './message.ts';

export type RabbitOptions = Readonly<{
  /** `amqp://user:password@host:port/vhost`, or `amqps:`. */
  url: string;
  exchange: string;
  /** Shown among the broker's connections. */
  clientId: string;
  /** The time limit for connecting, and for a confirmation. */
  deliveryTimeoutMs: number;
}>;

/** Connects when the first record is sent, and reconnects for the next one after the connection broke. */
export const openRabbitPublisher = (options: RabbitOptions): Publisher =>
  new RabbitPublisher(options);

/**
 * Publishes to one exchange for all topics; the event key is the routing key. The exchange and its dead-letter exchange
 * are declared on every connection: durable, of type topic, which does nothing where operators created them that way. A
 * message counts when it is confirmed and was not returned: the broker also confirms messages that it could not route.
 */
class RabbitPublisher implements Publisher {
  readonly target: string;
  readonly #options: RabbitOptions;
  #channel: Promise<OpenChannel> | undefined;
  #closed = false;

  constructor(options: RabbitOptions) {
    this.target = `amqp://${new URL(options.url).host}/${options.exchange}`;
    this.#options = options;
  }

  async publish(_topic: string, records: readonly OutgoingRecord[]): Promise<void> {
    let acknowledged = 0;
    for (const wave of wavesOf(records)) {
      acknowledged += await this.#send(this.#options.exchange, wave, acknowledged);
    }
  }

  async bury(_topic: string, record: OutgoingRecord): Promise<void> {
    await this.#send(deadLetters(this.#options.exchange), [record], 0);
  }

  async provision(): Promise<readonly string[]> {
    try {
      await this.#connected();
      return [];
    } catch (error) {
      throw failureOf(error, 0);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    const channel = await this.#channel?.catch(() => undefined);
    await channel?.close();
  }

  /** Returns how many were sent, all of them confirmed. */
  async #send(exchange: string, wave: readonly OutgoingRecord[], before: number): Promise<number> {
    const outcomes = await Promise.allSettled(
      wave.map(async (record) => (await this.#connected()).send(exchange, messageOf(record))),
    );
    const first = outcomes.findIndex(({ status }) => status === 'rejected');
    const outcome = outcomes[first];
    if (outcome?.status === 'rejected') throw failureOf(outcome.reason, before + first);
    return wave.length;
  }

  #connected(): Promise<OpenChannel> {
    if (this.#closed) throw new PublishFailed('context_canceled', 'The publisher is closed');
    if (this.#channel !== undefined) return this.#channel;
    const { url, exchange, clientId, deliveryTimeoutMs } = this.#options;
    const exchanges = [exchange, deadLetters(exchange)];
    const opening = openChannel({ url, exchanges, clientId, deliveryTimeoutMs }, () => {
      if (this.#channel === opening) this.#channel = undefined;
    });
    this.#channel = opening;
    opening.catch(() => {
      if (this.#channel === opening) this.#channel = undefined;
    });
    return opening;
  }
}

/**
 * Splits records into runs without a repeated key: a record is sent after the previous one with its key is confirmed,
 * so that neither a nack nor a return lets a later one overtake it.
 */
function wavesOf(records: readonly OutgoingRecord[]): OutgoingRecord[][] {
  const waves: OutgoingRecord[][] = [];
  let keys = new Set<string>();
  for (const record of records) {
    if (waves.length === 0 || keys.has(record.key)) {
      waves.push([]);
      keys = new Set();
    }
    waves.at(-1)?.push(record);
    keys.add(record.key);
  }
  return waves;
}

/** Contract events §8. */
const deadLetters = (exchange: string): string => `${exchange}.dlx`;
