import { liveLedgerIn } from '#commands/ledger/state/journal-facts.ts';
import { holderNotFound, instrumentNotFound } from '#src/events/registry/absent.ts';
import type {
  InstrumentRecord,
  PlainBankingDetails,
  ProtectedMember,
  SealedParty,
} from '#src/events/registry/instrument.ts';
import { refuse } from '#src/events/registry/refusals.ts';
import type { InstrumentEvent } from '#src/events/registry/registry.ts';
import { imageAt, needsBeforeImages } from '#src/kernel/before-image.ts';
import type { Decision, Facts, Needs, Stamp } from '#src/kernel/decider.ts';
import { detached } from '#src/kernel/detached.ts';
import { Refusal } from '#src/kernel/errors.ts';
import type { Revision, Uuid } from '#src/kernel/ids.ts';
import type { Instant } from '#src/kernel/instant.ts';
import { ledgerJournal } from '#src/kernel/journal-name.ts';
import { mergedMetadata, patched, type MetadataChanges } from '#src/kernel/patch.ts';
import { checkRecordSize } from '#src/kernel/record-size.ts';
import { unreachable } from '#src/kernel/unreachable.ts';
import type { Registry } from './holder-states.ts';
import type { KnownInstrument } from './instrument-states.ts';

export type NewInstrument = Omit<InstrumentRecord, 'createdAt' | 'updatedAt' | 'deletedAt'>;

/** The holder and the account that an instrument connects. `isOwn` marks the organization's own holder. */
export type InstrumentLink = Readonly<{
  organizationId: Uuid;
  holderId: Uuid;
  isOwn: boolean;
  ledgerId: Uuid;
  accountId: Uuid;
}>;

type InstrumentAddress = Readonly<{ holderId: Uuid; id: Uuid }>;

/** The commands about instruments that exist; creation sets up the protection, too. */
export type InstrumentCommand =
  /** Returns the last event of an instrument that is not erased, and its revision. */
  | (Readonly<{ type: 'ReadInstrument' }> & InstrumentAddress)
  /**
   * Replaces members, which were computed from the event at the revision `expected`; null removes one. Related parties
   * are added to those of the instrument. Is refused with RECORD_CHANGED if the instrument has changed since.
   */
  | (Readonly<{
      type: 'UpdateInstrument';
      expected: Revision;
      sealed: Readonly<Partial<Record<ProtectedMember, string | null>>>;
      bankingDetails?: PlainBankingDetails | null | undefined;
      relatedParties?: readonly SealedParty[] | undefined;
      metadata?: MetadataChanges | undefined;
    }> &
      InstrumentAddress)
  | (Readonly<{ type: 'DeleteRelatedParty'; relatedPartyId: Uuid }> & InstrumentAddress)
  | (Readonly<{ type: 'DeleteInstrument' }> & InstrumentAddress)
  | (Readonly<{ type: 'BeginInstrumentErasure'; organizationId: Uuid }> & InstrumentAddress)
  /** Begins the erasure of one more instrument of a holder that is being erased; no event if none is left. */
  | Readonly<{ type: 'BeginNextErasure'; organizationId: Uuid; holderId: Uuid }>
  /** Records that the key was destroyed; has no effect without a beginning. */
  | Readonly<{ type: 'CompleteInstrumentErasure'; organizationId: Uuid; id: Uuid }>;

/** Requests the ledger, which knows the account. */
export function needsLedger({ ledgerId }: Pick<InstrumentLink, 'ledgerId'>, facts: Facts) {
  const journal = ledgerJournal(ledgerId);
  return facts.journal(journal) === undefined ? { journals: [journal] } : undefined;
}

export function needsOfInstrument(
  registry: Registry,
  command: InstrumentCommand,
  facts: Facts,
): Needs | undefined {
  const { instruments } = registry;
  switch (command.type) {
    case 'ReadInstrument':
    case 'UpdateInstrument':
    case 'DeleteRelatedParty':
    case 'DeleteInstrument': {
      const known = instruments.get(command.id);
      return known && known.is !== 'erasing' ? needsBeforeImages(facts, known.revision) : undefined;
    }
    case 'BeginInstrumentErasure':
      return needsBeginning(instruments.get(command.id), facts);
    case 'BeginNextErasure':
      return needsBeginning(nextToErase(registry, command.holderId), facts);
    default:
      return undefined;
  }
}

/** An erasure that has begun is returned as the log has it. */
const needsBeginning = (known: KnownInstrument | undefined, facts: Facts): Needs | undefined =>
  known?.is === 'erasing' ? needsBeforeImages(facts, known.revision) : undefined;

function nextToErase({ holders, instruments }: Registry, holderId: Uuid) {
  const [next] = holders.get(holderId)?.is === 'erasing' ? instruments.ofHolder(holderId) : [];
  return next;
}

