import { definitions as companion } from '#src/bridge/companion/definitions.ts';
import type { Definition } from '#src/bridge/definition.ts';
import { topicsOf, type Topic } from '#src/bridge/catalog.ts';
import type { Policies } from '#src/bridge/delivery-policy.ts';
import type { Producer } from '#src/bridge/envelope.ts';
import { systemTopicsOf } from '#src/bridge/streaming/system-event.ts';
import { otherProducers } from '#src/bridge/others/producers.ts';
import type { ProducerDeclaration } from '#src/bridge/producer.ts';
import { components } from '#src/components/index.ts';

const loaded = await Promise.all(components.flatMap((one) => one.definitions?.() ?? []));

/** Every event that this release can publish. */
export const definitions: readonly Definition[] = loaded.flatMap(({ definitions }) => definitions);

/** Every producer, those included whose events come from components or products to come. */
export const producers: readonly ProducerDeclaration[] = [
  {
    name: 'ledger',
    transport: 'kafka',
    topicStyle: 'explicit',
    manifestPath: '/v1/streaming/manifest',
    definitions,
  },
  {
    name: 'companion',
    transport: 'kafka',
    topicStyle: 'explicit',
    defaultSource: 'companion',
    manifestPath: '/system/companion/streaming/manifest',
    definitions: companion,
  },
  ...otherProducers,
];

/** The whole catalog. */
export const catalog: readonly Definition[] = producers.flatMap(({ definitions }) => definitions);

/** Returns the topics of every event that this release publishes and of system events. Errors: those of topicsOf. */
export const publishedTopics = (producer: Producer, policies: Policies): readonly Topic[] => [
  ...topicsOf(producer, policies, definitions),
  ...systemTopicsOf(producer),
];
