import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { openKafkaPublisher } from '#src/adapters/kafka/publisher.ts';
import type { OutgoingRecord, Publisher } from '#src/ports/publisher.ts';
import { clientOf } from '#test/support/client.ts';
import type { Server } from '#test/support/server.ts';

export type CloudEventBody = Readonly<{
  id: string;
  type: string;
  source: string;
  data: Readonly<{ n?: number }>;
}>;

/** An event of the companion, as another process publishes it. */
export const eventOf = (changes: Record<string, string> = {}, n = 0): OutgoingRecord => ({
  key: `key-${n % KEYS}`,
  headers: {
    'ce-specversion': '1.0',
    'ce-id': randomUUID(),
    'ce-source': 'other.companion',
    'ce-type': 'studio.other.limit.activated',
    'ce-time': new Date().toISOString(),
    'ce-resourcetype': 'limit',
    'ce-eventtype': 'activated',
    'ce-schemaversion': '1.0.0',
    ...changes,
  },
  value: `{"id":"${randomUUID()}","n":${n},"limit":10.50}`,
});

export const publisherTo = (brokers: readonly string[]): Promise<Publisher> =>
  openKafkaPublisher({
    ...{ brokers, clientId: 'test', compression: 'lz4', batchMaxBytes: 1_048_576 },
    ...{ retries: 10, deliveryTimeoutMs: 30_000, createTopics: true },
  });

/** A webhook receiver that takes everything. */
export async function openReceiver() {
  const received: CloudEventBody[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received.push(JSON.parse(Buffer.concat(chunks).toString()) as CloudEventBody);
      response.writeHead(204).end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    received,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async close() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

/** The messages that a process has taken from topics, by outcome. */
export async function consumedBy(server: Server, outcome: string): Promise<number> {
  const client = clientOf(() => server);
  const { text } = await client.get('/metrics');
  client.close();
  const line = new RegExp(`^quipu_delivery_consumed_total{outcome="${outcome}"} (\\d+)$`, 'm');
  return Number(line.exec(text)?.[1] ?? 0);
}

/** Expects the events of each key in their order, as far as they came for the first time. */
export function expectOrder(received: readonly CloudEventBody[]): void {
  const firsts = [...new Map(received.toReversed().map((one) => [one.id, one])).values()];
  const numbers = firsts.toReversed().map(({ data }) => data.n ?? -1);
  for (const ofKey of Map.groupBy(numbers, (n) => n % KEYS).values()) {
    expect(ofKey).to.deep.equal(ofKey.toSorted((a, b) => a - b));
  }
}

const KEYS = 20;