export function decideInstrument(
  registry: Registry,
  command: InstrumentCommand,
  facts: Facts,
  stamp: Stamp,
): Decision<InstrumentEvent> {
  const { instant } = stamp;
  switch (command.type) {
    case 'ReadInstrument': {
      const { revision: at, is } = known(registry, command);
      if (is === 'erasing') throw instrumentNotFound();
      return { unchanged: facts.event(at) as InstrumentEvent, at };
    }
    case 'UpdateInstrument':
      return updateInstrument(registry, command, facts, instant);
    case 'DeleteRelatedParty': {
      const { relatedPartyId } = command;
      const { relatedParties = [], ...before } = imageOf(live(registry, command), facts);
      const left = relatedParties.filter(({ id }) => id !== relatedPartyId);
      if (left.length === relatedParties.length) throw relatedPartyNotFound();
      const others = left.length === 0 ? {} : { relatedParties: left };
      const instrument = { ...before, ...others, updatedAt: instant };
      return [{ type: 'RelatedPartyDeleted', data: { instrument, relatedPartyId } }];
    }
    case 'DeleteInstrument': {
      const before = imageOf(live(registry, command), facts);
      const instrument = { ...before, updatedAt: instant, deletedAt: instant };
      return [{ type: 'InstrumentDeleted', data: { instrument } }];
    }
    case 'BeginInstrumentErasure':
      return beginErasure(known(registry, command), command.organizationId, facts, stamp);
    case 'BeginNextErasure': {
      const next = nextToErase(registry, command.holderId);
      return next === undefined ? [] : beginErasure(next, command.organizationId, facts, stamp);
    }
    case 'CompleteInstrumentErasure':
      return completeErasure(registry, command, instant);
    default:
      return unreachable(command);
  }
}

/**
 * Requires everything that a new instrument refers to, and that its account has no other one. Errors: HOLDER_NOT_FOUND,
 * INSTRUMENT_LEDGER_NOT_FOUND, INSTRUMENT_ACCOUNT_NOT_FOUND, ACCOUNT_LINKED.
 */
export function checkLink(
  { holders, instruments }: Registry,
  { organizationId, holderId, isOwn, ledgerId, accountId }: InstrumentLink,
  facts: Facts,
): void {
  if (!isOwn && holders.get(holderId)?.is !== 'live') throw holderNotFound();
  const ledger = liveLedgerIn(facts.journal(ledgerJournal(ledgerId)), organizationId);
  if (ledger === undefined) {
    throw refuse('INSTRUMENT_LEDGER_NOT_FOUND', 'The organization has no such ledger.', {
      findings: [{ location: 'ledgerId', message: 'names no ledger', value: ledgerId }],
    });
  }
  if (!ledger.hasAccount(accountId)) {
    throw refuse('INSTRUMENT_ACCOUNT_NOT_FOUND', 'The ledger has no such account.', {
      findings: [{ location: 'accountId', message: 'names no account', value: accountId }],
    });
  }
  if (instruments.ofAccount(accountId) !== undefined) throw accountLinked();
}

/** Errors: as checkLink; CLOSED_BEFORE_CREATED, TOO_LARGE. */
export function createInstrument(
  registry: Registry,
  { instrument: sent, isOwn, requestHash }: NewLinkedInstrument,
  facts: Facts,
  { instant }: Stamp,
): InstrumentEvent {
  checkLink(registry, { ...sent, isOwn }, facts);
  checkClosingDate(sent.bankingDetails, instant);
  const instrument = { ...sent, createdAt: instant, updatedAt: instant, deletedAt: null };
  checkRecordSize(instrument);
  return { type: 'InstrumentCreated', data: { instrument, requestHash } };
}

export type NewLinkedInstrument = Readonly<{
  instrument: NewInstrument;
  isOwn: boolean;
  requestHash: string;
}>;

/** Errors: HOLDER_HAS_INSTRUMENTS. */
export function mustHaveNoLiveInstruments({ instruments }: Registry, holderId: Uuid): void {
  for (const { is } of instruments.ofHolder(holderId)) {
    if (is !== 'live') continue;
    throw refuse('HOLDER_HAS_INSTRUMENTS', 'The holder has instruments: delete them first.');
  }
}

export function evolveInstrument(
  { instruments }: Registry,
  { type, data }: InstrumentEvent,
  revision: Revision,
): void {
  const stored = (id: Uuid): KnownInstrument => {
    const found = instruments.get(id);
    if (found === undefined) throw new Error(`There is no instrument ${id}`);
    return found;
  };
  switch (type) {
    case 'InstrumentCreated': {
      const id = detached(data.instrument.id);
      const holderId = detached(data.instrument.holderId);
      const accountId = detached(data.instrument.accountId);
      instruments.set({ id, holderId, accountId, is: 'live', first: revision, revision });
      break;
    }
    case 'InstrumentUpdated':
    case 'RelatedPartyDeleted':
      instruments.set({ ...stored(data.instrument.id), revision });
      break;
    case 'InstrumentDeleted':
      instruments.set({ ...stored(data.instrument.id), is: 'deleted', revision });
      break;
    case 'InstrumentErasureBegun': {
      const { erasure } = data;
      const certificateId = detached(erasure.certificateId);
      instruments.set({ ...stored(erasure.instrumentId), is: 'erasing', revision, certificateId });
      break;
    }
    case 'InstrumentErased':
      instruments.delete(data.instrument.id);
      break;
    default:
      unreachable(type);
  }
}

