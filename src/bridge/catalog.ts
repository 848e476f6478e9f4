import type { Draft } from '#src/ports/publisher.ts';
import type { Definition } from './definition.ts';
import { draftOf, unreadable, type Producer } from './envelope.ts';
import type { JournalEvent } from './journal-event.ts';

/** A topic: which events of the log feed it, and what each puts there. */
export type Topic = Readonly<{
  name: string;
  types: ReadonlySet<string>;
  /** Always the same for the same event, in the same order. */
  drafts: (event: JournalEvent) => readonly Draft[];
}>;

/** Event key → whether it is published, where that differs from its definition. */
export type Policies = ReadonlyMap<string, Readonly<{ enabled: boolean }>>;

/** The topics of a producer. Errors: names that no broker takes, or two definitions share. */
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

/** Kafka takes 249 characters; a dead-letter topic has four more than its own. */
const NAME_LENGTH_MAX = 245;
