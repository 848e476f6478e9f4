import { needsBeforeImages } from '#commands/ledger/state/before-image.ts';
import type { DomainEvent, Facts, Needs } from '#src/kernel/decider.ts';
import type { Revision, Uuid } from '#src/kernel/ids.ts';
import { valueText, type Entity, type ValueName } from '#src/kernel/unique-values.ts';
import type { TransactionRecord } from '#src/events/ledger/transaction.ts';
import type { MetadataClaimed } from '#src/events/shared.ts';

/** A value under a unique key, which a record has or is about to have. */
export type UniqueValue = Readonly<{ entity: Entity; key: string; text: string; name: ValueName }>;

/** Finds the last event of a live record that was seen at `at`; undefined when there is no such record. */
export type RevisionOf<State> = (
  state: State,
  entity: Entity,
  id: Uuid,
  at: Revision,
) => Revision | undefined;

/** Returns the lookups that are missing to find the record that claimed a value. */
export function needsClaimant<State>(
  state: State,
  { entity, name }: UniqueValue,
  facts: Facts,
  revisionOf: RevisionOf<State>,
): Needs | undefined {
  const at = facts.revisionOf({ kind: 'value', key: name });
  if (at === undefined) return { names: [{ kind: 'value', key: name }] };
  if (at === null) return undefined;
  const claimed = facts.event(at);
  if (claimed === undefined) return { events: [at] };
  const last = lastRevisionOf(state, claimantIn(claimed, at, entity, name), facts, revisionOf);
  return typeof last === 'number' ? needsBeforeImages(facts, last) : last;
}

/** Returns true if a live record other than `self` has the value. Needs the facts of needsClaimant. */
export function isClaimed<State>(
  state: State,
  value: UniqueValue,
  self: Uuid | undefined,
  facts: Facts,
  revisionOf: RevisionOf<State>,
): boolean {
  const { entity, name } = value;
  const at = facts.revisionOf({ kind: 'value', key: name }) ?? null;
  const claimed = at === null ? undefined : facts.event(at);
  if (at === null || claimed === undefined) return false;
  const claimant = claimantIn(claimed, at, entity, name);
  if (claimant.id === self) return false;
  const last = lastRevisionOf(state, claimant, facts, revisionOf);
  const image = typeof last === 'number' ? facts.event(last) : undefined;
  return image !== undefined && hasValue(image, value, self);
}

/** A record and the revision of an event that showed it; an operation is represented by its transaction. */
export type RecordSighting = Readonly<{ entity: Entity; id: Uuid; at: Revision }>;

/**
 * Finds the last event of a record, or returns the lookups that are missing; undefined if the record was deleted or
 * never created. The state knows most records. A transaction is found by its name, or before it is posted by the name
 * of its group.
 */
export function lastRevisionOf<State>(
  state: State,
  { entity, id, at }: RecordSighting,
  facts: Facts,
  revisionOf: RevisionOf<State>,
): Revision | Needs | undefined {
  const known = revisionOf(state, entity, id, at);
  if (known !== undefined || !isTransactional(entity)) return known;
  const own = { kind: 'transaction', key: id } as const;
  const last = facts.revisionOf(own);
  if (last !== null) return last ?? { names: [own] };
  const event = facts.event(at);
  if (event === undefined) return { events: [at] };
  const groupId = recordIn(event, entity)?.groupId;
  if (groupId === undefined) return undefined;
  const part = { kind: 'group', key: groupId } as const;
  const step = facts.revisionOf(part);
  return step === undefined ? { names: [part] } : (step ?? undefined);
}

export const isTransactional = (entity: Entity): boolean =>
  entity === 'transaction' || entity === 'operation';

/** Returns true if the record has the value after the event; for operations, if one other than `self` has it. */
const hasValue = (event: DomainEvent, { entity, key, text }: UniqueValue, self?: Uuid): boolean =>
  metadataIn(event, entity).some(
    ({ id, metadata }) => (id === undefined || id !== self) && valueText(metadata?.[key]) === text,
  );

/** The members of records that uniqueness depends on; only transactions have those after the first two. */
type RecordWithMetadata = Readonly<{
  id?: Uuid;
  metadata?: Readonly<Record<string, unknown>> | null;
}> &
  Partial<Pick<TransactionRecord, 'groupId' | 'status' | 'operations' | 'awaiting'>>;

/** The metadata of the record in an event; for operations, of all booked and awaiting legs of the transaction. */
function metadataIn(event: DomainEvent, entity: Entity): readonly RecordWithMetadata[] {
  const record = recordIn(event, entity);
  if (record === undefined) return [];
  if (!isTransactional(entity)) return [record];
  if (isGivenUp(record)) return [];
  if (entity === 'transaction') return [record];
  const { operations = [], awaiting = [] } = record;
  return [...operations, ...awaiting];
}

/** A cancelled group cannot be told from one that was never created, so neither keeps a value. */
const isGivenUp = ({ groupId, status }: RecordWithMetadata): boolean =>
  groupId !== undefined && status === 'CANCELED';

/** The values under a key in the metadata of an event. */
export const textsIn = (event: DomainEvent | undefined, entity: Entity, key: string): string[] =>
  (event === undefined ? [] : metadataIn(event, entity))
    .map(({ metadata }) => valueText(metadata?.[key]))
    .filter((text) => text !== undefined);

/** The record for which the event at `at` claims the value. */
function claimantIn(
  event: DomainEvent,
  at: Revision,
  entity: Entity,
  name: ValueName,
): RecordSighting {
  if (event.type === 'MetadataClaimed') {
    const { records } = event.data as MetadataClaimed['data'];
    const record = records.find((one) => one.names.includes(name));
    if (record === undefined) throw new Error(`${name} is not claimed where it is said to be`);
    return { entity, id: record.id, at: record.at };
  }
  const id = recordIn(event, entity)?.id;
  if (id === undefined) throw new Error(`No ${entity} where ${name} was claimed`);
  return { entity, id, at };
}

/** The record in an event; for operations, their transaction. Changes reserved for a ledger count as its record. */
export function recordIn({ data }: DomainEvent, entity: Entity): RecordWithMetadata | undefined {
  if (entity === 'ledger' && 'changes' in data) {
    const { ledgerId, changes } = data as ReservedChanges;
    return { id: ledgerId, ...changes };
  }
  return (data as Readonly<Record<string, RecordWithMetadata | undefined>>)[
    isTransactional(entity) ? 'transaction' : memberOf(entity)
  ];
}

type ReservedChanges = Readonly<{ ledgerId: Uuid; changes: Pick<RecordWithMetadata, 'metadata'> }>;

/** The name of a kind of record in camel case: `accountType` for `account_type`. */
export const memberOf = (entity: Entity): string =>
  entity.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
