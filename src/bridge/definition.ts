import type { DeliveryPolicy } from './delivery-policy.ts';
import type { JournalEvent } from './journal-event.ts';
import type { Emission, Payload } from './payload.ts';
import { picked, type ObjectSchema } from './payload-schema.ts';

/** One entry of the event catalog (contract events §6). */
export type Definition = Readonly<{
  key: string;
  schemaVersion: string;
  /** A literal: topics are neither built from names nor versioned. */
  tail: string;
  /** One line for the readers of the manifest. */
  description: string;
  payload: ObjectSchema;
  /** The members that ce-subject and the record key hold, as the manifest names them. */
  subject: string;
  partitionKey: string;
  enabled: boolean;
  /** Without a policy, the event is published from the log, whatever the settings say. */
  policy?: Omit<DeliveryPolicy, 'enabled'>;
  /** The types of journal events that may yield it; none while no component has such events. */
  types: readonly string[];
  /** Returns the emissions in the order in which they are published; the result for an event never changes. */
  emissions: (event: JournalEvent) => readonly Emission[];
  /** Shortens a payload that exceeds the limit. */
  shortened?: (payload: Payload) => Payload;
}>;

/** A fact about one record: where the journal event holds it, and which events tell it. */
type RecordFact = Readonly<{
  key: string;
  tail: string;
  description: string;
  payload: ObjectSchema;
  /** The member of the event's data that holds the record. */
  member: string;
  types: readonly string[];
  schemaVersion?: string;
  enabled?: boolean;
  /** Adds members that the record does not have, or has under another name. */
  adds?: (record: never, event: JournalEvent) => object;
  /** Leaves out events that change nothing a consumer sees. */
  when?: (record: never, event: JournalEvent) => boolean;
}>;

/** Defines an event that carries one record, picked by its schema, about that record. */
export function recordFact(fact: RecordFact): Definition {
  const { key, tail, description, payload, member, types } = fact;
  return {
    ...{ key, tail, description, payload, types },
    schemaVersion: fact.schemaVersion ?? '1.0.0',
    subject: 'id',
    partitionKey: 'id',
    enabled: fact.enabled ?? true,
    emissions(event) {
      const data = event.data as Readonly<Record<string, Readonly<{ id: string }>>>;
      const record = data[member];
      if (record === undefined) throw new Error(`${event.type} has no ${member}`);
      if (fact.when?.(record as never, event) === false) return [];
      const { id } = record;
      const source = { ...record, ...fact.adds?.(record as never, event) };
      return [{ subject: id, recordKey: id, payload: picked(payload, source) }];
    },
  };
}

type PlannedOptions = Partial<Pick<Definition, 'subject' | 'partitionKey' | 'enabled'>>;

/** Defines an event that no journal event yields yet. */
export const planned = (
  key: string,
  tail: string,
  description: string,
  payload: ObjectSchema,
  { subject = 'id', partitionKey, enabled = true }: PlannedOptions = {},
): Definition => ({
  ...{ key, tail, description, payload, subject, enabled },
  partitionKey: partitionKey ?? subject,
  schemaVersion: '1.0.0',
  types: [],
  emissions: () => [],
});

/** Tells an update that changed something from a step of a process that is recorded although it did not. */
export const isChange = (_: never, { data }: JournalEvent): boolean =>
  (data as Readonly<{ changed?: readonly string[] }>).changed?.length !== 0;
