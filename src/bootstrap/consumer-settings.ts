import type { SettingReader } from '#src/kernel/setting-reader.ts';
import type { ConsumerSettings } from '#src/runtime/event-consumer.ts';
import { brokersIn, kafkaIn, type KafkaTarget } from './streaming-settings.ts';

/** The settings of a consumer of Kafka (contract events §13). */
export type KafkaConsumerSettings = ConsumerSettings &
  Readonly<{
    kafka: Pick<KafkaTarget, 'brokers' | 'tls' | 'sasl'>;
    group: string;
    /** Names, and regular expressions that begin with `^`. */
    topics: readonly string[];
    clientId: string;
    pollTimeoutMs: number;
    closeTimeoutMs: number;
    deadLetterSuffix: string;
  }>;

/**
 * Reads STREAMING_CONSUMER_* settings; encryption and credentials are those of STREAMING_TLS_* and STREAMING_SASL_*.
 * Undefined while STREAMING_CONSUMER_ENABLED is not true. The result is valid only if the reader found no mistake.
 * Without default topics, the settings must name some.
 */
export function readConsumerSettings(
  reader: SettingReader,
  defaultTopics: readonly string[] = [],
): KafkaConsumerSettings | undefined {
  const { mistakes } = reader;
  const isOn = reader.flag('STREAMING_CONSUMER_ENABLED');
  const own = brokersIn('STREAMING_CONSUMER_BROKERS', reader);
  const shared = kafkaIn(reader);
  const brokers = own.length > 0 ? own : shared.brokers;
  const named = reader
    .text('STREAMING_CONSUMER_TOPICS')
    .split(',')
    .map((topic) => topic.trim())
    .filter(Boolean);
  const topics = named.length > 0 ? named : defaultTopics;
  for (const topic of named.filter((one) => !isTopic(one))) {
    mistakes.push(
      `STREAMING_CONSUMER_TOPICS: ${topic} is neither a topic nor a pattern like ^a\\.`,
    );
  }
  const group = reader.text('STREAMING_CONSUMER_GROUP');
  if (isOn) {
    if (brokers.length === 0) {
      mistakes.push(
        'STREAMING_CONSUMER_BROKERS must name the brokers while STREAMING_CONSUMER_ENABLED=true',
      );
    }
    if (group === '') mistakes.push('STREAMING_CONSUMER_GROUP must be set');
    if (topics.length === 0) mistakes.push('STREAMING_CONSUMER_TOPICS must name the topics');
  }
  const deadLetterSuffix = reader.text('STREAMING_CONSUMER_DLQ_SUFFIX', '.dlq');
  if (!/^[a-zA-Z0-9._-]+$/.test(deadLetterSuffix)) {
    mistakes.push(`STREAMING_CONSUMER_DLQ_SUFFIX=${deadLetterSuffix} cannot be part of a topic`);
  }
  const pollTimeoutMs = reader.integer('STREAMING_CONSUMER_POLL_TIMEOUT_MS', 0, 0, 60_000);
  const settings = {
    ...{ kafka: { ...shared, brokers }, group, topics, deadLetterSuffix },
    clientId: reader.text('STREAMING_CONSUMER_CLIENT_ID', group),
    ...readRetrySettings(reader),
    pollTimeoutMs: pollTimeoutMs === 0 ? POLL_MS : pollTimeoutMs,
    closeTimeoutMs: 1000 * reader.integer('STREAMING_CONSUMER_CLOSE_TIMEOUT_S', 30, 0, 3600),
  };
  if (settings.retryInitialMs > settings.retryMaxMs) {
    mistakes.push(
      'STREAMING_CONSUMER_RETRY_BACKOFF_INITIAL_MS must not exceed STREAMING_CONSUMER_RETRY_BACKOFF_MAX_MS',
    );
  }
  return isOn ? settings : undefined;
}

function isTopic(text: string): boolean {
  if (!text.startsWith('^')) return /^[a-zA-Z0-9._-]{1,249}$/.test(text);
  try {
    return new RegExp(text) instanceof RegExp;
  } catch {
    return false;
  }
}

export const readRetrySettings = (reader: SettingReader): ConsumerSettings => ({
  retryBudget: reader.integer('STREAMING_CONSUMER_RETRY_BUDGET', 3, 0, 100),
  retryInitialMs: reader.integer('STREAMING_CONSUMER_RETRY_BACKOFF_INITIAL_MS', 100, 1, 60_000),
  retryMaxMs: reader.integer('STREAMING_CONSUMER_RETRY_BACKOFF_MAX_MS', 5000, 1, 600_000),
  dwellMaxMs: reader.integer('STREAMING_CONSUMER_RETRY_INLOOP_MAX_DWELL_MS', 1000, 0, 30_000),
  haltMs: reader.integer('STREAMING_CONSUMER_HALT_BACKOFF_MS', 250, 1, 60_000),
});

/** The wait where the settings leave it to the program. */
const POLL_MS = 500;
