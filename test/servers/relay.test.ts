import { expect } from 'chai';
import { openKafkaPublisher } from '#src/adapters/kafka/publisher.ts';
import { MemoryCheckpointStore } from '#src/adapters/memory/checkpoint-store.ts';
import { MemoryEventStore } from '#src/adapters/memory/event-store.ts';
import { systemClock, systemScheduler } from '#src/adapters/system.ts';
import { NONE } from '#src/domain/ids.ts';
import type { NewEvent } from '#src/ports/event-store.ts';
import type { Publisher } from '#src/ports/publisher.ts';
import { createRelay, type Relay } from '#src/runtime/relay.ts';
import { balanceIdOf, catalogOf, transfer } from '#test/support/relayed.ts';
import { BROKERS, consume, describeOnKafka, newPlatform } from './kafka.ts';

describeOnKafka('relay to Kafka', () => {
  let platform: string;
  let publisher: Publisher;
  let relay: Relay;
  let log: MemoryEventStore;
  const topics = () => [
    `${platform}.streaming.ledger_transaction.posted`,
    `${platform}.streaming.ledger_balance.changed`,
  ];

  beforeEach(async () => {
    platform = newPlatform();
    log = new MemoryEventStore({ scheduler: systemScheduler });
    publisher = await openKafkaPublisher({
      brokers: BROKERS,
      clientId: 'quipu-test',
      compression: 'lz4',
      batchMaxBytes: 1_048_576,
      retries: 10,
      deliveryTimeoutMs: 30_000,
      createTopics: true,
    });
    await publisher.provision(topics());
    relay = createRelay({
      log,
      checkpoints: new MemoryCheckpointStore(systemScheduler),
      publisher,
      topics: catalogOf({ platform }),
      scheduler: systemScheduler,
      clock: systemClock,
      fence: 1,
      settings: {
        startAt: 'beginning',
        batchEvents: 500,
        bufferedRecordsMax: 10_000,
        breaker: { failureRatio: 0.5, minRequests: 10, openMs: 1000 },
        closeTimeoutMs: 5000,
        platform,
        producerId: 'quipu-test',
      },
      onReport: () => {},
      onFault: ({ message }) => {
        throw new Error(message);
      },
      onDead: async () => {},
    });
    void relay.run();
  });
  afterEach(async () => {
    await relay.stop();
    await publisher.close();
  });

  const happened = (events: readonly NewEvent[]) => log.append('ledger-1', events, NONE);

  it('brings a posted transaction to a consumer, headers and all', async () => {
    await happened([transfer(1)]);

    const consumed = await consume(topics(), 3);
    const posted = consumed.find(({ topic }) => topic === topics()[0]);
    expect(consumed).to.have.length(3);
    expect(posted?.headers).to.include({ 'ce-type': `studio.${platform}.transaction.posted` });
    expect(consumed.map(({ key }) => key)).to.include(balanceIdOf('@alice'));
  });
});
