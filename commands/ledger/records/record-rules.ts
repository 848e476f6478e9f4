import type { Ledger } from '#commands/ledger/state/ledger-state.ts';
import type { LedgerEvent } from '#src/events/ledger/ledger.ts';
import type { DeclaredRecordEvent } from '#src/events/ledger/records.ts';
import type { Decision, Facts, Needs, Stamp } from '#src/kernel/decider.ts';
import type { Revision, Uuid } from '#src/kernel/ids.ts';
import { entityOf, type AnyRecord } from '#src/kernel/record.ts';
import type { Entity } from '#src/kernel/unique-values.ts';
import { declaredRecords, type DeclaredRecordCommand, type RecordKind } from './declared.ts';

const kinds = Object.entries<AnyRecord>(declaredRecords).map(([kind, rules]) => ({
  kind: kind as RecordKind,
  rules,
  entity: entityOf(rules.name) as Entity,
}));
type Kind = (typeof kinds)[number];

const kindBy = (keysOf: (kind: Kind) => readonly string[]): ReadonlyMap<string, Kind> =>
  new Map(kinds.flatMap((kind) => keysOf(kind).map((key) => [key, kind])));
const byCommand = kindBy(({ rules }) => rules.commands);
const byEvent = kindBy(({ rules }) => rules.events);
const byEntity = kindBy(({ entity }) => [entity]);

/* A kind's rules and its records go together, whatever their types: each is called with its own, as `never`. */

export function needsRecord(
  { records }: Ledger,
  command: DeclaredRecordCommand,
  facts: Facts,
): Needs | undefined {
  const { kind, rules } = known(byCommand, command.type);
  return rules.needs(records[kind] as never, command as never, facts);
}

export function decideRecord(
  { id: ledgerId, organizationId, records }: Ledger,
  command: DeclaredRecordCommand,
  facts: Facts,
  stamp: Stamp,
): Decision<LedgerEvent> {
  const { kind, rules } = known(byCommand, command.type);
  const parents = { organizationId, ledgerId };
  const own = records[kind] as never;
  return rules.decide(own, command as never, facts, stamp, parents) as Decision<LedgerEvent>;
}

export function evolveRecord(
  { records }: Ledger,
  event: DeclaredRecordEvent,
  revision: Revision,
): void {
  const { kind, rules } = known(byEvent, event.type);
  rules.evolve(records[kind] as never, event as never, revision);
}

/** The revision of the last event of a live record; undefined for an entity that is not declared. */
export function revisionOfRecord(
  { records }: Ledger,
  entity: Entity,
  id: Uuid,
): Revision | undefined {
  const kind = byEntity.get(entity)?.kind;
  return kind && records[kind].get(id)?.revision;
}

/** The entity that metadata indexes know the record of a command by; undefined for any other command. */
export const entityOfCommand = (type: string): Entity | undefined => byCommand.get(type)?.entity;

function known(kindsBy: ReadonlyMap<string, Kind>, type: string): Kind {
  const kind = kindsBy.get(type);
  if (kind === undefined) throw new Error(`${type} is about no declared record`);
  return kind;
}
