import type { Revision, Uuid } from '#src/kernel/ids.ts';
import type { Instant } from '#src/kernel/instant.ts';
import type { HolderRecord } from './holder.ts';
import type { InstrumentRecord } from './instrument.ts';

/** The events of the registry of an organization. */
export type RegistryEvent =
  /** Opens the journal: the first protected record, or an operator, set up the protection of personal data. */
  | Readonly<{
      type: 'EncryptionProvisioned';
      data: Readonly<{ encryption: EncryptionRecord; audit: ProtectionAudit }>;
    }>
  /** An attempt to set it up that changed nothing. */
  | Readonly<{
      type: 'EncryptionProvisioningAudited';
      data: Readonly<{ audit: ProtectionAudit }>;
    }>
  | Readonly<{
      type: 'HolderCreated';
      /** `requestHash` is sealed with the record's key, so that nothing is known of it once that is destroyed. */
      data: Readonly<{ holder: HolderRecord; requestHash: string }>;
    }>
  | Readonly<{
      type: 'HolderUpdated';
      data: Readonly<{ holder: HolderRecord; changed: readonly string[] }>;
    }>
  /**
   * First step of a deletion: nothing may name the holder from then on, while its accounts are looked for. HolderDeleted or
   * HolderErasureBegun follows, unless it has some.
   */
  | Readonly<{ type: 'HolderClosingBegun'; data: Readonly<{ closing: ClosingRecord }> }>
  /** The holder is not deleted, and may be named again. */
  | Readonly<{
      type: 'HolderClosingUndone';
      data: Readonly<{ organizationId: Uuid; holderId: Uuid }>;
    }>
  | Readonly<{ type: 'HolderDeleted'; data: Readonly<{ holder: HolderRecord }> }>
  /**
   * No record with this id comes to be: its creation was interrupted after its key was made. Another holder may claim
   * its document from then on. The key of an instrument is released in the same way.
   */
  | Readonly<{
      type: 'HolderRevoked';
      data: Readonly<{ organizationId: Uuid; holderId: Uuid }>;
    }>
  /** First step of an erasure: the holder cannot be read any more, and its key will be destroyed. */
  | Readonly<{ type: 'HolderErasureBegun'; data: Readonly<{ erasure: ErasureRecord }> }>
  /** Last step of an erasure: the key was destroyed. */
  | Readonly<{
      type: 'HolderErased';
      data: Readonly<{ holder: ErasedHolder; certificate: ErasureCertificate }>;
    }>
  | InstrumentEvent;

/** `requestHash`, and the two steps of an erasure, are as those of a holder. */
export type InstrumentEvent =
  | Readonly<{
      type: 'InstrumentCreated';
      data: Readonly<{ instrument: InstrumentRecord; requestHash: string }>;
    }>
  | Readonly<{
      type: 'InstrumentUpdated';
      data: Readonly<{ instrument: InstrumentRecord; changed: readonly string[] }>;
    }>
  /** The instrument is shown without the party from then on. */
  | Readonly<{
      type: 'RelatedPartyDeleted';
      data: Readonly<{ instrument: InstrumentRecord; relatedPartyId: Uuid }>;
    }>
  | Readonly<{ type: 'InstrumentDeleted'; data: Readonly<{ instrument: InstrumentRecord }> }>
  | Readonly<{
      type: 'InstrumentErasureBegun';
      data: Readonly<{ erasure: InstrumentErasureRecord }>;
    }>
  | Readonly<{
      type: 'InstrumentErased';
      data: Readonly<{ instrument: ErasedInstrument; certificate: ErasureCertificate }>;
    }>;

export type EncryptionRecord = Readonly<{
  organizationId: Uuid;
  status: 'active';
  protectionModel: 'envelope';
  currentVersion: 1;
  readableVersions: readonly [1];
  kekPath: string;
  aeadPrimaryKeyId: string;
  prfPrimaryKeyId: string;
  occurredAt: Instant;
}>;

export type AuditOutcome = 'success' | 'failure' | 'already_exists';

export type ProtectionAudit = Readonly<{
  id: Uuid;
  organizationId: Uuid;
  action: 'provision';
  actor: string;
  outcome: AuditOutcome;
  reason: string;
  fromStatus: string;
  toStatus: string;
  timestamp: Instant;
  requestId: string;
}>;

export type HolderDeletion = 'soft' | 'hard';

export type ClosingRecord = Readonly<{
  organizationId: Uuid;
  holderId: Uuid;
  deletion: HolderDeletion;
  begunAt: Instant;
}>;

export type ErasureRecord = Readonly<{
  certificateId: Uuid;
  organizationId: Uuid;
  holderId: Uuid;
  begunAt: Instant;
}>;

export type InstrumentErasureRecord = ErasureRecord & Readonly<{ instrumentId: Uuid }>;

export type ErasedInstrument = ErasedHolder & Readonly<{ holderId: Uuid }>;

export type ErasedHolder = Readonly<{ id: Uuid; organizationId: Uuid; deletedAt: Instant }>;

/** The proof of an erasure; positions and hash come from the log. */
export type ErasureCertificate = Readonly<{
  id: Uuid;
  organizationId: Uuid;
  entityType: 'Holder' | 'Instrument';
  entityId: Uuid;
  /** The data key has the id of the record that it sealed. */
  keyId: Uuid;
  destroyedAt: Instant;
  /** The revision of the record's first event. */
  firstRevision: Revision;
}>;
