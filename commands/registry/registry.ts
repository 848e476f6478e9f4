import { organizationNotFound } from '#src/events/ledger/absent.ts';
import { holderNotFound } from '#src/events/registry/absent.ts';
import type { HolderRecord } from '#src/events/registry/holder.ts';
import { refuse } from '#src/events/registry/refusals.ts';
import type {
  AuditOutcome,
  EncryptionRecord,
  ProtectionAudit,
  RegistryEvent,
} from '#src/events/registry/registry.ts';
import { imageAt, needsBeforeImages } from '#src/kernel/before-image.ts';
import type {
  Decider,
  Decision,
  Facts,
  JournalFact,
  JournalOf,
  Needs,
  Stamp,
} from '#src/kernel/decider.ts';
import { detached } from '#src/kernel/detached.ts';
import { Refusal } from '#src/kernel/errors.ts';
import type { Revision, Uuid } from '#src/kernel/ids.ts';
import { parseInstant } from '#src/kernel/instant.ts';
import { organizationJournal, registryJournal } from '#src/kernel/journal-name.ts';
import type { LiveHolders } from '#src/kernel/live-holders.ts';
import { mergedMetadata, patched, type MetadataChanges } from '#src/kernel/patch.ts';
import { checkRecordSize } from '#src/kernel/record-size.ts';
import { beginClosing, mustBeClosing, undoClosing, type ClosingCommand } from './closing.ts';
import {
  emptyRegistry,
  registryFromSnapshot,
  registryToSnapshot,
  type KnownHolder,
  type Registry,
} from './holder-states.ts';
import {
  accountLinked,
  checkLink,
  createInstrument,
  decideInstrument,
  evolveInstrument,
  mustHaveNoLiveInstruments,
  needsLedger,
  needsOfInstrument,
  type InstrumentCommand,
  type InstrumentLink,
  type NewLinkedInstrument,
} from './instruments.ts';
import type { KnownRecord } from './known-record.ts';

export type NewHolder = Omit<HolderRecord, 'createdAt' | 'updatedAt' | 'deletedAt'>;

/** The keys that serve an organization, for the record of its protection. */
export type ProvisionedKeys = Pick<
  EncryptionRecord,
  'kekPath' | 'aeadPrimaryKeyId' | 'prfPrimaryKeyId'
>;

export type ProvisioningAttempt = Readonly<{ actor: string; reason: string; requestId: string }>;

export type RegistryCommand =
  /** Changes nothing; under an idempotency key, it finds what the key was used for. */
  | Readonly<{ type: 'FindCreation' }>
  /** Sets up the protection of the organization as well, unless that was done. */
  | Readonly<{
      type: 'CreateHolder';
      holder: NewHolder;
      requestHash: string;
      keys: ProvisionedKeys | undefined;
      requestId: string;
    }>
  /** Returns the last event of a holder that is not erased, and its revision. */
  | Readonly<{ type: 'ReadHolder'; id: Uuid }>
  /** Returns the first event of a holder that is not erased, and its revision, if it is that recent. */
  | Readonly<{ type: 'ReadCreation'; id: Uuid; withinSeconds: number }>
  /**
   * Replaces sealed members, which were computed from the event at the revision `expected`; null removes one.
   * Is refused with RECORD_CHANGED if the holder has changed since.
   */
  | Readonly<{
      type: 'UpdateHolder';
      id: Uuid;
      expected: Revision;
      sealed: Readonly<Record<string, string | null>>;
      externalId?: string | null | undefined;
      metadata?: MetadataChanges | undefined;
    }>
  | ClosingCommand
  /** Deletes a holder that has been closing since that revision; is refused with CLOSING_OVER otherwise. */
  | Readonly<{ type: 'DeleteHolder'; id: Uuid; closing: Revision }>
  | InstrumentCommand
  /** Checks what a new instrument refers to, and returns the last event of its holder unless that is the organization. */
  | (Readonly<{ type: 'CheckInstrument' }> & InstrumentLink)
  /** Sets up the protection of the organization as CreateHolder does. */
  | (Readonly<{
      type: 'CreateInstrument';
      keys: ProvisionedKeys | undefined;
      requestId: string;
    }> &
      NewLinkedInstrument)
  /** Prevents a record with this id from coming to be; is refused if it is live, and has no effect if it ever was. */
  | Readonly<{ type: 'RevokeHolder'; organizationId: Uuid; id: Uuid }>
  /** Begins to erase a holder that was deleted, or has been closing since that revision; as DeleteHolder otherwise. */
  | Readonly<{
      type: 'BeginErasure';
      organizationId: Uuid;
      id: Uuid;
      closing?: Revision | undefined;
    }>
  /** Records that the key was destroyed; has no effect without a beginning. */
  | Readonly<{ type: 'CompleteErasure'; organizationId: Uuid; id: Uuid }>
  | Readonly<{
      type: 'ProvisionEncryption';
      organizationId: Uuid;
      /** Undefined if they could not be had. */
      keys: ProvisionedKeys | undefined;
      attempt: ProvisioningAttempt;
    }>;

