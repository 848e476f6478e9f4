import { needsImages } from '#commands/ledger/images.ts';
import type { DomainEvent, Facts, Needs } from '#src/domain/decider.ts';
import type { Revision, Uuid } from '#src/domain/ids.ts';
import { valueText, type Entity, type ValueName } from '#src/domain/unique-values.ts';
import type { TransactionRecord } from '#src/events/ledger.ts';
import type { MetadataClaimed } from '#src/events/shared.ts';

/** A value that a record of a kind has, or is to have, under a key that is unique. */
export type Value = Readonly<{ entity: Entity; key: string; text: string; name: ValueName }>;

/** Where the last event of a live record stands; undefined when there is no such record. */
export type RevisionOf<State> = (state: State, entity: Entity, id: Uuid) => Revision | undefined;

/** What has to be looked up to say who has a value. */
export function needsHolder<State>(
  state: State,
  { entity, name }: Value,
  facts: Facts,
  revisionOf: RevisionOf<State>,
): Needs | undefined {
  const at = facts.revisionOf({ kind: 'value', key: name });
  if (at === undefined) return { names: [{ kind: 'value', key: name }] };
  if (at === null) return undefined;
  const claimed = facts.event(at);
  if (claimed === undefined) return { events: [at] };
  const holder = claimantIn(claimed, entity, name);
  return needsImage(state, { entity, id: holder, at }, facts, revisionOf);
}

/** Whether a live record other than `self` has the value. All that needsHolder named must have been found. */
export function isHeld<State>(
  state: State,
  value: Value,
  self: Uuid | undefined,
  facts: Facts,
  revisionOf: RevisionOf<State>,
): boolean {
  const { entity, name } = value;
  const at = facts.revisionOf({ kind: 'value', key: name }) ?? null;
  const claimed = at === null ? undefined : facts.event(at);
  if (at === null || claimed === undefined) return false;
  const id = claimantIn(claimed, entity, name);
  if (id === self) return false;
  const image = imageOf(state, { entity, id, at }, facts, revisionOf);
  return image !== undefined && has(image, value, self);
}

/** A record as the event at `at` showed it; that of an operation is its transaction. */
export type Shown = Readonly<{ entity: Entity; id: Uuid; at: Revision }>;

/** What has to be looked up to see a record as it is now. */
export function needsImage<State>(
  state: State,
  shown: Shown,
  facts: Facts,
  revisionOf: RevisionOf<State>,
): Needs | undefined {
  const place = lastOf(state, shown, facts, revisionOf);
  return typeof place === 'number' ? needsImages(facts, place) : place;
}

/** Its last event; undefined when it is no more, or never came to be. */
export function imageOf<State>(
  state: State,
  shown: Shown,
  facts: Facts,
  revisionOf: RevisionOf<State>,
): DomainEvent | undefined {
  const place = lastOf(state, shown, facts, revisionOf);
  return typeof place === 'number' ? facts.event(place) : undefined;
}

/** Records are found through the state; a transaction through its name, and before it is posted its group's. */
function lastOf<State>(
  state: State,
  { entity, id, at }: Shown,
  facts: Facts,
  revisionOf: RevisionOf<State>,
): Revision | Needs | undefined {
  const known = revisionOf(state, entity, id);
  if (known !== undefined || !isTransactional(entity)) return known;
  const own = { kind: 'transaction', key: id } as const;
  const last = facts.revisionOf(own);
  if (last !== null) return last ?? { names: [own] };
  const event = facts.event(at);
  const groupId = event && transactionIn(event.data)?.groupId;
  if (groupId === undefined) return undefined;
  const part = { kind: 'group', key: groupId } as const;
  const step = facts.revisionOf(part);
  return step === undefined ? { names: [part] } : (step ?? undefined);
}

export const isTransactional = (entity: Entity): boolean =>
  entity === 'transaction' || entity === 'operation';

/** Whether an event leaves the record, or for operations one of its transaction but `self`, with the value. */
export const has = (event: DomainEvent, { entity, key, text }: Value, self?: Uuid): boolean =>
  metadataIn(event, entity).some(
    ({ id, metadata }) => (id === undefined || id !== self) && valueText(metadata?.[key]) === text,
  );

type Worded = Readonly<{ id?: Uuid; metadata?: Readonly<Record<string, unknown>> }>;

/** The metadata that an event shows of records of a kind: of one, but for operations, of which some still wait. */
export function metadataIn({ data }: DomainEvent, entity: Entity): readonly Worded[] {
  if (!isTransactional(entity)) {
    const record = (data as Readonly<Record<string, Worded | undefined>>)[memberOf(entity)];
    return record === undefined ? [] : [record];
  }
  const transaction = transactionIn(data);
  if (transaction === undefined || isGivenUp(transaction)) return [];
  if (entity === 'transaction') return [transaction];
  const { operations = [], awaiting = [] } = transaction;
  return [...operations, ...awaiting];
}

/** A ledger cannot tell a group that was cancelled from one that never came to be: neither keeps a value. */
const isGivenUp = ({ groupId, status }: Partial<TransactionRecord>): boolean =>
  groupId !== undefined && status === 'CANCELED';

/** The record that an event says the value is of; of an operation, its transaction. */
function claimantIn(event: DomainEvent, entity: Entity, name: ValueName): Uuid {
  if (event.type === 'MetadataClaimed') {
    const { records } = event.data as MetadataClaimed['data'];
    const record = records.find((one) => one.names.includes(name));
    if (record === undefined) throw new Error(`${name} is not claimed where it is said to be`);
    return record.id;
  }
  const [record] = metadataIn(event, isTransactional(entity) ? 'transaction' : entity);
  if (record?.id === undefined) throw new Error(`No ${entity} where ${name} was claimed`);
  return record.id;
}

const transactionIn = (data: object): Partial<TransactionRecord> | undefined =>
  (data as Readonly<{ transaction?: TransactionRecord }>).transaction;

/** `account_type` is `accountType`. */
export const memberOf = (entity: Entity): string =>
  entity.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
