import { connect } from 'amqplib';
import { AMQP_URL, describeOnRabbit } from '../rabbitmq.ts';
import type { Consumed } from '../kafka.ts';
import { startCluster, type Cluster } from './cluster.ts';
import { AWAY_MS, describeOnEngines, note, pause, STORY_MS } from './engines.ts';
import { openLedger } from './ledger.ts';
import { createLoad } from './load.ts';
import { checkMoney } from './money.ts';
import { checkPublished } from './published.ts';
import { areOurs, bringUp, killEngine } from '#test/support/engines.ts';

describeOnEngines('distributed, publishing to RabbitMQ', () => {
  describeOnRabbit('that dies under load', () => {
    before(function () {
      if (!areOurs('rabbitmq')) this.skip();
    });

    it('loses no record of those that were confirmed, and gets all the others', async function () {
      this.timeout(STORY_MS + AWAY_MS);
      const cluster = await startCluster({
        STREAMING_RABBITMQ_URL: AMQP_URL,
        STREAMING_RABBITMQ_EXCHANGE: EXCHANGE,
        STREAMING_CB_TIMEOUT_S: '2', // Else the relay waits for 30 s.
      });
      const queue = `${cluster.platform}.all`;
      try {
        await declare(queue);
        const api = await cluster.start('api');
        await cluster.start('projector,relay');
        const ledger = await openLedger(api);
        const load = createLoad({ ledger, ports: [api.port], clients: 8 });
        await load.during(async () => {
          for (let round = 0; round < 2; round += 1) {
            await pause(2000);
            await killEngine('rabbitmq');
            await pause(AWAY_MS / 2);
            await bringUp('rabbitmq');
            await pause(4000);
          }
        });
        const journal = await checkMoney(api, ledger, load);
        const reader = await startReader(queue, cluster.topics);
        const { repeated } = await checkPublished(reader, cluster, journal);
        note(`${load.acknowledged.size} moves, ${repeated} records came again`);
        await reader.stop();
      } finally {
        await bringUp('rabbitmq');
        await cluster.remove();
        await forget(queue);
      }
    });
  });
});

/** What operations would have made: they outlive the broker's death. */
async function declare(queue: string): Promise<void> {
  await onChannel(async (channel) => {
    for (const name of [EXCHANGE, `${EXCHANGE}.dlx`]) {
      await channel.assertExchange(name, 'topic', { durable: true });
    }
    await channel.assertQueue(queue, { durable: true });
    await channel.bindQueue(queue, EXCHANGE, '#');
  });
}

const forget = (queue: string): Promise<void> =>
  onChannel(async (channel) => {
    await channel.deleteQueue(queue);
    for (const name of [EXCHANGE, `${EXCHANGE}.dlx`]) await channel.deleteExchange(name);
  });

type Channel = Awaited<ReturnType<Awaited<ReturnType<typeof connect>>['createChannel']>>;

async function onChannel(work: (channel: Channel) => Promise<void>): Promise<void> {
  const connection = await connect(AMQP_URL);
  try {
    await work(await connection.createChannel());
  } finally {
    await connection.close();
  }
}

/** A queue as if it were a topic for each event, in the order of arrival. */
async function startReader(queue: string, { posted, changed }: Cluster['topics']) {
  const received = new Map<string, Consumed[]>([
    [posted, []],
    [changed, []],
  ]);
  const connection = await connect(AMQP_URL);
  const channel = await connection.createChannel();
  const take = (key: string, headers: object, value: string): void => {
    const topic = key === 'transaction.posted' ? posted : changed;
    const { id, balanceId } = JSON.parse(value) as Readonly<Record<string, string>>;
    const texts = headers as Readonly<Record<string, string>>;
    const place = { topic, partition: 0, offset: '' };
    received.get(topic)?.push({ ...place, key: balanceId ?? id ?? '', headers: texts, value });
  };
  await channel.consume(
    queue,
    (message) => {
      if (message === null) return;
      const { fields, properties, content } = message;
      take(fields.routingKey, properties.headers ?? {}, content.toString());
    },
    { noAck: true },
  );
  return {
    records: (topic: string): readonly Consumed[] => received.get(topic) ?? [],
    count: (topic: string): number => received.get(topic)?.length ?? 0,
    stop: () => connection.close(),
  };
}

const EXCHANGE = `test-away-${String(process.pid)}`;