export type RegistryJournal = JournalOf<RegistryCommand, RegistryEvent>;

export const journalOfRegistry = (organizationId: Uuid): RegistryJournal => ({
  name: registryJournal(organizationId),
});

/**
 * The public state of a registry. Its functions read the state at the moment of the call: a ledger that looked the fact up
 * before a holder began to close, and decides after it, finds that holder closing.
 */
export type RegistryFact = JournalFact &
  LiveHolders &
  Readonly<{
    provisioned: boolean;
    standingOf: (id: Uuid) => HolderStanding;
    /** Returns true if a record with this id, of any kind, needs its key. */
    isRecord: (id: Uuid) => boolean;
  }>;
export type HolderStanding = KnownHolder['is'] | 'absent' | 'revoked';

/** The rules of the customer registry of one organization. */
export const registryDecider: Decider<Registry, RegistryCommand, RegistryEvent> = {
  category: 'registry',
  snapshotVersion: 2,
  initialState: emptyRegistry,

  needs(registry, command, facts) {
    const { holders } = registry;
    switch (command.type) {
      case 'CheckInstrument': {
        const known = holders.get(command.holderId);
        return (
          needsOrganization(command.organizationId, facts) ??
          needsLedger(command, facts) ??
          (known?.is === 'live' ? needsBeforeImages(facts, known.revision) : undefined)
        );
      }
      case 'CreateInstrument': {
        const { instrument } = command;
        return (
          needsOrganization(instrument.organizationId, facts) ?? needsLedger(instrument, facts)
        );
      }
      case 'ReadInstrument':
      case 'UpdateInstrument':
      case 'DeleteRelatedParty':
      case 'DeleteInstrument':
      case 'BeginInstrumentErasure':
      case 'BeginNextErasure':
        return needsOfInstrument(registry, command, facts);
      case 'CreateHolder':
        return needsOrganization(command.holder.organizationId, facts);
      case 'ProvisionEncryption':
        return needsOrganization(command.organizationId, facts);
      case 'ReadHolder':
      case 'UpdateHolder':
      case 'DeleteHolder': {
        const known = holders.get(command.id);
        return known && known.is !== 'erasing'
          ? needsBeforeImages(facts, known.revision)
          : undefined;
      }
      case 'BeginErasure': {
        const known = holders.get(command.id);
        return known?.is === 'erasing' ? needsBeforeImages(facts, known.revision) : undefined;
      }
      case 'BeginClosing': {
        const known = holders.get(command.id);
        return known?.closing === undefined ? undefined : needsBeforeImages(facts, known.closing);
      }
      case 'ReadCreation': {
        const known = holders.get(command.id);
        return known && needsBeforeImages(facts, known.first);
      }
      default:
        return undefined;
    }
  },

  decide(registry, command, facts, stamp) {
    switch (command.type) {
      case 'FindCreation':
        return [];
      case 'CreateHolder':
        return createHolder(registry, command, facts, stamp);
      case 'ReadHolder': {
        const { revision: at } = existing(registry, command.id);
        return { unchanged: facts.event(at) as RegistryEvent, at };
      }
      case 'ReadCreation':
        return readCreation(registry, command, facts, stamp);
      case 'UpdateHolder':
        return updateHolder(registry, command, facts, stamp);
      case 'DeleteHolder': {
        const known = shown(registry, command.id);
        mustBeClosing(known, command.closing);
        mustHaveNoLiveInstruments(registry, command.id);
        const before = beforeImage(known, facts);
        const { instant } = stamp;
        const holder = { ...before, updatedAt: instant, deletedAt: instant };
        return [{ type: 'HolderDeleted', data: { holder } }];
      }
      case 'BeginClosing': {
        const { id, deletion } = command;
        const known = deletion === 'soft' ? shown(registry, id) : knownOrRefused(registry, id);
        mustHaveNoLiveInstruments(registry, id);
        return beginClosing(known, command, facts, stamp);
      }
      case 'UndoClosing':
        return undoClosing(registry, command);
      case 'RevokeHolder':
        return revokeHolder(registry, command);
      case 'BeginErasure':
        return beginErasure(registry, command, facts, stamp);
      case 'CompleteErasure':
        return completeErasure(registry, command, stamp);
      case 'ProvisionEncryption':
        mustExist(command.organizationId, facts);
        return provision(registry, command, stamp);
      case 'CheckInstrument': {
        mustExist(command.organizationId, facts);
        checkLink(registry, command, facts);
        if (command.isOwn) return [];
        const { revision: at } = live(registry, command.holderId);
        return { unchanged: facts.event(at) as RegistryEvent, at };
      }
      case 'CreateInstrument': {
        const { id, organizationId } = command.instrument;
        mustExist(organizationId, facts);
        if (registry.revoked.has(id)) throw recordRevoked();
        const creation = createInstrument(registry, command, facts, stamp);
        return provisionedFirst(registry, { ...command, organizationId }, creation, stamp);
      }
      default:
        return decideInstrument(registry, command, facts, stamp);
    }
  },

  evolve(registry, event, revision) {
    const { holders, revoked } = registry;
    const { type, data } = event;
    registry.began = true;
    switch (type) {
      case 'EncryptionProvisioned':
        registry.provisioned = true;
        break;
      case 'EncryptionProvisioningAudited':
        break;
      case 'HolderCreated': {
        const id = detached(data.holder.id);
        holders.set(id, { id, is: 'live', first: revision, revision });
        break;
      }
      case 'HolderUpdated':
      case 'HolderDeleted': {
        const known = knownIn(registry, data.holder.id);
        const is = type === 'HolderDeleted' ? 'deleted' : known.is;
        holders.set(known.id, { ...known, is, revision });
        break;
      }
      case 'HolderClosingBegun': {
        const known = knownIn(registry, data.closing.holderId);
        holders.set(known.id, { ...known, is: 'closing', closing: revision });
        break;
      }
      case 'HolderClosingUndone': {
        const known = knownIn(registry, data.holderId);
        holders.set(known.id, { ...known, is: 'live' });
        break;
      }
      case 'HolderRevoked':
        revoked.add(detached(data.holderId));
        break;
      case 'HolderErasureBegun': {
        const known = knownIn(registry, data.erasure.holderId);
        const certificateId = detached(data.erasure.certificateId);
        holders.set(known.id, { ...known, is: 'erasing', revision, certificateId });
        break;
      }
      case 'HolderErased':
        holders.delete(data.holder.id);
        break;
      default:
        evolveInstrument(registry, event, revision);
    }
  },

  fact: (registry): Omit<RegistryFact, 'revision'> | undefined =>
    registry.began
      ? {
          live: true,
          provisioned: registry.provisioned,
          isLive: (id) => registry.holders.get(id)?.is === 'live',
          standingOf: (id) =>
            registry.holders.get(id)?.is ?? (registry.revoked.has(id) ? 'revoked' : 'absent'),
          isRecord: (id) => recordIn(registry, id) !== undefined,
        }
      : undefined,

  toSnapshot: registryToSnapshot,
  fromSnapshot: registryFromSnapshot,
};

