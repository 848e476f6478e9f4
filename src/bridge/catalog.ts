import type { Draft } from '#src/ports/publisher.ts';
import type { Definition } from './definition.ts';
import type { Policies } from './delivery-policy.ts';
import { createEnvelope, type Producer } from './envelope.ts';
import type { JournalEvent } from './journal-event.ts';
import { topicName } from './topic-name.ts';

/** A topic and the records that each event of the log yields for it. */
export type Topic = Readonly<{
  name: string;
  /** The key of its events. */
  key: string;
  types: ReadonlySet<string>;
  /** Returns the same records in the same order for the same event. */
  drafts: (event: JournalEvent) => readonly Draft[];
}>;

/** Returns the topics of a producer. Errors: topic names that no broker accepts, or that two definitions share. */
export function topicsOf(
  producer: Producer,
  policies: Policies,
  definitions: readonly Definition[],
): readonly Topic[] {
  const topics = definitions
    .filter(({ key, enabled }) => policies.get(key)?.enabled ?? enabled)
    .map((definition) => topicOf(definition, producer));
  const seen = new Set<string>();
  for (const { name } of topics) {
    if (seen.has(name)) throw new Error(`Two definitions have the topic ${name}`);
    seen.add(name);
  }
  return topics;
}

function topicOf(definition: Definition, producer: Producer): Topic {
  const envelope = createEnvelope(definition, producer);
  return {
    name: topicName({ ...producer, topicStyle: 'explicit' }, definition),
    key: definition.key,
    types: new Set(definition.types),
    drafts(event) {
      try {
        return definition.emissions(event).map((emission) => envelope.draft(event, emission));
      } catch (error) {
        return [envelope.unreadable(event, error)];
      }
    },
  };
}
