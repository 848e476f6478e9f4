import type { Definition } from './definition.ts';
import { policyOf } from './delivery-policy.ts';
import { schemaPath } from './event-pages.ts';
import type { ProducerDeclaration } from './producer.ts';
import { topicName } from './topic-name.ts';

/** The process that answers: its release, and the name of this instance. */
export type PublisherInstance = Readonly<{
  platform: string;
  source: string;
  appVersion: string;
  producerId: string;
  exchange?: string;
}>;

/**
 * Builds the manifest of a producer from the catalog alone, so that it is the same with streaming off or a broker down
 * (contract events §11). Events are sorted by key, for two manifests to be compared as text.
 */
export function manifestOf(producer: ProducerDeclaration, publisher: PublisherInstance) {
  const { name, transport, topicStyle, manifestPath } = producer;
  const definitions = producer.definitions.toSorted(byKey);
  const destinationOf = (definition: Definition): string => {
    const topic = topicName({ ...publisher, topicStyle }, definition);
    return transport === 'rabbitmq' ? `${publisher.exchange ?? ''}/${topic}` : topic;
  };
  return {
    version: '1.1.0',
    publisher: {
      serviceName: name,
      sourceBase: publisher.source,
      routePath: manifestPath,
      outboxSupported: true,
      appVersion: publisher.appVersion,
      libVersion: publisher.appVersion,
      producerId: publisher.producerId,
      topicStyle,
      transport,
    },
    events: definitions.map((definition) => eventOf(definition, publisher, destinationOf)),
    routes: definitions.map((definition) => ({
      key: `${definition.key}.primary`,
      definitionKey: definition.key,
      target: 'primary',
      transport,
      destination: destinationOf(definition),
      required: true,
      dlqConfigured: policyOf(definition).dlq !== 'never',
    })),
  };
}

function eventOf(
  definition: Definition,
  { platform }: PublisherInstance,
  topicOf: (definition: Definition) => string,
) {
  const { key, schemaVersion, description, subject, partitionKey } = definition;
  const [resourceType, eventType] = key.split('.');
  return {
    ...{ key, resourceType, eventType, topic: topicOf(definition), schemaVersion },
    dataContentType: 'application/json',
    dataSchema: schemaPath(key, schemaVersion),
    systemEvent: false,
    description,
    defaultPolicy: policyOf(definition),
    ceType: `studio.${platform}.${key}`,
    ...{ subject, partitionKey, class: 'fact', deprecatedAt: null, successor: null },
  };
}

const byKey = (a: Definition, b: Definition): number => {
  const [one, other] = [a, b].map(({ key, schemaVersion }) => `${key} ${schemaVersion}`);
  return one! < other! ? -1 : 1;
};
