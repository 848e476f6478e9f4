import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { expect } from 'chai';
import { HTTP, type CloudEvent } from 'cloudevents';
import { openBusTarget } from '#src/adapters/kafka/delivery-target.ts';
import { connectionTo } from '#src/adapters/kafka/connection.ts';
import type { BrokerOptions } from '#src/adapters/network/broker-delivery.ts';
import { createAddressGuard } from '#src/adapters/network/address-guard.ts';
import { readRanges } from '#src/adapters/network/address-ranges.ts';
import { openQueueTarget } from '#src/adapters/rabbitmq/delivery-target.ts';
import type { Subscription } from '#src/kernel/subscription.ts';
import type { DeliveryOutcome, DeliveryTarget } from '#src/ports/delivery-target.ts';
import type { OutgoingRecord } from '#src/ports/publisher.ts';
import { certificate } from '#test/support/certificate.ts';
import { messageTo, recordsOf, subscriptionTo } from '#test/support/deliveries.ts';
import { BROKERS, consume, describeOnKafka, newPlatform } from './kafka.ts';
import { AMQP_URL, cuttable, describeOnRabbit, newExchange, until } from './rabbitmq.ts';

const records = Array.from({ length: 10 }, (_, n) => recordsOf(n + 1)).flat();
const FORMATS = ['structured', 'binary'] as const;

const options = (cidrs = ['127.0.0.0/8', '::1']): BrokerOptions => ({
  guard: createAddressGuard(readRanges(cidrs, [])),
  clientId: 'quipu-test',
  timeoutMs: 3000,
  idleMs: 300,
  credentials: {
    GUEST: { username: 'guest', password: 'guest', hosts: ['127.0.0.1'] },
    WRONG: { username: 'guest', password: 'no', hosts: ['127.0.0.1'] },
    ELSEWHERE: { username: 'guest', password: 'guest', hosts: ['mq.example.com'] },
  },
});

const failed = (errorClass: string) => ({ is: 'failed', errorClass });

/** Sends one record, and returns the outcome. */
const sentTo =
  (subscribed: (address: string, credentials?: string) => Subscription) =>
  (
    target: DeliveryTarget,
    address: string,
    {
      record = records[0]!,
      format = 'structured',
      credentials,
      signal = new AbortController().signal,
    }: Readonly<{
      record?: OutgoingRecord;
      format?: Subscription['format'];
      credentials?: string;
      signal?: AbortSignal;
    }> = {},
  ): Promise<DeliveryOutcome> =>
    target.send(messageTo({ ...subscribed(address, credentials), format }, record), signal);

const toQueue = sentTo((address, credentials) =>
  subscriptionTo({
    ...{ kind: 'queue', provider: 'rabbitmq', address },
    ...(credentials !== undefined && { credentials }),
  }),
);
const toBus = sentTo((address, credentials) =>
  subscriptionTo({
    ...{ kind: 'bus', provider: 'kafka', address },
    ...(credentials !== undefined && { credentials }),
  }),
);

/** Expects the SDK to read what was sent as the event of the record. */
function expectEvent(headers: Record<string, string>, body: string, record: OutgoingRecord): void {
  const event = HTTP.toEvent({ headers, body }) as CloudEvent<unknown>;
  expect(event.validate()).to.equal(true);
  expect(event.data).to.deep.equal(JSON.parse(record.value));
  expect(event.id).to.equal(record.headers['ce-id']);
  expect(event.type).to.equal(record.headers['ce-type']);
  expect(event['schemaversion']).to.equal(record.headers['ce-schemaversion']);
}

/** A server that speaks neither protocol; its certificate is self-signed. */
async function peer(
  answer: (socket: Socket) => void,
  create: (options: object, on: (socket: Socket) => void) => Server = createServer,
) {
  const sockets = new Set<Socket>();
  const server: Server = create(certificate, (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    answer(socket);
    socket.resume();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    sockets,
    port: (server.address() as AddressInfo).port,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((done) => server.close(done));
    },
  };
}

