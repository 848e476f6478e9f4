import type { Compression } from '#src/adapters/kafka/compression.ts';
import type { KafkaConnection } from '#src/adapters/kafka/connection.ts';
import type { Definition } from '#src/bridge/definition.ts';
import { readPolicies, type Policies } from '#src/bridge/delivery-policy.ts';
import type { Producer } from '#src/bridge/envelope.ts';
import type { RelaySettings } from '#src/runtime/relay.ts';
import type { SettingReader } from '#src/kernel/setting-reader.ts';

/** The settings of a relay (contract events §13). */
export type StreamingSettings = Readonly<{
  /** The ce-source attribute. */
  source: string;
  partitionKey: Producer['partitionKey'];
  policies: Policies;
  startAt: RelaySettings['startAt'];
  batchEvents: number;
  bufferedRecordsMax: number;
  breaker: RelaySettings['breaker'];
  closeTimeoutMs: number;
  deliveryTimeoutMs: number;
  /** The time a direct send may take. */
  emitTimeoutMs: number;
  clientId: string;
  target: BrokerTarget | EmbeddedTopics;
}>;

export type BrokerTarget = KafkaTarget | RabbitTarget;

export type KafkaTarget = Pick<KafkaConnection, 'brokers' | 'tls' | 'sasl'> &
  Readonly<{
    is: 'kafka';
    compression: Compression;
    batchMaxBytes: number;
    retries: number;
    createTopics: boolean;
  }>;

export type RabbitTarget = Readonly<{ is: 'rabbitmq'; url: string; exchange: string }>;

/** The settings of streaming to a broker. */
export type RelayedStreaming = StreamingSettings & Readonly<{ target: BrokerTarget }>;

export const isRelayed = (settings: StreamingSettings): settings is RelayedStreaming =>
  settings.target.is !== 'embedded';

/** Topics computed from the log when they are read; nothing is relayed. */
export type EmbeddedTopics = Readonly<{ is: 'embedded' }>;

/**
 * Reads the settings of streaming; undefined when it is off. The result is valid only if the reader found no mistake.
 */
export function readStreamingSettings(
  reader: SettingReader,
  definitions: readonly Definition[],
): StreamingSettings | undefined {
  const { mistakes } = reader;
  const on = reader.flag('STREAMING_ENABLED');
  const source = reader.text('STREAMING_CLOUDEVENTS_SOURCE');
  if (on && source === '') {
    mistakes.push('STREAMING_CLOUDEVENTS_SOURCE must be set while STREAMING_ENABLED=true');
  }
  const acks = reader.text('STREAMING_REQUIRED_ACKS', 'all');
  if (acks !== 'all') {
    mistakes.push(
      `STREAMING_REQUIRED_ACKS=${acks} must be all: what is published from the log must be kept`,
    );
  }
  const settings = {
    source,
    partitionKey: reader.choice('STREAMING_PARTITION_KEY', ['aggregate', 'tenant']),
    policies: readPolicies(
      reader.text('STREAMING_EVENT_POLICIES'),
      definitions,
      (entry, why) => void mistakes.push(`STREAMING_EVENT_POLICIES: ${entry} ${why}`),
    ),
    startAt: reader.choice('STREAMING_START_AT', ['now', 'beginning']),
    batchEvents: reader.integer('STREAMING_OUTBOX_BATCH', 500, 1, 10_000),
    bufferedRecordsMax: reader.integer('STREAMING_MAX_BUFFERED_RECORDS', 10_000, 1, 1_000_000),
    breaker: {
      failureRatio: reader.ratio('STREAMING_CB_FAILURE_RATIO', 0.5),
      minRequests: reader.integer('STREAMING_CB_MIN_REQUESTS', 10, 1, 10_000),
      openMs: 1000 * reader.integer('STREAMING_CB_TIMEOUT_S', 30, 1, 3600),
    },
    closeTimeoutMs: 1000 * reader.integer('STREAMING_CLOSE_TIMEOUT_S', 30, 0, 3600),
    deliveryTimeoutMs: 1000 * reader.integer('STREAMING_RECORD_DELIVERY_TIMEOUT_S', 30, 1, 3600),
    emitTimeoutMs: reader.integer('STREAMING_IMPORTANT_EMIT_TIMEOUT_MS', 5000, 1, 600_000),
    clientId: reader.text('STREAMING_CLIENT_ID', 'quipu'),
  };
  const target = targetIn(reader);
  return on ? { ...settings, target } : undefined;
}

function targetIn(reader: SettingReader): StreamingSettings['target'] {
  const { mistakes } = reader;
  const kafka = kafkaIn(reader);
  const rabbit = rabbitIn(reader);
  if (kafka.brokers.length > 0 && rabbit !== undefined) {
    mistakes.push('STREAMING_BROKERS and STREAMING_RABBITMQ_URL: set one of them');
  }
  return kafka.brokers.length > 0 ? kafka : (rabbit ?? { is: 'embedded' });
}