function needsOrganization(id: Uuid, facts: Facts): Needs | undefined {
  const journal = organizationJournal(id);
  return facts.journal(journal) === undefined ? { journals: [journal] } : undefined;
}

type CommandOf<Type extends RegistryCommand['type']> = Extract<RegistryCommand, { type: Type }>;

function createHolder(
  registry: Registry,
  { holder: sent, requestHash, keys, requestId }: CommandOf<'CreateHolder'>,
  facts: Facts,
  stamp: Stamp,
): Decision<RegistryEvent> {
  const { id, organizationId } = sent;
  mustExist(organizationId, facts);
  if (registry.revoked.has(id)) throw recordRevoked();
  const { instant } = stamp;
  const holder = { ...sent, createdAt: instant, updatedAt: instant, deletedAt: null };
  checkRecordSize(holder);
  const creation = { type: 'HolderCreated', data: { holder, requestHash } } as const;
  return provisionedFirst(registry, { organizationId, keys, requestId }, creation, stamp);
}

/** Puts the set-up of the protection in front of the first protected record. */
function provisionedFirst(
  registry: Registry,
  { organizationId, keys, requestId }: FirstUse,
  creation: RegistryEvent,
  stamp: Stamp,
): Decision<RegistryEvent> {
  if (registry.provisioned) return [creation];
  const attempt = { ...AUTOMATIC, requestId };
  const first = { type: 'ProvisionEncryption', organizationId, keys, attempt } as const;
  return [...provision(registry, first, stamp), creation];
}

