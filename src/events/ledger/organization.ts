import type { Uuid } from '#src/kernel/ids.ts';
import type { Instant } from '#src/kernel/instant.ts';
import type { LedgerRecord } from './ledger.ts';
import type { MetadataChanges, StatusChanges } from '#src/kernel/patch.ts';
import type { RouteEvent } from './routes.ts';
import type { Metadata, MetadataClaimed, Status } from '#src/events/shared.ts';

export type Address = Readonly<{
  line1: string;
  line2: string | null;
  zipCode: string;
  city: string;
  state: string;
  country: string;
  description?: string;
}>;

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

/** What happens in the journal of an organization. */
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
  /** Nothing new is accepted after it; what was begun before is finished. */
  | Readonly<{
      type: 'OrganizationDeleted';
      data: Readonly<{ organization: OrganizationRecord }>;
    }>
  /** First of the three steps that create a ledger; carries all that the second one needs. */
  | Readonly<{
      type: 'LedgerNameReserved';
      data: Readonly<{ ledger: LedgerRecord; holderId: Uuid }>;
    }>
  /** Third step: the ledger's journal is open. */
  | Readonly<{ type: 'LedgerNameSettled'; data: Readonly<{ ledgerId: Uuid }> }>
  /** First of the three steps that rename a ledger; carries all that the second one needs. */
  | Readonly<{
      type: 'LedgerRenameReserved';
      data: Readonly<{
        ledgerId: Uuid;
        name: string;
        changes: Readonly<{ status?: StatusChanges; metadata?: MetadataChanges }>;
      }>;
    }>
  /**
   * The ledger has this name no more, in the form in which names are compared: third step of a rename, which frees
   * the old one, or the new one when the ledger refused it. `closed`: the ledger is deleted.
   */
  | Readonly<{
      type: 'LedgerNameFreed';
      data: Readonly<{ ledgerId: Uuid; name: string; closed?: true }>;
    }>
  /**
   * First of the three steps that change the metadata of a ledger under a key whose values must be unique; carries all
   * that the second one needs. Without changes: what the ledger has is to be shown here.
   */
  | Readonly<{
      type: 'LedgerMetadataReserved';
      data: Readonly<{
        ledgerId: Uuid;
        changes: Readonly<{ status?: StatusChanges; metadata?: MetadataChanges }>;
      }>;
    }>
  /** Third step, and that of a rename which has such metadata: what the ledger has since the second one. */
  | Readonly<{
      type: 'LedgerMetadataSettled';
      data: Readonly<{ ledger: Readonly<{ id: Uuid; metadata?: Metadata }> }>;
    }>
  | RouteEvent
  | MetadataClaimed;