/** Reads the target of Kafka; it has no brokers if the settings name none. */
export function kafkaIn(reader: SettingReader): KafkaTarget {
  const { mistakes } = reader;
  const tlsOn = reader.flag('STREAMING_TLS_ENABLED');
  const ca = certificateIn(reader.text('STREAMING_TLS_CA_CERT'), mistakes);
  const sasl = saslIn(reader, tlsOn);
  const compressions = ['lz4', 'zstd', 'gzip', 'none', 'snappy'] as const;
  const compression = reader.choice('STREAMING_COMPRESSION', compressions);
  if (compression === 'snappy') {
    mistakes.push('STREAMING_COMPRESSION=snappy is not built in: use lz4, zstd, gzip or none');
  }
  return {
    is: 'kafka',
    brokers: brokersIn('STREAMING_BROKERS', reader),
    ...(tlsOn && { tls: ca === undefined ? {} : { ca } }),
    ...(sasl !== undefined && { sasl }),
    compression: compression === 'snappy' ? 'none' : compression,
    batchMaxBytes: reader.integer('STREAMING_BATCH_MAX_BYTES', 1_048_576, 1024, 104_857_600),
    retries: reader.integer('STREAMING_RECORD_RETRIES', 10, 1, 1000),
    createTopics: reader.flag('STREAMING_TOPICS_AUTOCREATE'),
  };
}

function rabbitIn(reader: SettingReader): RabbitTarget | undefined {
  const { mistakes } = reader;
  const url = reader.text('STREAMING_RABBITMQ_URL');
  const exchange = reader.text('STREAMING_RABBITMQ_EXCHANGE');
  if (url === '') return undefined;
  if (!['amqp:', 'amqps:'].includes(URL.parse(url)?.protocol ?? '')) {
    // Do not quote it, because it may contain a password.
    mistakes.push('STREAMING_RABBITMQ_URL must be a URL with amqp or amqps');
  }
  if (exchange === '') mistakes.push('STREAMING_RABBITMQ_EXCHANGE must be set');
  return { is: 'rabbitmq', url, exchange };
}

/** Reads `kafka://host:port,host:port`, or the list alone. */
export function brokersIn(name: string, reader: SettingReader): readonly string[] {
  const list = reader.text(name);
  if (list === '') return [];
  const brokers = list
    .replace(/^kafka:\/\//, '')
    .split(',')
    .map((broker) => broker.trim());
  for (const broker of brokers) {
    const port = Number(
      /^[^\s:/@]+:(\d{1,5})$|^\[[0-9a-f:]+\]:(\d{1,5})$/i.exec(broker)?.slice(1).join(''),
    );
    if (!(port >= 1 && port <= 65_535)) {
      reader.mistakes.push(`${name}: ${broker} is not a broker like host:9092`);
    }
  }
  return brokers;
}

function saslIn(reader: SettingReader, tlsOn: boolean): KafkaConnection['sasl'] {
  const plaintext = [
    reader.flag('STREAMING_SASL_ALLOW_PLAINTEXT'),
    reader.flag('STREAMING_ALLOW_PLAINTEXT_SASL'), // Its old name.
  ].includes(true);
  const username = reader.text('STREAMING_SASL_USERNAME');
  const password = reader.secret('STREAMING_SASL_PASSWORD');
  if (reader.text('STREAMING_SASL_MECHANISM') === '') return undefined;
  const { mistakes } = reader;
  const mechanisms = ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'] as const;
  const mechanism = reader.choice('STREAMING_SASL_MECHANISM', mechanisms);
  if (username === '' || password === '') {
    mistakes.push(
      'STREAMING_SASL_MECHANISM needs STREAMING_SASL_USERNAME and STREAMING_SASL_PASSWORD',
    );
  }
  if (!tlsOn && !plaintext) {
    mistakes.push(
      'STREAMING_SASL_MECHANISM without TLS shows the password to the network: set ' +
        'STREAMING_TLS_ENABLED=true, or STREAMING_SASL_ALLOW_PLAINTEXT=true',
    );
  }
  return { mechanism, username, password };
}

/** Reads a certificate, PEM or base64 of it. */
function certificateIn(given: string, mistakes: string[]): string | undefined {
  if (given === '') return undefined;
  const pem = given.includes('-----BEGIN') ? given : Buffer.from(given, 'base64').toString();
  if (!pem.includes('-----BEGIN CERTIFICATE-----')) {
    mistakes.push('STREAMING_TLS_CA_CERT must be a certificate: PEM, or the base64 of it');
  }
  return pem;
}