function readCreation(
  registry: Registry,
  { id, withinSeconds }: CommandOf<'ReadCreation'>,
  facts: Facts,
  { instant }: Stamp,
): Decision<RegistryEvent> {
  const { first: at } = existing(registry, id);
  const { createdAt } = imageAt('holder', at, facts) as HolderRecord;
  const until = parseInstant(createdAt) + withinSeconds * 1_000_000;
  return parseInstant(instant) < until ? { unchanged: facts.event(at) as RegistryEvent, at } : [];
}

type FirstUse = Readonly<{
  organizationId: Uuid;
  keys: ProvisionedKeys | undefined;
  requestId: string;
}>;

function updateHolder(
  registry: Registry,
  { id, expected, sealed, externalId, metadata }: CommandOf<'UpdateHolder'>,
  facts: Facts,
  { instant }: Stamp,
): Decision<RegistryEvent> {
  const known = shown(registry, id);
  if (known.revision !== expected) throw recordChanged();
  const before = beforeImage(known, facts);
  const kept = Object.entries<string | null>({ ...before.sealed, ...sealed }).filter(
    ([, text]) => text !== null,
  );
  const { record, changed } = patched<HolderRecord>(
    before,
    {
      ...(externalId !== undefined && { externalId: externalId ?? undefined }),
      sealed: Object.fromEntries(kept),
      ...(metadata !== undefined && { metadata: mergedMetadata(before.metadata, metadata) }),
    },
    instant,
  );
  checkRecordSize(record);
  const members = changed.flatMap((name) => (name === 'sealed' ? Object.keys(sealed) : [name]));
  const data = { holder: record, changed: members };
  const updated = { type: 'HolderUpdated', data } as const;
  return changed.length === 0 ? { unchanged: updated } : [updated];
}

function revokeHolder(
  registry: Registry,
  { organizationId, id }: CommandOf<'RevokeHolder'>,
): Decision<RegistryEvent> {
  const holder = registry.holders.get(id);
  if (holder?.is === 'live' || holder?.is === 'closing') throw documentTaken();
  const known = recordIn(registry, id);
  if (known?.is === 'live') throw accountLinked();
  if (known !== undefined || registry.revoked.has(id)) return [];
  return [{ type: 'HolderRevoked', data: { organizationId, holderId: id } }];
}

/** An erasure that has begun is returned as it is. */
function beginErasure(
  registry: Registry,
  { organizationId, id, closing }: CommandOf<'BeginErasure'>,
  facts: Facts,
  { ids, instant }: Stamp,
): Decision<RegistryEvent> {
  const known = knownOrRefused(registry, id);
  const { is, revision: at } = known;
  if (is === 'erasing') return { unchanged: facts.event(at) as RegistryEvent, at };
  mustBeClosing(known, closing);
  mustHaveNoLiveInstruments(registry, id);
  const erasure = { certificateId: ids.next(), organizationId, holderId: id, begunAt: instant };
  return [{ type: 'HolderErasureBegun', data: { erasure } }];
}

