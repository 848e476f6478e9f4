import { expect } from 'chai';
import { producers } from '#src/bootstrap/definitions.ts';
import { manifestOf } from '#src/bridge/manifest.ts';
import { sourceFault } from '#src/bridge/producer.ts';
import { topicName, type TopicStyle } from '#src/bridge/topic-name.ts';

const nameOf = (topicStyle: TopicStyle, source: string, key: string, schemaVersion = '1.0.0') =>
  topicName({ platform: 'quipu', source, topicStyle }, { key, schemaVersion, tail: 'x_y.z' });

describe('the name of a topic', () => {
  it('is a literal for explicit topics, whatever the source and version', () => {
    expect(nameOf('explicit', 'anything', 'y.z', '2.0.0')).to.equal('quipu.streaming.x_y.z');
  });

  // Contract events §3, as its examples stand there.
  for (const [source, key, version, topic] of [
    ['lending', 'contract.signed', '1.4.0', 'lending.contract.signed'],
    ['lending', 'contract.signed', '2.0.0', 'lending.contract.signed.v2'],
    ['lending', 'contract.signed', '10.1.0', 'lending.contract.signed.v10'],
    ['Loan Core/BR', 'contract.signed', '1.0.0', 'loan-core-br.contract.signed'],
    ['//quipu/lending', 'contract.signed', '1.0.0', '--quipu-lending.contract.signed'],
    ['lending', 'payment.requested', '1.0.0', 'lending.payment.requested'],
  ] as const) {
    it(`of ${source} for ${key} ${version} is ${topic}`, () => {
      expect(nameOf('source-derived', source, key, version)).to.equal(topic);
    });
  }

  it('is the event key as the routing key of RabbitMQ, hyphens kept', () => {
    expect(nameOf('routing-key', 'reporting', 'balance.config-changed')).to.equal(
      'balance.config-changed',
    );
  });

  it('is refused when no broker accepts it', () => {
    expect(() => nameOf('source-derived', 's'.repeat(240), 'a.bcdefg')).to.throw(/too long/);
    expect(nameOf('source-derived', 's'.repeat(230), 'a.b')).to.have.length(234);
  });
});

describe('a producer', () => {
  it('needs a source, and accepts no other than its exact one', () => {
    expect(sourceFault({ name: 'lending' }, '')).to.equal('lending needs a source');
    expect(sourceFault({ name: 'lending' }, 'loans')).to.equal(undefined);
    const exact = { name: 'matching', exactSource: 'matching' };
    expect(sourceFault(exact, 'matching')).to.equal(undefined);
    expect(sourceFault(exact, 'other')).to.match(/publishes as matching only/);
  });

  const publisher = {
    platform: 'quipu',
    source: 'quipu.ledger',
    appVersion: '0.2.0',
    producerId: 'ledger-1',
    exchange: 'events',
  };
  const manifests = producers.map((producer) => manifestOf(producer, publisher));

  it('has a manifest of the events it may publish, sorted by key', () => {
    const keys = manifests[0]!.events.map(({ key }) => key);
    expect(keys).to.deep.equal(keys.toSorted());
    const on = manifests[0]!.events.filter(({ defaultPolicy }) => defaultPolicy.enabled);
    expect(on).to.have.length(35 + 7 + 7);
    expect(manifests[1]!.events).to.have.length(12);
  });

  it('has topics of its own: no other producer publishes there', () => {
    const destinations = manifests.flatMap(({ routes }) =>
      routes.map(({ transport, destination }) => `${transport} ${destination}`),
    );
    expect(new Set(destinations).size).to.equal(destinations.length);
  });

  it('shows in its manifest where an event goes, and how', () => {
    const changed = manifests[0]!.events.find(({ key }) => key === 'balance.config-changed');
    expect(changed).to.include({
      topic: 'quipu.streaming.ledger_balance.config_changed',
      ceType: 'studio.quipu.balance.config-changed',
      dataSchema: '/v1/streaming/schemas/balance.config-changed/1.0.0',
    });
    const reporting = manifests.find(
      ({ publisher: { serviceName } }) => serviceName === 'reporting',
    );
    expect(reporting?.routes[0]).to.include({
      transport: 'rabbitmq',
      destination: 'events/report.finished',
    });
  });
});
