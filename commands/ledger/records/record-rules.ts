import type { LedgerRule } from '#commands/ledger/state/ledger-rule.ts';
import type { Ledger } from '#commands/ledger/state/ledger-state.ts';
import type { LedgerEvent } from '#src/events/ledger/ledger.ts';
import type { DeclaredRecordEvent } from '#src/events/ledger/records.ts';
import type { Decision } from '#src/kernel/decider.ts';
import type { Revision, Uuid } from '#src/kernel/ids.ts';
import { entityOf, type AnyRecord } from '#src/kernel/record.ts';
import type { Entity } from '#src/kernel/unique-values.ts';
import { declaredRecords, type DeclaredRecordCommand, type RecordKind } from './declared.ts';

/* The rules of a kind and its records always have matching types, so each is called with its own, as `never`. */

const kinds = Object.entries<AnyRecord>(declaredRecords).map(([name, rules]) => {
  const kind = name as RecordKind;
  const rule: LedgerRule<DeclaredRecordCommand> = {
    needs: ({ records }, command, facts) =>
      rules.needs(records[kind] as never, command as never, facts),
    decide({ id: ledgerId, organizationId, records }, command, facts, stamp) {
      const parents = { organizationId, ledgerId };
      const own = records[kind] as never;
      return rules.decide(own, command as never, facts, stamp, parents) as Decision<LedgerEvent>;
    },
  };
  return { kind, rules, rule, entity: entityOf(rules.name) as Entity };
});

/** The rules of the commands about declared records. */
export const recordRules = Object.fromEntries(
  kinds.flatMap(({ rules, rule }) => rules.commands.map((type) => [type, rule])),
) as Readonly<Record<DeclaredRecordCommand['type'], LedgerRule<DeclaredRecordCommand>>>;

const byEvent = new Map(kinds.flatMap((kind) => kind.rules.events.map((type) => [type, kind])));

export function evolveRecord(
  { records }: Ledger,
  event: DeclaredRecordEvent,
  revision: Revision,
): void {
  const found = byEvent.get(event.type);
  if (found === undefined) throw new Error(`No record is declared for ${event.type}`);
  found.rules.evolve(records[found.kind] as never, event as never, revision);
}

/** Returns the revision of the last event of a live record; undefined for an entity that is not declared. */
export function revisionOfRecord(
  { records }: Ledger,
  entity: Entity,
  id: Uuid,
): Revision | undefined {
  const found = kinds.find((kind) => kind.entity === entity);
  return found && records[found.kind].get(id)?.revision;
}

const entities = new Map(
  kinds.flatMap(({ rules, entity }) => rules.commands.map((type) => [type, entity])),
);

/** Returns the entity under which metadata indexes know a command's record; undefined for other commands. */
export const entityOfCommand = (type: string): Entity | undefined => entities.get(type);
