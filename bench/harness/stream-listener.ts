import { randomUUID } from 'node:crypto';
import { openEventStream } from '#test/support/event-stream.ts';
import { compressionType } from '#src/adapters/kafka/compression.ts';
import { connectionTo } from '#src/adapters/kafka/connection.ts';
import { create } from './ledger.ts';
import type { Server } from './product.ts';

/** Follows `transaction.posted`. */
export type Listener = Readonly<{
  /** Returns when the event of the transaction with this description arrived; it must be called before it can. */
  arrivalOf(description: string): Promise<number>;
  close(): Promise<void>;
}>;

/** Resolves when the consumer has its partitions, and reads from their end. */
export async function listenToKafka(platform: string): Promise<Listener> {
  const brokers = (process.env['KAFKA_BROKERS'] ?? '').split(',');
  await compressionType('lz4');
  const kafka = connectionTo({ brokers, clientId: 'bench-listener' });
  const consumer = kafka.consumer({ groupId: `bench-${randomUUID()}`, maxWaitTimeInMs: 50 });
  const { arrivalOf, arrived } = arrivals();
  await consumer.connect();
  await consumer.subscribe({ topics: [`${platform}.streaming.ledger_transaction.posted`] });
  const joined = Promise.withResolvers<undefined>();
  consumer.on('consumer.group_join', () => joined.resolve(undefined));
  await consumer.run({
    eachMessage: ({ message }) => {
      arrived(JSON.parse(String(message.value)));
      return Promise.resolve();
    },
  });
  await joined.promise;
  return { arrivalOf, close: () => consumer.disconnect() };
}

/** Follows the live stream of a subscription over HTTP. */
export async function listenToStream(server: Server): Promise<Listener> {
  const filters = { types: ['transaction.posted'] };
  const subscription = { name: 'bench', filters, target: { kind: 'pull' } };
  const id = await create(server, '/v1/subscriptions', subscription);
  const { arrivalOf, arrived } = arrivals();
  const stream = await openEventStream(server, `/v1/subscriptions/${id}/stream`, {
    onMessage: ({ data }) => arrived((JSON.parse(data) as { data: unknown }).data),
  });
  return {
    arrivalOf,
    close() {
      stream.close();
      return Promise.resolve();
    },
  };
}

function arrivals(): Pick<Listener, 'arrivalOf'> &
  Readonly<{ arrived: (payload: unknown) => void }> {
  const awaited = new Map<string, (at: number) => void>();
  return {
    arrivalOf(description) {
      const { promise, resolve } = Promise.withResolvers<number>();
      awaited.set(description, resolve);
      return promise;
    },
    arrived(payload) {
      const at = performance.now();
      const { description } = payload as Readonly<{ description: string }>;
      awaited.get(description)?.(at);
      awaited.delete(description);
    },
  };
}
