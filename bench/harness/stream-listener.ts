import { randomUUID } from 'node:crypto';
import { compressionType } from '#src/adapters/kafka/compression.ts';
import { connectionTo } from '#src/adapters/kafka/connection.ts';

/** A consumer of `transaction.posted`. */
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
  const awaited = new Map<string, (at: number) => void>();
  await consumer.connect();
  await consumer.subscribe({ topics: [`${platform}.streaming.ledger_transaction.posted`] });
  const joined = Promise.withResolvers<undefined>();
  consumer.on('consumer.group_join', () => joined.resolve(undefined));
  await consumer.run({
    eachMessage: ({ message }) => {
      const at = performance.now();
      const { description } = JSON.parse(String(message.value)) as { description: string };
      awaited.get(description)?.(at);
      awaited.delete(description);
      return Promise.resolve();
    },
  });
  await joined.promise;
  return {
    arrivalOf(description) {
      const { promise, resolve } = Promise.withResolvers<number>();
      awaited.set(description, resolve);
      return promise;
    },
    close: () => consumer.disconnect(),
  };
}
