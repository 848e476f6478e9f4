import { expect } from 'chai';
import { SettingReader, type Environment } from '#src/kernel/setting-reader.ts';
import { definitions } from '#src/bootstrap/definitions.ts';
import { readStreamingSettings } from '#src/bootstrap/streaming-settings.ts';

const ON = {
  STREAMING_ENABLED: 'true',
  STREAMING_CLOUDEVENTS_SOURCE: 'quipu.ledger',
  STREAMING_BROKERS: 'kafka://one:9092,two:9093',
};

const read = (env: Environment) => {
  const reader = new SettingReader(env);
  const settings = readStreamingSettings(reader, definitions);
  return { settings, mistakes: reader.mistakes };
};
const settingsOf = (changes: Environment = {}) => {
  const { settings, mistakes } = read({ ...ON, ...changes });
  expect(mistakes).to.deep.equal([]);
  return settings;
};
const mistakesOf = (changes: Environment) => read({ ...ON, ...changes }).mistakes;

describe('streaming settings', () => {
  it('are none while streaming is off, whatever else is set or not', () => {
    expect(read({})).to.deep.equal({ settings: undefined, mistakes: [] });
    expect(read({ ...ON, STREAMING_ENABLED: 'false' }).settings).to.equal(undefined);
  });

  it('have the defaults of the contract', () => {
    expect(settingsOf()).to.deep.equal({
      source: 'quipu.ledger',
      partitionKey: 'aggregate',
      policies: new Map(),
      startAt: 'now',
      batchEvents: 500,
      bufferedRecordsMax: 10_000,
      breaker: { failureRatio: 0.5, minRequests: 10, openMs: 30_000 },
      closeTimeoutMs: 30_000,
      deliveryTimeoutMs: 30_000,
      emitTimeoutMs: 5000,
      clientId: 'quipu',
      target: {
        is: 'kafka',
        brokers: ['one:9092', 'two:9093'],
        compression: 'lz4',
        batchMaxBytes: 1_048_576,
        retries: 10,
        createTopics: false,
      },
    });
  });

  it('name brokers with or without the scheme', () => {
    const brokers = (list: string) => settingsOf({ STREAMING_BROKERS: list })?.target;
    expect(brokers('a:1, b:2')).to.deep.include({ brokers: ['a:1', 'b:2'] });
    expect(brokers('kafka://[::1]:9092')).to.deep.include({ brokers: ['[::1]:9092'] });
    for (const wrong of ['a', 'a:0', 'a:99999', 'http://a:1', 'a:1,,b:2']) {
      expect(mistakesOf({ STREAMING_BROKERS: wrong }), wrong).to.match(/STREAMING_BROKERS/);
    }
  });

  it('need a source, whatever the brokers', () => {
    for (const STREAMING_BROKERS of ['', ON.STREAMING_BROKERS]) {
      const unnamed = { STREAMING_BROKERS, STREAMING_CLOUDEVENTS_SOURCE: ' ' };
      expect(mistakesOf(unnamed)).to.deep.equal([
        'STREAMING_CLOUDEVENTS_SOURCE must be set while STREAMING_ENABLED=true',
      ]);
    }
  });

  it('embed the topics when they name no broker', () => {
    const none = { STREAMING_BROKERS: '' };
    expect(settingsOf(none)?.target).to.deep.equal({ is: 'embedded' });
    const policies = { ...none, STREAMING_EVENT_POLICIES: 'no.event.enabled=true' };
    expect(mistakesOf(policies)[0]).to.match(/names no event/);
  });

  it('send to RabbitMQ instead, to an exchange that is named', () => {
    const rabbit = { STREAMING_BROKERS: '', STREAMING_RABBITMQ_URL: 'amqp://u:secret@host' };
    const named = { ...rabbit, STREAMING_RABBITMQ_EXCHANGE: 'events' };
    expect(settingsOf(named)?.target).to.deep.equal({
      ...{ is: 'rabbitmq', url: 'amqp://u:secret@host', exchange: 'events' },
    });
    expect(mistakesOf(rabbit)).to.deep.equal(['STREAMING_RABBITMQ_EXCHANGE must be set']);
    const wrong = mistakesOf({ ...named, STREAMING_RABBITMQ_URL: 'u:secret@host' });
    expect(wrong).to.have.length(1);
    expect(wrong[0]).to.not.include('secret');
    expect(mistakesOf({ ...named, STREAMING_BROKERS: 'a:1' })[0]).to.match(/set one of them/);
  });

  it('show no password to the network unless told to', () => {
    const sasl = {
      STREAMING_SASL_MECHANISM: 'SCRAM-SHA-512',
      STREAMING_SASL_USERNAME: 'quipu',
      STREAMING_SASL_PASSWORD: 'secret',
    };
    const said = { mechanism: 'SCRAM-SHA-512', username: 'quipu', password: 'secret' };
    expect(mistakesOf(sasl)[0]).to.match(/without TLS/);
    for (const name of ['STREAMING_SASL_ALLOW_PLAINTEXT', 'STREAMING_ALLOW_PLAINTEXT_SASL']) {
      expect(settingsOf({ ...sasl, [name]: 'true' })?.target).to.deep.include({ sasl: said });
    }
    const safe = settingsOf({ ...sasl, STREAMING_TLS_ENABLED: 'true' });
    expect(safe?.target).to.deep.include({ sasl: said, tls: {} });
    expect(
      mistakesOf({ ...sasl, STREAMING_SASL_PASSWORD: '', STREAMING_TLS_ENABLED: 'true' })[0],
    ).to.match(/needs STREAMING_SASL_USERNAME and STREAMING_SASL_PASSWORD/);
  });

  it('take a certificate as PEM or as the base64 of it', () => {
    const pem = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';
    for (const given of [pem, Buffer.from(pem).toString('base64')]) {
      const settings = settingsOf({ STREAMING_TLS_ENABLED: 'true', STREAMING_TLS_CA_CERT: given });
      expect(settings?.target).to.have.nested.property('tls.ca').that.includes('BEGIN CERTIFICATE');
    }
    expect(mistakesOf({ STREAMING_TLS_CA_CERT: 'nonsense' })[0]).to.match(/CA_CERT/);
  });

  it('switch events off one by one, and refuse what is not built in', () => {
    const policies = (list: string) => mistakesOf({ STREAMING_EVENT_POLICIES: list });
    const off = 'balance.changed.enabled=false; transaction.posted.outbox=always\n';
    const settings = settingsOf({ STREAMING_EVENT_POLICIES: off });
    expect(settings?.policies).to.deep.equal(
      new Map<string, object>([
        ['balance.changed', { enabled: false }],
        ['transaction.posted', { outbox: 'always' }],
      ]),
    );
    expect(policies('no.event.enabled=true')[0]).to.match(/names no event/);
    expect(policies('balance.changed.colour=red')[0]).to.match(/names no attribute/);
    expect(policies('balance.changed.direct=direct')[0]).to.match(/must be skip/);
    expect(policies('balance.changed.enabled=perhaps')[0]).to.match(/true or false/);
  });

  it('name every variable that is wrong', () => {
    const wrong = {
      STREAMING_START_AT: 'yesterday',
      STREAMING_COMPRESSION: 'snappy',
      STREAMING_REQUIRED_ACKS: 'leader',
      STREAMING_CB_FAILURE_RATIO: '2',
      STREAMING_CB_MIN_REQUESTS: '0',
      STREAMING_OUTBOX_BATCH: '-1',
      STREAMING_PARTITION_KEY: 'account',
      STREAMING_TOPICS_AUTOCREATE: 'yes',
      STREAMING_RECORD_RETRIES: '1.5',
    };
    const mistakes = mistakesOf(wrong);
    expect(mistakes).to.have.length(Object.keys(wrong).length);
    for (const name of Object.keys(wrong)) {
      expect(
        mistakes.filter((mistake) => mistake.startsWith(name)),
        name,
      ).to.have.length(1);
    }
  });
});
