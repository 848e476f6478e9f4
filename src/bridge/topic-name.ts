import type { Definition } from './definition.ts';

/** Determines how a producer names its topics (contract events §3). */
export type TopicStyle = 'explicit' | 'source-derived' | 'routing-key';

type Naming = Readonly<{ platform: string; source: string; topicStyle: TopicStyle }>;

/**
 * Names the topic of a definition. An explicit topic is a literal of the catalog. A source-derived one begins with the
 * source, and ends with the major version from 2 on. On RabbitMQ the routing key is the event key.
 * Errors: a name that no broker accepts.
 */
export function topicName(
  { platform, source, topicStyle }: Naming,
  { key, tail, schemaVersion }: Pick<Definition, 'key' | 'tail' | 'schemaVersion'>,
): string {
  const name =
    topicStyle === 'explicit'
      ? `${platform}.streaming.${tail}`
      : topicStyle === 'source-derived'
        ? `${sanitized(source)}.${key}${suffixOf(schemaVersion)}`
        : key;
  if (name.length > NAME_LENGTH_MAX) throw new Error(`Topic ${name} is too long`);
  if (name === '.' || name === '..') throw new Error(`No topic can be named ${name}`);
  return name;
}

/**
 * Returns patterns of the topics that producers may have: every explicit one of the platform, and the source-derived
 * ones of these event keys, whatever their source. Others may belong to any program that shares the broker.
 */
export const topicPatterns = (platform: string, keys: readonly string[]): readonly string[] => [
  `^${platform}\\.streaming\\.[a-z0-9_]+\\.[a-z0-9_]+$`,
  ...[...new Set(keys)].map((key) => `^[a-z0-9._-]+\\.${key.replace('.', '\\.')}(\\.v[0-9]+)?$`),
];

/** Replaces every character that no topic may have by a hyphen, one by one. */
export const sanitized = (source: string): string =>
  source.toLowerCase().replaceAll(/[^a-z0-9._-]/g, '-');

export const majorOf = (schemaVersion: string): number => Number(schemaVersion.split('.')[0]);

function suffixOf(schemaVersion: string): string {
  const major = majorOf(schemaVersion);
  return major < 2 ? '' : `.v${major}`;
}

/** Kafka accepts 249 characters; the name of a dead-letter topic is four longer than that of its topic. */
const NAME_LENGTH_MAX = 245;
