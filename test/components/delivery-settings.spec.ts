import { expect } from 'chai';
import { createAddressGuard } from '#src/adapters/network/address-guard.ts';
import { readRanges } from '#src/adapters/network/address-ranges.ts';
import { loginFor } from '#src/adapters/network/broker-delivery.ts';
import { targetFault } from '#src/adapters/network/target-fault.ts';
import { readDeliverySettings } from '#src/components/streaming/delivery-settings.ts';
import { SettingReader } from '#src/kernel/setting-reader.ts';
import type { SubscriptionTarget } from '#src/kernel/subscription.ts';

const read = (env: Record<string, string>) => {
  const reader = new SettingReader(env);
  return { ...readDeliverySettings(reader), mistakes: reader.mistakes, names: reader.names };
};

describe('settings of deliveries', () => {
  it('open no range and have no login by default', () => {
    const { allowedCidrs, credentials, mistakes, names } = read({});
    expect({ allowedCidrs, credentials, mistakes }).to.deep.equal({
      ...{ allowedCidrs: [], credentials: {}, mistakes: [] },
    });
    expect([...names]).to.deep.equal(['DELIVERY_ALLOWED_CIDRS']);
  });

  it('open ranges', () => {
    const { allowedCidrs, mistakes } = read({
      DELIVERY_ALLOWED_CIDRS: '10.1.0.0/16, fd00::/8,::1',
    });
    expect(allowedCidrs).to.deep.equal(['10.1.0.0/16', 'fd00::/8', '::1']);
    expect(mistakes).to.deep.equal([]);
  });

  it('name every range that is not one', () => {
    expect(
      read({ DELIVERY_ALLOWED_CIDRS: '10.1.0.0/8,x,0.0.0.0/0,10.0.0.0/8' }).mistakes,
    ).to.deep.equal([
      'DELIVERY_ALLOWED_CIDRS: 10.1.0.0/8 has bits behind its prefix: 10.0.0.0/8',
      'DELIVERY_ALLOWED_CIDRS: x is not a range like 10.1.0.0/16',
      'DELIVERY_ALLOWED_CIDRS: 0.0.0.0/0 would allow every address',
    ]);
  });

  it('hold logins for the hosts listed with them', () => {
    const { credentials, mistakes, names } = read({
      DELIVERY_CREDENTIALS_ORDERS: 'app:p@ss:word,x@MQ.example.com,[fd00::1]',
      OTHER: 'x',
    });
    expect(mistakes).to.deep.equal([]);
    expect([...names])
      .to.include('DELIVERY_CREDENTIALS_ORDERS')
      .and.not.include('OTHER');
    const login = {
      username: 'app',
      password: 'p@ss:word,x',
      hosts: ['mq.example.com', 'fd00::1'],
    };
    expect(credentials).to.deep.equal({ ORDERS: login });

    expect(loginFor('ORDERS', ['mq.EXAMPLE.com', 'fd00::1'], credentials)).to.equal(
      credentials['ORDERS'],
    );
    expect(loginFor(undefined, ['evil.example.com'], credentials)).to.equal('none');
    for (const hosts of [['evil.example.com'], ['mq.example.com', 'evil.example.com']]) {
      expect(loginFor('ORDERS', hosts, credentials)).to.equal('refused');
    }
    expect(loginFor('toString', ['mq.example.com'], credentials)).to.equal('refused');
  });

  it('name a login that is not one, without its password', () => {
    const wrong = {
      A: 'user:secret',
      B: 'secret@host',
      'c-d': 'user:secret@host',
      E: 'user:@host',
    };
    const env = Object.entries(wrong).map(([name, value]) => [
      `DELIVERY_CREDENTIALS_${name}`,
      value,
    ]);
    const { mistakes } = read({
      ...(Object.fromEntries(env) as Record<string, string>),
      DELIVERY_CREDENTIALS_F: 'user:secret@0x7f.1',
      [`DELIVERY_CREDENTIALS_${'G'.repeat(41)}`]: 'user:secret@host',
    });
    expect(mistakes).to.have.length(6);
    for (const mistake of mistakes) {
      expect(mistake).to.match(/^DELIVERY_CREDENTIALS_\S+ must be like user:password@host,host$/);
    }
  });
});

describe('targets', () => {
  const guard = createAddressGuard(readRanges(['10.0.0.0/8'], []));
  const webhook = (url: string): SubscriptionTarget => ({ kind: 'webhook', url, timeoutMs: 1000 });
  const queue = (address: string): SubscriptionTarget => ({
    ...{ kind: 'queue', provider: 'rabbitmq', address },
  });
  const bus = (address: string): SubscriptionTarget => ({
    ...{ kind: 'bus', provider: 'kafka', address },
  });

  const possible = [
    webhook('https://hooks.example.com/a'),
    webhook('https://8.8.8.8/'),
    webhook('http://10.0.0.1/'),
    queue('amqps://mq.example.com?queue=a'),
    queue('amqp://10.0.0.1?exchange=a'),
    bus('kafkas://a:1,b:2/topic'),
    bus('kafka://10.0.0.1,10.0.0.2/topic'),
    { kind: 'pull' } as const,
  ];
  for (const target of possible) {
    it(`may be ${JSON.stringify(target)}`, () => {
      expect(targetFault(target, guard)).to.equal(undefined);
    });
  }

  const impossible = [
    webhook('https://127.0.0.1/'),
    webhook('http://8.8.8.8/'),
    webhook('https://0x7f.1/'),
    queue('amqps://mq.example.com'),
    queue('amqps://169.254.169.254?queue=a'),
    queue('amqp://8.8.8.8?queue=a'),
    bus('kafkas://a:1/'),
    bus('kafkas://10.0.0.1,192.168.0.1/topic'),
    bus('kafka://10.0.0.1,8.8.8.8/topic'),
  ];
  for (const target of impossible) {
    it(`may not be ${JSON.stringify(target)}`, () => {
      expect(targetFault(target, guard)).to.be.a('string');
    });
  }
});
