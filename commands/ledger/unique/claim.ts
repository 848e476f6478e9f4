import { needsBeforeImages } from '#commands/ledger/state/before-image.ts';
import type { DomainEvent, Facts, Needs } from '#src/kernel/decider.ts';
import { refuse } from '#src/events/ledger/refusals.ts';
import type { Revision, Uuid } from '#src/kernel/ids.ts';
import { valueName, type Entity, type ValueName } from '#src/kernel/unique-values.ts';
import type { MetadataClaimed } from '#src/events/shared.ts';
import {
  isClaimed,
  lastRevisionOf,
  needsClaimant,
  textsIn,
  type RevisionOf,
  type UniqueValue,
} from './claimant.ts';
import { mergeNeeds } from './merge-needs.ts';

/**
 * Claims the values that records had before a unique index was created, in each journal that has such records. A value
 * is claimed if the record still has it.
 */
export type ClaimMetadata = Readonly<{
  type: 'ClaimMetadata';
  entity: Entity;
  key: string;
  records: readonly ClaimedRecord[];
  /** Appends an event even without values, which fences off decisions that others took before it. */
  fence?: true;
}>;

/**
 * The values of a record at a revision; for operations, of their transaction. `copied` are values that it copied from
 * another record and does not claim.
 */
export type ClaimedRecord = Readonly<{
  id: Uuid;
  at: Revision;
  texts: readonly string[];
  copied?: readonly string[];
}>;

export function needsClaim<State>(
  state: State,
  command: ClaimMetadata,
  facts: Facts,
  revisionOf: RevisionOf<State>,
): Needs | undefined {
  const { entity, records } = command;
  const seen = records.map((record) => {
    const last = lastRevisionOf(state, { entity, ...record }, facts, revisionOf);
    if (typeof last !== 'number') return last;
    return last === record.at ? undefined : needsBeforeImages(facts, last);
  });
  const needs = mergeNeeds(seen);
  if (needs !== undefined) return needs;
  const values = records.flatMap((record) => valuesOf(state, command, record, facts, revisionOf));
  return mergeNeeds(values.map((value) => needsClaimant(state, value, facts, revisionOf)));
}

/** Errors: INDEX_CONFLICT if two live records have the same value. */
export function claimMetadata<State>(
  state: State,
  command: ClaimMetadata,
  facts: Facts,
  revisionOf: RevisionOf<State>,
): [] | [MetadataClaimed & Pick<DomainEvent, 'claims'>] {
  const taken = new Set<ValueName>();
  const records = command.records.flatMap((record) => {
    const { id, at } = record;
    const values = valuesOf(state, command, record, facts, revisionOf);
    for (const value of values) {
      const isRepeated = taken.has(value.name);
      if (isRepeated || isClaimed(state, value, id, facts, revisionOf)) throw repeated(command);
      taken.add(value.name);
    }
    return values.length === 0 ? [] : [{ id, at, names: values.map(({ name }) => name) }];
  });
  if (records.length === 0 && command.fence !== true) return [];
  const { entity: entityName, key: metadataKey } = command;
  const data = { entityName, metadataKey, records };
  return [{ type: 'MetadataClaimed', data, claims: [...taken] }];
}

/** The values that the record has now; several operations of one transaction may share one, which counts once. */
function valuesOf<State>(
  state: State,
  { entity, key }: Pick<ClaimMetadata, 'entity' | 'key'>,
  { id, at, texts, copied = [] }: ClaimedRecord,
  facts: Facts,
  revisionOf: RevisionOf<State>,
): UniqueValue[] {
  const last = lastRevisionOf(state, { entity, id, at }, facts, revisionOf);
  if (typeof last !== 'number') return []; // The record was deleted.
  const textsNow = last === at ? texts : textsIn(facts.event(last), entity, key);
  return [...new Set(textsNow)]
    .filter((text) => !copied.includes(text))
    .map((text) => ({ entity, key, text, name: valueName(entity, key, text) }));
}

const repeated = ({ entity, key }: ClaimMetadata) => {
  const detail = `Two records of ${entity} have the same value under the key ${key}.`;
  const findings = [
    { location: 'metadataKey', message: 'has a value that is repeated', value: key },
  ];
  return refuse('INDEX_CONFLICT', detail, { findings });
};
