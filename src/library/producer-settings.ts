import type { DeliveryPolicy } from '#src/bridge/delivery-policy.ts';
import { policyFault, policyOf } from '#src/bridge/delivery-policy.ts';
import type { Definition } from '#src/bridge/definition.ts';
import { otherProducers } from '#src/bridge/others/producers.ts';
import { sourceFault, type ProducerDeclaration } from '#src/bridge/producer.ts';
import { sanitized, topicName } from '#src/bridge/topic-name.ts';
import {
  isRelayed,
  readStreamingSettings,
  type RelayedStreaming,
} from '#src/bootstrap/streaming-settings.ts';
import { SettingReader, type Environment } from '#src/kernel/setting-reader.ts';

export type ProducerConfiguration = Readonly<{
  /** The name of a producer of the contract, or a declaration. */
  producer: string | ProducerDeclaration;
  /** The first part of every ce-type, in lower case. */
  platform: string;
  /** The ce-source attribute; without it, STREAMING_CLOUDEVENTS_SOURCE. */
  source?: string;
  /** STREAMING_* variables, as in `process.env`. */
  settings: Environment;
  /** The folder of the producer's own log; needed unless every event has outbox=never. No other process may use it. */
  folder?: string;
}>;

export type EmittedTopic = Readonly<{
  topic: string;
  definition: Definition;
  policy: DeliveryPolicy;
}>;

export type CheckedProducer = Readonly<{
  declaration: ProducerDeclaration;
  source: string;
  /** Undefined while streaming is off. */
  streaming: RelayedStreaming | undefined;
  topics: readonly EmittedTopic[];
  warnings: readonly string[];
}>;

/** A producer must not start: the message names every problem. */
export class ProducerRefused extends Error {
  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'ProducerRefused';
  }
}

function knownProducer(name: string): ProducerDeclaration {
  const declaration = otherProducers.find((one) => one.name === name);
  if (declaration === undefined) throw new ProducerRefused([`There is no producer named ${name}`]);
  return declaration;
}

/** Checks everything that a producer needs before it connects. Errors: ProducerRefused. */
export function checkedProducer(options: ProducerConfiguration): CheckedProducer {
  const { producer, platform, folder } = options;
  const declaration = typeof producer === 'string' ? knownProducer(producer) : producer;
  const { name, transport, topicStyle, definitions, defaultSource } = declaration;
  const problems: string[] = [];
  if (!/^[a-z0-9_]+$/.test(platform)) problems.push(`${platform} is not the name of a platform`);

  const reader = new SettingReader({
    ...options.settings,
    STREAMING_CLIENT_ID: options.settings['STREAMING_CLIENT_ID'] ?? name,
    STREAMING_CLOUDEVENTS_SOURCE:
      options.source ??
      options.settings['STREAMING_CLOUDEVENTS_SOURCE'] ??
      (defaultSource === undefined ? '' : `${platform}.${defaultSource}`),
  });
  const settings = readStreamingSettings(reader, definitions);
  const streaming = settings && isRelayed(settings) ? settings : undefined;
  const isOn = reader.flag('STREAMING_ENABLED');
  problems.push(...new Set(reader.mistakes));
  const source = reader.text('STREAMING_CLOUDEVENTS_SOURCE');
  if (isOn) {
    const fault = sourceFault(declaration, source);
    if (fault !== undefined) problems.push(fault);
    if (settings !== undefined && settings.target.is !== transport) {
      const named = streaming?.target.is ?? 'no broker';
      problems.push(`${name} publishes on ${transport}, and the settings name ${named}`);
    }
  }

  const topics: EmittedTopic[] = [];
  for (const definition of definitions) {
    try {
      const topic = topicName({ platform, source, topicStyle }, definition);
      const policy = policyOf(definition, streaming?.policies);
      const fault = policyFault(policy);
      if (fault !== undefined) problems.push(`${definition.key}: ${fault}`);
      if (topics.some((one) => one.topic === topic)) {
        problems.push(`Two definitions have the topic ${topic}`);
      }
      topics.push({ topic, definition, policy });
    } catch (error) {
      problems.push(String(error));
    }
  }
  if (isOn && folder === undefined && topics.some(({ policy }) => policy.outbox !== 'never')) {
    problems.push(`${name} needs a folder for its log: some of its events are kept there`);
  }
  if (problems.length > 0) throw new ProducerRefused([...new Set(problems)]);

  const isRenamed = topicStyle === 'source-derived' && sanitized(source) !== source;
  const warnings = isRenamed
    ? [`Topics begin with ${sanitized(source)}, because no topic may be named ${source}`]
    : [];
  return { declaration, source, streaming, topics, warnings };
}