function completeErasure(
  { holders, instruments }: Registry,
  { organizationId, id }: CommandOf<'CompleteErasure'>,
  { instant }: Stamp,
): Decision<RegistryEvent> {
  const known = holders.get(id);
  if (known?.is !== 'erasing' || known.certificateId === undefined) return [];
  const [left] = instruments.ofHolder(id);
  if (left !== undefined) throw new Error(`Instrument ${left.id} outlives its holder`);
  const certificate = {
    id: known.certificateId,
    organizationId,
    entityType: 'Holder',
    entityId: id,
    keyId: id,
    destroyedAt: instant,
    firstRevision: known.first,
  } as const;
  const holder = { id, organizationId, deletedAt: instant };
  return [{ type: 'HolderErased', data: { holder, certificate } }];
}

function provision(
  { provisioned }: Registry,
  { organizationId, keys, attempt }: CommandOf<'ProvisionEncryption'>,
  { ids, instant }: Stamp,
): readonly RegistryEvent[] {
  const audited = (outcome: AuditOutcome): ProtectionAudit => ({
    id: ids.next(),
    organizationId,
    action: 'provision',
    actor: attempt.actor,
    outcome,
    reason: attempt.reason,
    fromStatus: provisioned ? 'active' : '',
    toStatus: provisioned || outcome === 'success' ? 'active' : '',
    timestamp: instant,
    requestId: attempt.requestId,
  });
  if (provisioned || keys === undefined) {
    const audit = audited(keys === undefined ? 'failure' : 'already_exists');
    return [{ type: 'EncryptionProvisioningAudited', data: { audit } }];
  }
  const encryption = {
    organizationId,
    status: 'active',
    protectionModel: 'envelope',
    currentVersion: 1,
    readableVersions: [1],
    ...keys,
    occurredAt: instant,
  } as const;
  return [{ type: 'EncryptionProvisioned', data: { encryption, audit: audited('success') } }];
}

/** Errors: ORGANIZATION_NOT_FOUND. */
function mustExist(organizationId: Uuid, facts: Facts): void {
  if (facts.journal(organizationJournal(organizationId))?.live !== true) {
    throw organizationNotFound();
  }
}

const beforeImage = ({ revision }: KnownHolder, facts: Facts): HolderRecord =>
  imageAt('holder', revision, facts) as HolderRecord;

function live(registry: Registry, id: Uuid): KnownHolder {
  const known = knownOrRefused(registry, id);
  if (known.is !== 'live') throw holderNotFound();
  return known;
}

/** A holder that is closing is shown until it is deleted, because that may be undone. */
function shown(registry: Registry, id: Uuid): KnownHolder {
  const known = knownOrRefused(registry, id);
  if (known.is !== 'live' && known.is !== 'closing') throw holderNotFound();
  return known;
}

function existing(registry: Registry, id: Uuid): KnownHolder {
  const known = knownOrRefused(registry, id);
  if (known.is === 'erasing') throw holderNotFound();
  return known;
}

function knownOrRefused({ holders }: Registry, id: Uuid): KnownHolder {
  const known = holders.get(id);
  if (known === undefined) throw holderNotFound();
  return known;
}

const recordIn = ({ holders, instruments }: Registry, id: Uuid): KnownRecord | undefined =>
  holders.get(id) ?? instruments.get(id);

function knownIn({ holders }: Registry, id: Uuid): KnownHolder {
  const known = holders.get(id);
  if (known === undefined) throw new Error(`There is no holder ${id}`);
  return known;
}

export const documentTaken = (): Refusal =>
  refuse('DOCUMENT_TAKEN', 'A live holder of the organization has this document.', {
    findings: [{ location: 'document', message: 'is taken' }],
  });

/** Never leaves the API: the caller reads the record again, or creates it under another id. */
const recordChanged = (): Refusal => internal('RECORD_CHANGED');
const recordRevoked = (): Refusal => internal('RECORD_REVOKED');
const internal = (name: string): Refusal => new Refusal(name, { detail: name });

/** Lazy provisioning (contract registry-and-fees §A10). */
const AUTOMATIC = { actor: 'system:auto-provision', reason: 'First protected record' };
