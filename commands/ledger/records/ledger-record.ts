import { uniqueKeysIn } from '#commands/ledger/state/journal-facts.ts';
import type { Decision, Facts, Needs, Stamp } from '#src/kernel/decider.ts';
import type { Revision, Uuid } from '#src/kernel/ids.ts';
import {
  mergedMetadata,
  patched,
  patchedStatus,
  type MetadataChanges,
  type StatusChanges,
} from '#src/kernel/patch.ts';
import type { LedgerEvent, LedgerRecord } from '#src/events/ledger/ledger.ts';
import { beforeImage, needsBeforeImages } from '#commands/ledger/state/before-image.ts';
import { checkRecordSize } from '#src/kernel/record-size.ts';
import { folded } from '#commands/ledger/state/ledger-names.ts';
import type { Ledger } from '#commands/ledger/state/ledger-state.ts';
import { notInProduction } from './organization-record.ts';

type ReservedAt = Readonly<{ journal: string; revision: Revision }>;

/** The second of the three steps that create a ledger; see open-ledger.ts. */
export type OpenLedger = Readonly<{
  type: 'OpenLedger';
  ledger: LedgerRecord;
  holderId: Uuid;
  reservedAt: ReservedAt;
}>;

export type LedgerChanges = Readonly<{
  name?: string | undefined;
  status?: StatusChanges | undefined;
  metadata?: MetadataChanges | undefined;
}>;

/** With `reservedAt`, the second of the three steps that change reserved members; see change-ledger.ts. */
export type UpdateLedger = Readonly<{
  type: 'UpdateLedger';
  organizationId: Uuid;
  changes: LedgerChanges;
  reservedAt?: ReservedAt | undefined;
}>;

export type DeleteLedger = Readonly<{
  type: 'DeleteLedger';
  organizationId: Uuid;
  inProduction: boolean;
}>;

export type LedgerRecordCommand = OpenLedger | UpdateLedger | DeleteLedger;

/** A repeated step records no second event, so it can be repeated after a crash. */
export function openLedger(
  ledger: Ledger,
  { ledger: record, holderId, reservedAt }: OpenLedger,
): LedgerEvent[] {
  if (ledger.is !== 'absent') return [];
  return [{ type: 'LedgerOpened', data: { ledger: record, holderId, reservedAt } }];
}

export function needsUpdate(
  { is, revision }: Ledger,
  { changes, reservedAt }: UpdateLedger,
  facts: Facts,
): Needs | undefined {
  if (is !== 'live') return undefined;
  const images = needsBeforeImages(facts, revision);
  if (images !== undefined) return images;
  const mayBeUnique = changes.metadata !== undefined && reservedAt === undefined;
  return mayBeUnique && facts.settings() === undefined ? { settings: true } : undefined;
}

/**
 * A new name, unless only its letter case differs, and metadata that must be unique have to be reserved in the
 * organization first; until then the command changes nothing. Nor does a reservation that was already applied, or
 * superseded by a later one.
 */
export function updateLedger(
  { revision, named }: Ledger,
  { changes: { name, status, metadata }, reservedAt }: UpdateLedger,
  facts: Facts,
  { instant }: Stamp,
): Decision<LedgerEvent> {
  const before = beforeImage('ledger', revision, facts);
  const unchanged: LedgerEvent = { type: 'LedgerUpdated', data: { ledger: before, changed: [] } };
  if (reservedAt !== undefined && reservedAt.revision <= named) return { unchanged };

  const patch = {
    ...(name !== undefined && { name }),
    status: patchedStatus(before.status, status),
    metadata: mergedMetadata(before.metadata, metadata),
  };
  const { record: ledger, changed } = patched<LedgerRecord>(before, patch, instant);
  checkRecordSize(ledger);
  if (reservedAt !== undefined) {
    return [{ type: 'LedgerUpdated', data: { ledger, changed, reservedAt } }];
  }
  const keys = uniqueKeysIn(facts)?.get('ledger') ?? [];
  const isReserved =
    folded(ledger.name) !== folded(before.name) ||
    [...keys].some((key) => ledger.metadata?.[key] !== before.metadata?.[key]);
  if (changed.length === 0 || isReserved) return { unchanged };
  return [{ type: 'LedgerUpdated', data: { ledger, changed } }];
}

/** The first of two steps; see close-ledger.ts. Repeating it records nothing, so that the second can be repeated. */
export function closeLedger(
  { is, revision }: Ledger,
  { inProduction }: DeleteLedger,
  facts: Facts,
  { instant }: Stamp,
): LedgerEvent[] {
  if (is === 'closed') return [];
  if (inProduction) throw notInProduction('Ledgers');
  const before = beforeImage('ledger', revision, facts);
  const ledger = { ...before, updatedAt: instant, deletedAt: instant };
  return [{ type: 'LedgerClosed', data: { ledger } }];
}