describeOnRabbit('queue target: RabbitMQ', () => {
  let at: Awaited<ReturnType<typeof newExchange>>;
  let target: DeliveryTarget;
  const place = URL.parse(AMQP_URL)?.host ?? '';
  const broker = `amqp://${place}`;

  beforeEach(async () => {
    at = await newExchange();
    target = openQueueTarget(options());
  });
  afterEach(async () => {
    await target.close();
    await at.remove();
  });

  for (const format of FORMATS) {
    it(`sends ${format} events to an exchange, by the event key`, async () => {
      const { received, receive } = await at.queue('#');
      await receive();
      const address = `${broker}?exchange=${at.exchange}`;
      for (const record of records) {
        expect(await toQueue(target, address, { record, format })).to.deep.equal({
          is: 'delivered',
        });
      }
      await until(() => received.length === records.length);
      for (const [n, { content, fields, properties }] of received.entries()) {
        const record = records[n]!;
        const { headers, contentType, messageId } = properties as {
          headers: Record<string, string>;
          contentType: string;
          messageId: string;
        };
        expect(headers).to.deep.equal(record.headers);
        expect(messageId).to.equal(record.headers['ce-id']);
        expect(fields.routingKey).to.match(/^(transaction\.posted|balance\.changed)$/);
        expect(contentType.startsWith('application/cloudevents+json')).to.equal(
          format !== 'binary',
        );
        if (format === 'binary') expect(content.toString()).to.equal(record.value);
        expectEvent({ ...headers, 'content-type': contentType }, content.toString(), record);
      }
    });
  }

  it('sends to a queue, and by a routing key of the subscriber', async () => {
    const { queue, received, receive } = await at.queue('orders');
    await receive();
    expect(await toQueue(target, `${broker}/%2F?queue=${queue}`)).to.include({ is: 'delivered' });
    const address = `${broker}/?exchange=${at.exchange}&routingKey=orders`;
    expect(await toQueue(target, address)).to.include({ is: 'delivered' });
    await until(() => received.length === 2);
  });

  it('reports what it cannot reach by class', async () => {
    const { queue } = await at.queue('none');
    const nowhere = `${broker}?exchange=${at.exchange}`;
    const outcomes = {
      [nowhere]: 'topic_not_found', // No queue is bound for the key.
      [`${broker}?exchange=missing-${at.exchange}`]: 'topic_not_found',
      [`${broker}?queue=missing-${at.exchange}`]: 'topic_not_found',
      [`amqp://127.0.0.1:1?queue=x`]: 'broker_unavailable',
      [`amqps://${place}?queue=x`]: 'tls_error',
      'amqp://10.0.0.1?queue=x': 'address_refused',
      'amqps://169.254.169.254?queue=x': 'address_refused',
      'amqp://0x7f.1?queue=x': 'address_refused',
      'amqp://8.8.8.8?queue=x': 'address_refused', // Public, but not encrypted.
      [broker]: 'address_refused',
      [`${broker}/missing?queue=x`]: 'broker_unavailable',
    };
    for (const [address, errorClass] of Object.entries(outcomes)) {
      expect(await toQueue(target, address), address).to.deep.equal(failed(errorClass));
    }
    // A channel that one of them broke holds back nobody else.
    expect(await toQueue(target, `${broker}?queue=${queue}`)).to.deep.equal({ is: 'delivered' });
  });

  it('refuses localhost unless the operator allows it', async () => {
    const guarded = openQueueTarget(options([]));
    const [, port] = place.split(':');
    for (const host of ['localhost', '127.0.0.1', '[::1]']) {
      const outcome = await toQueue(guarded, `amqps://${host}:${port}?queue=x`);
      expect(outcome, host).to.deep.equal(failed('address_refused'));
    }
    await guarded.close();
  });

  it('logs in with the credentials that the subscription names, at their hosts only', async () => {
    const { queue } = await at.queue('none');
    const address = `${broker}?queue=${queue}`;
    const outcome = (credentials: string) => toQueue(target, address, { credentials });
    expect(await outcome('GUEST')).to.deep.equal({ is: 'delivered' });
    expect(await outcome('WRONG')).to.deep.equal(failed('auth_error'));
    expect(await outcome('ELSEWHERE')).to.deep.equal(failed('auth_error'));
    expect(await outcome('MISSING')).to.deep.equal(failed('auth_error'));
    expect(await outcome('constructor')).to.deep.equal(failed('auth_error'));
  });

  it('reconnects after the connection broke', async () => {
    const { queue, received, receive } = await at.queue('none');
    await receive();
    const way = await cuttable(AMQP_URL);
    const address = `amqp://${new URL(way.url).host}?queue=${queue}`;
    expect(await toQueue(target, address)).to.include({ is: 'delivered' });
    way.cut();
    expect(await toQueue(target, address)).to.include({ is: 'failed' });
    way.mend();
    expect(await toQueue(target, address)).to.include({ is: 'delivered' });
    await until(() => received.length === 2);
    await way.close();
  });

  it('gives up on a peer that never answers, or with nonsense', async () => {
    const silent = await peer(() => {});
    expect(await toQueue(target, `amqp://127.0.0.1:${silent.port}?queue=x`)).to.deep.equal(
      failed('network_timeout'),
    );
    const odd = await peer((socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'.repeat(50)));
    const { is } = await toQueue(target, `amqp://127.0.0.1:${odd.port}?queue=x`);
    expect(is).to.equal('failed');
    await silent.close();
    await odd.close();
  });

  it('shares a connection, and closes it when it is idle', async () => {
    const { queue } = await at.queue('none');
    const opened = await countedWay();
    const address = `amqp://${opened.host}?queue=${queue}`;
    await Promise.all(records.map((record) => toQueue(target, address, { record })));
    expect([opened.all(), opened.live()]).to.deep.equal([1, 1]);
    await until(() => opened.live() === 0, 5000);
    expect(await toQueue(target, address)).to.include({ is: 'delivered' });
    expect(opened.all()).to.equal(2);
    await opened.close();
  });

  it('refuses a certificate that it does not trust', async () => {
    const secured = await peer(() => {}, createTlsServer);
    const address = `amqps://127.0.0.1:${secured.port}?queue=x`;
    expect(await toQueue(target, address)).to.deep.equal(failed('tls_error'));
    await secured.close();
  });

  it('stops with the reason of an aborted signal, and when it is closed', async () => {
    const silent = await peer(() => {});
    const address = `amqp://127.0.0.1:${silent.port}?queue=x`;
    const abort = new AbortController();
    const reason = new Error('stopped');
    setTimeout(() => {
      abort.abort(reason);
    }, 50);
    const stopped = await toQueue(target, address, { signal: abort.signal }).catch(
      (error: unknown) => error,
    );
    expect(stopped).to.equal(reason);
    await target.close();
    expect(await toQueue(target, address)).to.deep.equal(failed('context_canceled'));
    await silent.close();
  });
});

describeOnKafka('bus target: Kafka', () => {
  let target: DeliveryTarget;
  let topic: string;
  const bus = (of = topic, brokers = BROKERS.join(',')) => `kafka://${brokers}/${of}`;

  beforeEach(async () => {
    target = openBusTarget(options());
    topic = `${newPlatform()}.bus`;
    const admin = connectionTo({ brokers: BROKERS, clientId: 'quipu-test' }).admin();
    await admin.connect();
    await admin.createTopics({ topics: [{ topic, numPartitions: 3, replicationFactor: 1 }] });
    await admin.disconnect();
  });
  afterEach(() => target.close());

  for (const format of FORMATS) {
    it(`sends ${format} events under their record key`, async () => {
      for (const record of records) {
        expect(await toBus(target, bus(), { record, format })).to.deep.equal({ is: 'delivered' });
      }
      const consumed = await consume([topic], records.length);
      expect(consumed).to.have.length(records.length);
      const byId = new Map(records.map((record) => [record.headers['ce-id'], record]));
      for (const { key, headers, value } of consumed) {
        const record = byId.get(headers['ce-id'])!;
        expect(key).to.equal(record.key);
        const { 'content-type': contentType = 'application/json', ...others } = headers;
        expect(others).to.deep.equal(record.headers);
        expect(contentType.startsWith('application/cloudevents+json')).to.equal(
          format !== 'binary',
        );
        if (format === 'binary') expect(value).to.equal(record.value);
        expectEvent({ ...headers, 'content-type': contentType }, value, record);
      }
    });
  }

  it('reports what it cannot reach by class', async () => {
    const outcomes = {
      [bus(`${topic}.missing`)]: 'topic_not_found',
      [bus(topic, '127.0.0.1:1')]: 'broker_unavailable',
      [bus().replace('kafka:', 'kafkas:')]: 'broker_unavailable', // It speaks no TLS.
      [bus(topic, '10.0.0.1:9092')]: 'address_refused',
      [bus(topic, '169.254.169.254:80').replace('kafka:', 'kafkas:')]: 'address_refused',
      [bus(topic, '8.8.8.8:9092')]: 'address_refused', // Public, but not encrypted.
      [bus('')]: 'address_refused',
    };
    for (const [address, errorClass] of Object.entries(outcomes)) {
      expect(await toBus(target, address), address).to.deep.equal(failed(errorClass));
    }
    expect(await toBus(target, bus())).to.deep.equal({ is: 'delivered' });
  });

  it('refuses names of internal addresses', async () => {
    const guarded = openBusTarget(options([]));
    for (const broker of ['localhost:9092', '127.0.0.1:9092', '[::1]:9092']) {
      const outcome = await toBus(guarded, bus(topic, broker).replace('kafka:', 'kafkas:'));
      expect(outcome, broker).to.deep.equal(failed('address_refused'));
    }
    await guarded.close();
  });

  it('does not follow a broker to an address that is forbidden', async () => {
    // The cluster names 127.0.0.1 as its broker; only the bootstrap address is allowed.
    const [, port] = BROKERS[0]!.split(':');
    const guarded = openBusTarget({
      ...options(),
      guard: createAddressGuard(readRanges(['127.0.0.2'], []), (_, callback) => {
        callback(null, [{ address: '127.0.0.2', family: 4 }]);
      }),
    });
    const way = await cuttable(`amqp://127.0.0.1:${port}`, '127.0.0.2');
    const address = bus(topic, `kafka.example.com:${new URL(way.url).port}`);
    expect(await toBus(guarded, address)).to.deep.equal(failed('address_refused'));
    await guarded.close();
    await way.close();
  });

  it('names credentials that exist, for their hosts only', async () => {
    const outcome = (credentials: string) => toBus(target, bus(), { credentials });
    expect(await outcome('ELSEWHERE')).to.deep.equal(failed('auth_error'));
    expect(await outcome('MISSING')).to.deep.equal(failed('auth_error'));
    expect(await outcome('GUEST')).to.deep.equal(failed('auth_error')); // This broker has no SASL.
  });

  it('gives up on a peer that never answers, or answers without an end', async () => {
    const silent = await peer(() => {});
    const of = (port: number) => bus(topic, `127.0.0.1:${port}`);
    expect(await toBus(target, of(silent.port))).to.include({ is: 'failed' });
    let written = 0;
    const endless = await peer((socket) => {
      socket.write(Buffer.from([0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 0])); // A response of 2 GiB.
      const write = (): void => {
        while (!socket.destroyed && socket.write(Buffer.alloc(1_048_576))) written += 1_048_576;
      };
      socket.on('drain', write);
      write();
    });
    expect(await toBus(target, of(endless.port))).to.include({ is: 'failed' });
    expect(written).to.be.below(256 * 1_048_576);
    await silent.close();
    await endless.close();
  });

  it('refuses a certificate that it does not trust', async () => {
    const secured = await peer(() => {}, createTlsServer);
    const address = bus(topic, `127.0.0.1:${secured.port}`).replace('kafka:', 'kafkas:');
    expect(await toBus(target, address)).to.deep.equal(failed('tls_error'));
    await secured.close();
  });

  it('stops with the reason of an aborted signal, and when it is closed', async () => {
    const silent = await peer(() => {});
    const abort = new AbortController();
    const reason = new Error('stopped');
    setTimeout(() => {
      abort.abort(reason);
    }, 50);
    const address = bus(topic, `127.0.0.1:${silent.port}`);
    const stopped = await toBus(target, address, { signal: abort.signal }).catch(
      (error: unknown) => error,
    );
    expect(stopped).to.equal(reason);
    await target.close();
    expect(await toBus(target, bus())).to.deep.equal(failed('context_canceled'));
    await silent.close();
  });
});

/** A way to RabbitMQ that counts the connections through it. */
async function countedWay() {
  const { hostname, port } = new URL(AMQP_URL);
  let all = 0;
  const through = await peer((near) => {
    all += 1;
    const far = connect(Number(port), hostname);
    far.on('error', () => near.destroy()).on('close', () => near.destroy());
    near.on('close', () => far.destroy());
    near.pipe(far).pipe(near);
  });
  const host = `127.0.0.1:${through.port}`;
  const close = () => through.close();
  return { host, all: () => all, live: () => through.sockets.size, close };
}
