import type { Definition } from './definition.ts';
import type { TopicStyle } from './topic-name.ts';

/** A service that publishes events: where they go, how its topics are named, and where its manifest is served. */
export type ProducerDeclaration = Readonly<{
  name: string;
  transport: 'kafka' | 'rabbitmq';
  topicStyle: TopicStyle;
  /** The last part of the source if no setting names one; without it, the setting is mandatory. */
  defaultSource?: string;
  /** The only source that is accepted. */
  exactSource?: string;
  /** The path of its manifest (contract events §11). */
  manifestPath: string;
  definitions: readonly Definition[];
}>;

/** Returns why a producer may not publish under a source; undefined if it may (contract events §4). */
export function sourceFault(
  { name, exactSource }: Pick<ProducerDeclaration, 'name' | 'exactSource'>,
  source: string,
): string | undefined {
  if (source === '') return `${name} needs a source`;
  if (exactSource === undefined || source === exactSource) return undefined;
  return `${name} publishes as ${exactSource} only, not as ${source}`;
}
