import { expect } from 'chai';
import { openRabbitPublisher } from '#src/adapters/rabbitmq/publisher.ts';
import type { Draft, Publisher, PublishFailed } from '#src/ports/publisher.ts';
import { LoggedEvent } from '#src/runtime/logged-event.ts';
import { START } from '#src/ports/event-store.ts';
import { transfer, transferTopics } from '#test/support/relayed.ts';
import { AMQP_URL, cuttable, describeOnRabbit, newExchange, until } from './rabbitmq.ts';

const [, changed] = transferTopics();
const TOPIC = 'any';

const recordsOf = (n: number): readonly Draft[] => {
  const place = { stream: 'ledger-1', revision: 0, position: START };
  return changed.drafts(new LoggedEvent({ ...transfer(n), ...place }));
};

describeOnRabbit('publisher: RabbitMQ', () => {
  let at: Awaited<ReturnType<typeof newExchange>>;
  let publisher: Publisher;
  const opened = (url = AMQP_URL, exchange = at.exchange) =>
    openRabbitPublisher({ url, exchange, clientId: 'quipu-test', deliveryTimeoutMs: 20_000 });
  const refused = (work: Promise<void>): Promise<PublishFailed> =>
    work.then(
      () => {
        throw new Error('It was published');
      },
      (error: unknown) => error as PublishFailed,
    );

  beforeEach(async () => {
    at = await newExchange();
    publisher = opened();
  });
  afterEach(async () => {
    await publisher.close();
    await at.remove();
  });

  it('sends attributes as headers and properties, the payload as the body, by the event key', async () => {
    const { received, receive } = await at.queue('balance.changed');
    await receive();
    const [record] = recordsOf(1);
    const headers: Record<string, string> = { ...record?.headers, 'ce-tenantid': 'acme' };
    await publisher.publish(TOPIC, [{ ...record!, headers }]);

    await until(() => received.length === 1);
    const { content, fields, properties } = received[0]!;
    expect(content.toString()).to.equal(record?.value);
    expect(fields).to.include({ exchange: at.exchange, routingKey: 'balance.changed' });
    expect(properties.headers).to.deep.equal({ ...headers, 'X-Tenant-ID': 'acme' });
    expect(properties).to.include({
      contentType: 'application/json',
      deliveryMode: 2,
      messageId: headers['ce-id'],
      type: 'studio.quipu.balance.changed',
      appId: 'quipu.ledger',
      timestamp: Date.parse('2026-01-05T10:00:00Z') / 1000,
    });
  });

  it('keeps the order of each key', async () => {
    const { received, receive } = await at.queue('balance.*');
    await receive();
    const records = Array.from({ length: 50 }, (_, n) => recordsOf(n + 1)).flat();
    await publisher.publish(TOPIC, records);

    await until(() => received.length === 100);
    const versions = received.map(({ content }) => versionOf(content.toString()));
    expect(versions.filter((_, n) => n % 2 === 0)).to.deep.equal(upTo(50));
    expect(versions.filter((_, n) => n % 2 === 1)).to.deep.equal(upTo(50));
  });

  it('takes a message that came back as not published, though the broker confirms it', async () => {
    const failure = await refused(publisher.publish(TOPIC, recordsOf(1)));
    expect(failure).to.include({ errorClass: 'topic_not_found', acknowledged: 0 });
    expect(failure.message).to.include('no queue for balance.changed');

    const { received, receive } = await at.queue('#'); // Operations have seen to it.
    await receive();
    await publisher.publish(TOPIC, recordsOf(1));
    await until(() => received.length === 2);
  });

  it('takes a message the broker refused as not published, and lets none overtake it', async () => {
    const full = { maxLength: 1, arguments: { 'x-overflow': 'reject-publish' } };
    const { received, receive } = await at.queue('#', at.exchange, full);
    const records = [1, 2, 3].flatMap((n) => recordsOf(n).slice(0, 1));
    const failure = await refused(publisher.publish(TOPIC, records));
    expect(failure).to.include({ errorClass: 'broker_overloaded', acknowledged: 1 });

    await receive(); // There is room again.
    await publisher.publish(TOPIC, records.slice(1));
    await until(() => received.length === 3);
    expect(received.map(({ content }) => versionOf(content.toString()))).to.deep.equal([1, 2, 3]);
  });

  it('puts dead letters on an exchange of their own', async () => {
    const { received, receive } = await at.queue('#', `${at.exchange}.dlx`);
    await receive();
    await publisher.bury(TOPIC, recordsOf(1)[0]!);
    await until(() => received.length === 1);
    expect(received[0]?.fields.routingKey).to.equal('balance.changed');
  });

  it('fails while the broker is away, and goes on when it is back', async () => {
    const way = await cuttable(AMQP_URL);
    const { received, receive } = await at.queue('#');
    await receive();
    const far = opened(way.url);
    try {
      await far.publish(TOPIC, recordsOf(1));
      way.cut();
      const failure = await refused(far.publish(TOPIC, recordsOf(2)));
      expect(failure.errorClass).to.equal('broker_unavailable');
      expect((await refused(far.publish(TOPIC, recordsOf(2)))).acknowledged).to.equal(0);
      way.mend();
      await far.publish(TOPIC, recordsOf(2));
      await until(() => received.length === 4);
    } finally {
      await far.close();
      await way.close();
    }
  });

  it('goes on after its exchange was taken away, by declaring it', async () => {
    const { received, receive } = await at.queue('#');
    await receive();
    await publisher.publish(TOPIC, recordsOf(1));
    await at.channel.deleteExchange(at.exchange);
    const failure = await refused(publisher.publish(TOPIC, recordsOf(2)));
    expect(failure.errorClass).to.equal('topic_not_found');
    await until(() => received.length === 2);

    const again = await refused(publisher.publish(TOPIC, recordsOf(2)));
    expect(again.message).to.include('no queue for'); // The exchange is back, its bindings are not.
  });

  it('tells a wrong password from a broker that is away', async () => {
    const url = new URL(AMQP_URL);
    url.password = 'wrong';
    const stranger = opened(url.href);
    expect((await refused(stranger.publish(TOPIC, recordsOf(1)))).errorClass).to.equal(
      'auth_error',
    );
    await stranger.close();
  });
});

const versionOf = (text: string): number => (JSON.parse(text) as { version: number }).version;
const upTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n + 1);
