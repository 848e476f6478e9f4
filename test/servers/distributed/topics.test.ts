import { expect } from 'chai';
import type { OutgoingRecord } from '#src/ports/publisher.ts';
import { got, made } from '#test/e2e/books.ts';
import { clientOf } from '#test/support/client.ts';
import { until } from '#test/support/server.ts';
import { BROKERS } from '../kafka.ts';
import { consumedBy, eventOf, expectOrder, openReceiver, publisherTo } from '../other-producer.ts';
import { startCluster } from './cluster.ts';
import { describeOnEngines, note, STORY_MS } from './engines.ts';

describeOnEngines('distributed: topics are consumed by a group', () => {
  it('whose members come, die and go: every event is planned once and arrives in order', async function () {
    this.timeout(STORY_MS);
    const cluster = await startCluster({ DELIVERY_ALLOWED_CIDRS: '127.0.0.0/8' });
    const topic = `${cluster.platform}.streaming.companion_limit.activated`;
    const consuming = {
      STREAMING_CONSUMER_ENABLED: 'true',
      STREAMING_CONSUMER_BROKERS: BROKERS.join(','),
      STREAMING_CONSUMER_GROUP: `${cluster.platform}.delivery`,
      STREAMING_CONSUMER_TOPICS: topic,
    };
    const publisher = await publisherTo(BROKERS);
    await publisher.provision([topic]);
    const receiver = await openReceiver();
    const { received } = receiver;
    const api = await cluster.start('api,projector');
    const client = clientOf(() => api);
    const { id } = await made<{ id: string }>(client, '/v1/subscriptions', {
      ...{ name: 'Limits', filters: { types: ['limit.*'] }, ordering: 'key', rateLimit: 1000 },
      target: { kind: 'webhook', url: receiver.url },
    });
    const sent: OutgoingRecord[] = [];
    const publish = async (): Promise<void> => {
      const batch = Array.from({ length: EVENTS }, (_, n) => eventOf({}, sent.length + n));
      sent.push(...batch);
      await publisher.publish(topic, batch);
    };
    const ids = () => new Set(received.map((one) => one.id));
    const arrived = () => until(() => ids().size === sent.length, 90_000, 'all of them');

    try {
      const first = await cluster.start('delivery', consuming);
      await publish();
      await until(() => received.length > 20, 60_000, 'some of them');
      const second = await cluster.start('delivery', consuming);
      await arrived();
      for (let n = 0; (await consumedBy(second, 'planned')) === 0; n += 1) {
        if (n === 20) throw new Error('The second member takes no share');
        await publish();
        await arrived();
      }
      const before = received.length;
      await publish();
      await until(() => received.length > before + 20, 60_000, 'some of them');
      await cluster.kill(first);
      await publish();
      await arrived();
      const third = await cluster.start('delivery', consuming);
      await publish();
      await arrived();
      expect(ids()).to.deep.equal(new Set(sent.map(({ headers }) => headers['ce-id'])));
      expectOrder(received);
      let rows = 0;
      for (let page = 1, items; items === undefined || items.length > 0; page += 1) {
        const query = `subscription_id=${id}&limit=100&page=${page}`;
        ({ items } = await got<{ items: object[] }>(client, `/v1/deliveries?${query}`));
        rows += items.length;
      }
      expect(rows).to.equal(sent.length);
      const repeated =
        (await consumedBy(second, 'repeated')) + (await consumedBy(third, 'repeated'));
      note(`${rows} events, ${repeated} came again, ${received.length - rows} were sent again`);
    } finally {
      client.close();
      await publisher.close();
      await cluster.remove();
      await receiver.close();
    }
  });
});

const EVENTS = 200;
