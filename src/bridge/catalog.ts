import type { Draft } from '#src/ports/publisher.ts';
import type { Definition } from './definition.ts';
import { draftOf, unreadable, type Producer } from './envelope.ts';
import type { JournalEvent } from './journal-event.ts';

/** A topic and the records that each event of the log yields for it. */
export type Topic = Readonly<{
  name: string;
  types: ReadonlySet<string>;
  /** Returns the same records in the same order for the same event. */
  drafts: (event: JournalEvent) => readonly Draft[];
}>;

/** Overrides, by event key, whether an event is published. */
export type Policies = ReadonlyMap<string, Readonly<{ enabled: boolean }>>;

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
    if (name.length > NAME_LENGTH_MAX) throw new Error(`Topic ${name} is too long`);
    if (seen.has(name)) throw new Error(`Two definitions have the topic ${name}`);
    seen.add(name);
  }
  return topics;
}

const topicOf = (definition: Definition, producer: Producer): Topic => ({
  name: `${producer.platform}.streaming.${definition.tail}`,
  types: new Set(definition.types),
  drafts(event) {
    try {
      const emissions = definition.emissions(event);
      return emissions.map((emission) => draftOf(event, definition, emission, producer));
    } catch (error) {
      return [unreadable(event, definition, producer, error)];
    }
  },
});

/** Kafka accepts 249 characters; the name of a dead-letter topic is four longer than that of its topic. */
const NAME_LENGTH_MAX = 245;
