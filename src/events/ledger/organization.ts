import type { Uuid } from '#src/kernel/ids.ts';
import type { Instant } from '#src/kernel/instant.ts';
import type { LedgerRecord } from './ledger.ts';
import type { MetadataChanges, StatusChanges } from '#src/kernel/patch.ts';
import type { RouteEvent } from './routes.ts';
import type { Address, Metadata, MetadataClaimed, Status } from '#src/events/shared.ts';

export type OrganizationRecord = Readonly<{
  id: Uuid;
  parentOrganizationId: Uuid | null;
  legalName: string;
  doingBusinessAs: string | null;
  legalDocument: string;
  address: Address;
  status: Status;
  metadata?: Metadata;
  createdAt: Instant;
  updatedAt: Instant;
  deletedAt: Instant | null;
}>;

/** The events of the journal of an organization. */
export type OrganizationEvent =
  | Readonly<{
      type: 'OrganizationCreated';
      /** `holderId` is the organization's own holder, the default owner of its accounts. */
      data: Readonly<{ organization: OrganizationRecord; holderId: Uuid }>;
    }>
  | Readonly<{
      type: 'OrganizationUpdated';
      data: Readonly<{ organization: OrganizationRecord; changed: readonly string[] }>;
    }>
  /** No new commands are accepted after it; processes that began before are finished. */
  | Readonly<{
      type: 'OrganizationDeleted';
      data: Readonly<{ organization: OrganizationRecord }>;
    }>
  /** First of the three steps that create a ledger; carries everything that the second one needs. */
  | Readonly<{
      type: 'LedgerNameReserved';
      data: Readonly<{ ledger: LedgerRecord; holderId: Uuid }>;
    }>
  /** Third step: the ledger's journal is open. */
  | Readonly<{ type: 'LedgerNameSettled'; data: Readonly<{ ledgerId: Uuid }> }>
  /** First of the three steps that rename a ledger; carries everything that the second one needs. */
  | Readonly<{
      type: 'LedgerRenameReserved';
      data: Readonly<{
        ledgerId: Uuid;
        name: string;
        changes: Readonly<{ status?: StatusChanges; metadata?: MetadataChanges }>;
      }>;
    }>
  /**
   * The ledger no longer has this name, given in the form in which names are compared: third step of a rename, which
   * frees the old name, or the new one if the ledger refused it. `closed`: the ledger is deleted.
   */
  | Readonly<{
      type: 'LedgerNameFreed';
      data: Readonly<{ ledgerId: Uuid; name: string; closed?: true }>;
    }>
  /**
   * First of the three steps that change the metadata of a ledger under a key whose values must be unique; carries
   * everything that the second one needs. Without changes, the third step records the metadata that the ledger already
   * has.
   */
  | Readonly<{
      type: 'LedgerMetadataReserved';
      data: Readonly<{
        ledgerId: Uuid;
        changes: Readonly<{ status?: StatusChanges; metadata?: MetadataChanges }>;
      }>;
    }>
  /** Third step, also of a rename with such metadata: the metadata that the ledger has since the second step. */
  | Readonly<{
      type: 'LedgerMetadataSettled';
      data: Readonly<{ ledger: Readonly<{ id: Uuid; metadata?: Metadata }> }>;
    }>
  | RouteEvent
  | MetadataClaimed;
