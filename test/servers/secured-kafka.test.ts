import { expect } from 'chai';
import { openBusTarget } from '#src/adapters/kafka/delivery-target.ts';
import { createKafkaSource } from '#src/adapters/kafka/source.ts';
import { createAddressGuard } from '#src/adapters/network/address-guard.ts';
import { readRanges } from '#src/adapters/network/address-ranges.ts';
import { openPublisher } from '#src/bootstrap/open-publisher.ts';
import { kafkaIn } from '#src/bootstrap/streaming-settings.ts';
import { SettingReader } from '#src/kernel/setting-reader.ts';
import type { Publisher, PublishFailed } from '#src/ports/publisher.ts';
import { certificate as another } from '#test/support/certificate.ts';
import { messageTo, recordsOf, subscriptionTo } from '#test/support/deliveries.ts';
import { until } from '#test/support/until.ts';
import { consume, newPlatform } from './kafka.ts';
import { hasOwnKafka } from './own-kafka.ts';
import { LOGIN, startSecuredKafka } from './secured-kafka.ts';

const MECHANISMS = ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'] as const;
const WRONG = 'wrong battery';
const canRun = hasOwnKafka() || process.env['REQUIRE_ENGINES'] === '1';

(canRun ? describe : describe.skip)('Kafka with TLS and SASL', function () {
  this.timeout(120_000);
  let kafka: Awaited<ReturnType<typeof startSecuredKafka>>;
  let topic: string;
  const opened: Publisher[] = [];
  const [record] = recordsOf(1);

  before(async () => {
    kafka = await startSecuredKafka();
  });
  after(() => kafka.remove());
  beforeEach(() => (topic = `${newPlatform()}.streaming.ledger_balance.changed`));
  afterEach(() => Promise.all(opened.splice(0).map((publisher) => publisher.close())));

  /** The target of settings as an operator writes them. */
  const target = (changes: Record<string, string> = {}) => {
    const reader = new SettingReader({
      STREAMING_BROKERS: kafka.encrypted,
      STREAMING_TOPICS_AUTOCREATE: 'true',
      STREAMING_RECORD_RETRIES: '1',
      STREAMING_TLS_ENABLED: 'true',
      STREAMING_TLS_CA_CERT: Buffer.from(kafka.certificate).toString('base64'),
      STREAMING_SASL_MECHANISM: 'SCRAM-SHA-512',
      STREAMING_SASL_USERNAME: LOGIN.username,
      STREAMING_SASL_PASSWORD: LOGIN.password,
      ...changes,
    });
    const read = kafkaIn(reader);
    expect(reader.mistakes).to.deep.equal([]);
    return read;
  };
  const publisherWith = async (changes?: Record<string, string>): Promise<Publisher> => {
    const settings = { clientId: 'quipu-test', deliveryTimeoutMs: 20_000, target: target(changes) };
    const publisher = await openPublisher(settings);
    opened.push(publisher);
    return publisher;
  };
  const refusal = async (changes: Record<string, string>): Promise<PublishFailed> => {
    const publisher = await publisherWith(changes);
    return publisher.publish(topic, [record!]).then(
      () => expect.fail('It was published'),
      (error: unknown) => error as PublishFailed,
    );
  };

  for (const mechanism of MECHANISMS) {
    describe(mechanism, () => {
      const STREAMING_SASL_MECHANISM = mechanism;

      it('creates topics, and brings records there', async () => {
        const publisher = await publisherWith({ STREAMING_SASL_MECHANISM });
        expect(await publisher.provision([topic])).to.deep.equal([]);
        await publisher.publish(topic, recordsOf(1));
        const arrived = await consume([topic], recordsOf(1).length, kafka.brokers);
        const bare = arrived.map(({ key, headers, value }) => ({ key, headers, value }));
        expect(bare).to.have.deep.members(recordsOf(1));
      });

      it('lets a group consume', async () => {
        const publisher = await publisherWith({ STREAMING_SASL_MECHANISM });
        await publisher.provision([topic]);
        await publisher.publish(topic, [record!]);
        const values: string[] = [];
        const source = createKafkaSource({
          ...target({ STREAMING_SASL_MECHANISM }),
          ...{ clientId: 'quipu-test', group: topic, topics: [topic], startAt: 'beginning' },
          ...{ pollTimeoutMs: 100, closeTimeoutMs: 1000, deadLetterSuffix: '.dlq' },
        });
        const running = source.run(async ({ value }) => void values.push(value));
        await until(() => values.length > 0, 30_000, 'a record is there');
        await source.close();
        await running;
        expect(values).to.deep.equal([record!.value]);
      });

      it('refuses a wrong password and an unknown user, which are in no message', async () => {
        for (const wrong of [
          { STREAMING_SASL_PASSWORD: WRONG },
          { STREAMING_SASL_USERNAME: 'nobody' },
        ]) {
          const failure = await refusal({ STREAMING_SASL_MECHANISM, ...wrong });
          expect(failure).to.include({ errorClass: 'auth_error', acknowledged: 0 });
          expect(String(failure)).to.not.contain(WRONG).and.not.contain(LOGIN.password);
          expect(String(failure.cause)).to.not.contain(WRONG).and.not.contain(LOGIN.password);
        }
        const provisioning = (
          await publisherWith({ STREAMING_SASL_MECHANISM, STREAMING_SASL_PASSWORD: WRONG })
        ).provision([topic]);
        expect(await provisioning.catch((error: unknown) => error)).to.include({
          errorClass: 'auth_error',
        });
      });

      it('brings what is delivered to a bus, and tells a wrong password', async () => {
        const publisher = await publisherWith({ STREAMING_SASL_MECHANISM });
        await publisher.provision([topic]);
        const hosts = ['127.0.0.1'];
        const bus = openBusTarget({
          guard: createAddressGuard(readRanges(['127.0.0.0/8'], [])),
          clientId: 'quipu-test',
          timeoutMs: 5000,
          idleMs: 300,
          credentials: {
            RIGHT: { ...LOGIN, hosts },
            WRONG: { ...LOGIN, password: WRONG, hosts },
          },
        });
        const sent = (scheme: string, place: string, credentials: string) => {
          const address = `${scheme}://${place}/${topic}?sasl=${mechanism}`;
          const kind = { kind: 'bus', provider: 'kafka', address, credentials } as const;
          const subscription = { ...subscriptionTo(kind), format: 'binary' } as const;
          return bus.send(messageTo(subscription, record), new AbortController().signal);
        };
        try {
          expect(await sent('kafka', kafka.plain, 'RIGHT')).to.deep.equal({ is: 'delivered' });
          const wrong = await sent('kafka', kafka.plain, 'WRONG');
          expect(wrong).to.deep.equal({ is: 'failed', errorClass: 'auth_error' });
          // Its certificate is not the system's, and a subscriber cannot name another authority.
          const untrusted = await sent('kafkas', kafka.encrypted, 'RIGHT');
          expect(untrusted).to.deep.equal({ is: 'failed', errorClass: 'tls_error' });
        } finally {
          await bus.close();
        }
        const arrived = await consume([topic], 1, kafka.brokers);
        expect(arrived.map(({ value }) => value)).to.deep.equal([record!.value]);
      });
    });
  }

  it('trusts no certificate of another authority, or for another host', async () => {
    for (const [changes, reason] of [
      [{ STREAMING_TLS_CA_CERT: another.cert }, /self-signed certificate/],
      [{ STREAMING_TLS_CA_CERT: '' }, /self-signed certificate/],
      [{ STREAMING_BROKERS: kafka.misnamed }, /does not match certificate's altnames/],
    ] as const) {
      const failure = await refusal(changes);
      expect(failure).to.include({ errorClass: 'broker_unavailable', acknowledged: 0 });
      expect(failure.message).to.match(reason);
    }
  });

  it('fails in time where it does not use TLS, and the broker does', async () => {
    const failure = await refusal({
      STREAMING_TLS_ENABLED: 'false',
      STREAMING_SASL_ALLOW_PLAINTEXT: 'true',
    });
    expect(['broker_unavailable', 'network_timeout']).to.include(failure.errorClass);
    expect(failure.acknowledged).to.equal(0);
  });

  it('fails in time where it does not log in, and the broker wants it', async () => {
    const failure = await refusal({ STREAMING_SASL_MECHANISM: '' });
    expect(['auth_error', 'broker_unavailable', 'network_timeout']).to.include(failure.errorClass);
    expect(failure.acknowledged).to.equal(0);
  });
});
