import { expect } from 'chai';
import { readBusAddress, readQueueAddress } from '#src/kernel/broker-address.ts';

describe('address of a queue', () => {
  it('names an exchange or a queue', () => {
    expect(readQueueAddress('amqps://mq.example.com/orders?exchange=events')).to.deep.equal({
      ...{ isEncrypted: true, host: 'mq.example.com', port: 5671, vhost: 'orders' },
      exchange: 'events',
    });
    expect(readQueueAddress('amqp://[fd00::1]:5673?queue=a%2Fb%20c')).to.deep.equal({
      ...{ isEncrypted: false, host: 'fd00::1', port: 5673, vhost: '/' },
      ...{ exchange: '', routingKey: 'a/b c' },
    });
    expect(readQueueAddress('amqp://mq/%2F?exchange=e&routingKey=k')).to.deep.equal({
      ...{ isEncrypted: false, host: 'mq', port: 5672, vhost: '/' },
      ...{ exchange: 'e', routingKey: 'k' },
    });
  });

  const wrong = [
    '',
    'http://mq?queue=a',
    'amqp://mq',
    'amqp://mq/vhost',
    'amqp://mq?queue=',
    'amqp://mq?exchange=',
    'amqp://mq?queue=a&exchange=b',
    'amqp://mq?queue=a&routingKey=b',
    'amqp://mq?queue=a&queue=b',
    'amqp://mq?queue=a&frameMax=1',
    'amqp://mq?queue',
    'amqp://mq?queue=%zz',
    'amqp://mq/%zz?queue=a',
    'amqp://mq/a/b?queue=a',
    `amqp://mq?queue=${'a'.repeat(256)}`,
    'amqp://user:password@mq?queue=a',
    'amqp://mq:0?queue=a',
    'amqp://mq:65536?queue=a',
    'amqp://mq:?queue=a',
    'amqp://fd00::1?queue=a',
    'amqp://mq?queue=a#b',
    'amqp://mq\\@other?queue=a',
  ];
  for (const text of wrong) {
    it(`is not ${text.slice(0, 40)}`, () => {
      expect(readQueueAddress(text)).to.equal(undefined);
    });
  }
});

describe('address of a bus', () => {
  it('names brokers and a topic', () => {
    expect(readBusAddress('kafkas://a:9093,[::1]:1/x.y_z-1?sasl=SCRAM-SHA-512')).to.deep.equal({
      isEncrypted: true,
      brokers: [
        { host: 'a', port: 9093 },
        { host: '::1', port: 1 },
      ],
      topic: 'x.y_z-1',
      mechanism: 'SCRAM-SHA-512',
    });
    expect(readBusAddress('kafka://a/t')).to.deep.equal({
      ...{ isEncrypted: false, brokers: [{ host: 'a', port: 9092 }] },
      ...{ topic: 't', mechanism: 'PLAIN' },
    });
  });

  const wrong = [
    '',
    'kafka://a',
    'kafka://a/',
    'kafka://a/..',
    'kafka://a/t/u',
    'kafka://a/t%20',
    `kafka://a/${'t'.repeat(250)}`,
    'kafka://,a/t',
    'kafka://a,/t',
    'kafka://u:p@a/t',
    'kafka://a:x/t',
    'kafka://a/t?sasl=GSSAPI',
    'kafka://a/t?acks=0',
    'kafka://a/t#x',
    'amqp://a/t',
  ];
  for (const text of wrong) {
    it(`is not ${text.slice(0, 40)}`, () => {
      expect(readBusAddress(text)).to.equal(undefined);
    });
  }
});
