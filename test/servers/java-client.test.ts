import { execFile, execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { openKafkaPublisher } from '#src/adapters/kafka/publisher.ts';
import { START } from '#src/ports/event-store.ts';
import { LoggedEvent } from '#src/runtime/logged-event.ts';
import { transfer, transferTopics } from '#test/support/relayed.ts';
import { BROKERS, describeOnKafka, newPlatform } from './kafka.ts';
import { fetchedJars } from './own-kafka.ts';

const PROGRAM = join(import.meta.dirname, '..', 'clients', 'ReadTopics.java');

/** Java runs a single source file where its compiler is installed. */
function hasJava(): boolean {
  try {
    return execFileSync('java', ['--list-modules'], { encoding: 'utf8' }).includes('jdk.compiler');
  } catch {
    return false;
  }
}

describeOnKafka("a consumer with Kafka's own client for Java", () => {
  const jars = fetchedJars();
  const canRun = (jars !== undefined && hasJava()) || process.env['REQUIRE_ENGINES'] === '1';

  for (const compression of ['lz4', 'zstd'] as const) {
    (canRun ? it : it.skip)(`reads every record, packed with ${compression}`, async () => {
      const topics = transferTopics({ platform: newPlatform() });
      const publisher = await openKafkaPublisher({
        ...{ brokers: BROKERS, clientId: 'test', compression, batchMaxBytes: 1_048_576 },
        ...{ retries: 3, deliveryTimeoutMs: 30_000, createTopics: true },
      });
      const names = topics.map(({ name }) => name);
      const sent: string[] = [];
      try {
        await publisher.provision(names);
        for (const { name, drafts } of topics) {
          const records = Array.from({ length: 500 }, (_, n) => transfer(n + 1)).flatMap((event) =>
            drafts(new LoggedEvent({ ...event, stream: 'l', revision: 0, position: START })),
          );
          await publisher.publish(name, records);
          for (const { key, headers, value } of records) {
            const bytes = Buffer.byteLength(value);
            sent.push([name, key, headers['ce-id'], headers['ce-type'], bytes].join('\t'));
          }
        }
      } finally {
        await publisher.close();
      }

      const args = ['-cp', `${jars ?? ''}/*`, PROGRAM, BROKERS.join(','), String(sent.length)];
      const { stdout } = await promisify(execFile)('java', [...args, ...names], {
        ...{ timeout: 120_000, maxBuffer: 16 * 1024 * 1024 },
      });
      const lines = stdout
        .trim()
        .split('\n')
        .filter((line) => line.split('\t').length === 5);
      expect(lines).to.have.length(sent.length);
      const order = (all: readonly string[]) => Map.groupBy(all, orderKey);
      expect(order(lines)).to.deep.equal(order(sent));
    });
  }
});

/** The topic and the record key, within which records are in order. */
const orderKey = (line: string): string => line.split('\t').slice(0, 2).join('\t');