function updateInstrument(
  registry: Registry,
  command: Extract<InstrumentCommand, { type: 'UpdateInstrument' }>,
  facts: Facts,
  instant: Instant,
): Decision<InstrumentEvent> {
  const { expected, sealed, bankingDetails, relatedParties = [], metadata } = command;
  const found = live(registry, command);
  if (found.revision !== expected) throw new Refusal('RECORD_CHANGED', { detail: '' });
  const before = imageOf(found, facts);
  if (bankingDetails?.closingDate !== before.bankingDetails?.closingDate) {
    checkClosingDate(bankingDetails ?? undefined, before.createdAt);
  }
  const kept = Object.entries<string | null>({ ...before.sealed, ...sealed }).filter(
    ([, text]) => text !== null,
  );
  const { record, changed } = patched<InstrumentRecord>(
    before,
    {
      sealed: Object.fromEntries(kept),
      ...(bankingDetails !== undefined && { bankingDetails: bankingDetails ?? undefined }),
      ...(relatedParties.length > 0 && {
        relatedParties: [...(before.relatedParties ?? []), ...relatedParties],
      }),
      ...(metadata !== undefined && { metadata: mergedMetadata(before.metadata, metadata) }),
    },
    instant,
  );
  checkRecordSize(record);
  const members = changed.flatMap((name) => (name === 'sealed' ? Object.keys(sealed) : [name]));
  const updated = {
    type: 'InstrumentUpdated',
    data: { instrument: record, changed: members },
  } as const;
  return changed.length === 0 ? { unchanged: updated } : [updated];
}

function beginErasure(
  { id, holderId, is, revision: at }: KnownInstrument,
  organizationId: Uuid,
  facts: Facts,
  { ids, instant }: Stamp,
): Decision<InstrumentEvent> {
  if (is === 'erasing') return { unchanged: facts.event(at) as InstrumentEvent, at };
  const certificateId = ids.next();
  const erasure = { certificateId, organizationId, holderId, instrumentId: id, begunAt: instant };
  return [{ type: 'InstrumentErasureBegun', data: { erasure } }];
}

function completeErasure(
  { instruments }: Registry,
  { organizationId, id }: Readonly<{ organizationId: Uuid; id: Uuid }>,
  instant: Instant,
): Decision<InstrumentEvent> {
  const found = instruments.get(id);
  if (found?.is !== 'erasing' || found.certificateId === undefined) return [];
  const certificate = {
    id: found.certificateId,
    organizationId,
    entityType: 'Instrument',
    entityId: id,
    keyId: id,
    destroyedAt: instant,
    firstRevision: found.first,
  } as const;
  const instrument = { id, holderId: found.holderId, organizationId, deletedAt: instant };
  return [{ type: 'InstrumentErased', data: { instrument, certificate } }];
}

/** Compares with the day on which the record is created. Errors: CLOSED_BEFORE_CREATED. */
function checkClosingDate(details: PlainBankingDetails | undefined, createdAt: Instant): void {
  const closingDate = details?.closingDate;
  if (closingDate === undefined || closingDate >= createdAt.slice(0, 10)) return;
  const message = 'must not be before the day on which the record is created';
  throw refuse('CLOSED_BEFORE_CREATED', `bankingDetails.closingDate ${message}.`, {
    findings: [{ location: 'bankingDetails.closingDate', message, value: closingDate }],
  });
}

const imageOf = ({ revision }: KnownInstrument, facts: Facts): InstrumentRecord =>
  imageAt('instrument', revision, facts) as InstrumentRecord;

function live(registry: Registry, address: InstrumentAddress): KnownInstrument {
  const found = known(registry, address);
  if (found.is !== 'live') throw instrumentNotFound();
  return found;
}

/** Errors: INSTRUMENT_NOT_FOUND, also for an instrument of another holder. */
function known({ instruments }: Registry, { holderId, id }: InstrumentAddress): KnownInstrument {
  const found = instruments.get(id);
  if (found?.holderId !== holderId) throw instrumentNotFound();
  return found;
}

export const accountLinked = (): Refusal =>
  refuse('ACCOUNT_LINKED', 'The account has a live instrument.', {
    findings: [{ location: 'accountId', message: 'is linked' }],
  });

const relatedPartyNotFound = (): Refusal =>
  refuse('RELATED_PARTY_NOT_FOUND', 'The instrument has no such related party.');
