import {
  changedDetails,
  newParties,
  type DetailChanges,
  type SentParty,
} from '#commands/registry/instrument-details.ts';
import { registryServices } from '#commands/registry/processes/services.ts';
import { journalOfRegistry, type RegistryCommand } from '#commands/registry/registry.ts';
import { instrumentNotFound } from '#src/events/registry/absent.ts';
import {
  PROTECTED_MEMBERS,
  type InstrumentRecord,
  type ProtectedDetails,
  type ProtectedMember,
} from '#src/events/registry/instrument.ts';
import type { RegistryEvent } from '#src/events/registry/registry.ts';
import type { Request } from '#src/http/request.ts';
import type { Services } from '#src/http/services.ts';
import { Refusal } from '#src/kernel/errors.ts';
import type { Revision, Uuid } from '#src/kernel/ids.ts';
import type { MetadataChanges } from '#src/kernel/patch.ts';
import type { DataKey } from '#src/ports/record-keys.ts';
import { Destroyed } from '#src/ports/secret-store.ts';
import {
  openedInstrument,
  searchValues,
  sealedParty,
  type OpenedInstrument,
} from '#src/resources/registry/instrument.ts';
import { changeRecord, differing } from './change-record.ts';

type InstrumentPath = Readonly<{ organization_id: Uuid; holder_id: Uuid; instrument_id: Uuid }>;
export type InstrumentRequest = Request<InstrumentPath>;

export type InstrumentChanges = DetailChanges &
  Readonly<{
    relatedParties?: readonly SentParty[] | undefined;
    metadata?: MetadataChanges | undefined;
  }>;

export type ChangedInstrument = Readonly<{
  instrument: InstrumentRecord;
  opened: OpenedInstrument;
  revision: Revision;
}>;

/**
 * Changes an instrument. It is found by new values before the event, so that a crash after it loses none, and not by
 * old ones afterwards. Errors: Refusal, Unavailable.
 */
export async function changeInstrument(
  request: InstrumentRequest,
  services: Services,
  { relatedParties: sent, metadata, ...changes }: InstrumentChanges,
): Promise<ChangedInstrument> {
  const { organization_id: organizationId, holder_id: holderId, instrument_id: id } = request.path;
  const { keys } = registryServices(services.components);
  const record = { tenantId: request.context.tenantId, organizationId, recordId: id };
  const parties = newParties(sent, services.ids);

  const { event, key, prepared, revision } = await changeRecord(request, services, {
    id,
    read: { type: 'ReadInstrument', holderId, id },
    notFound: instrumentNotFound,
    async prepare(last, key, expected) {
      const before = instrumentIn(last);
      if (before.deletedAt !== null) throw instrumentNotFound();
      const known = openedInstrument(key, before);
      const { bankingDetails = null, details } = changedDetails(
        { bankingDetails: before.bankingDetails, details: known.details },
        changes,
      );
      const after = { details, relatedParties: [...known.relatedParties, ...parties] };
      const isMoved = !isFoundAlike(known, after);
      if (isMoved) {
        const tokens = await keys.tokens(record, searchValues(after));
        await keys.extend(record, tokens).catch(asAbsent);
      }
      const command: RegistryCommand = {
        type: 'UpdateInstrument',
        ...{ holderId, id, expected, bankingDetails, metadata },
        sealed: sealedChanges(key, known.details, details),
        relatedParties: parties.map((party) => sealedParty(key, party)),
      };
      return { command, prepared: isMoved };
    },
  });
  if (prepared) await alignTokens(request, services);
  const instrument = instrumentIn(event);
  return { instrument, opened: openedInstrument(key, instrument), revision };
}

/** Removes a related party, which is not found by its document any more. Errors: Refusal, Unavailable. */
export async function deleteRelatedParty(
  request: Request<InstrumentPath & Readonly<{ related_party_id: Uuid }>>,
  services: Services,
): Promise<Revision> {
  const { organization_id, holder_id: holderId, instrument_id: id } = request.path;
  const { related_party_id: relatedPartyId } = request.path;
  const journal = journalOfRegistry(organization_id);
  const command = { type: 'DeleteRelatedParty', holderId, id, relatedPartyId } as const;
  try {
    return (await services.commands.submit(request, journal, command)).revision;
  } finally {
    // Also when it is refused: an earlier request may have been interrupted after its event.
    await alignTokens(request, services);
  }
}

/**
 * Gives an instrument the tokens of exactly the values that it has. Requests that change it at the same time may remove
 * one another's; whichever ends last restores those of the instrument as it then is.
 */
async function alignTokens(request: InstrumentRequest, services: Services): Promise<void> {
  const { commands, components } = services;
  const { organization_id: organizationId, holder_id: holderId, instrument_id: id } = request.path;
  const { keys } = registryServices(components);
  const record = { tenantId: request.context.tenantId, organizationId, recordId: id };
  const journal = journalOfRegistry(organizationId);
  const read = async () =>
    (await commands.submit(request, journal, { type: 'ReadInstrument', holderId, id })).events[0];
  try {
    let last = await read();
    for (let round = 0; round < ROUNDS_MAX && last !== undefined; round += 1) {
      const key = await keys.open(record);
      if (key === undefined) return;
      const tokens = await keys.tokens(
        record,
        searchValues(openedInstrument(key, instrumentIn(last))),
      );
      await keys.extend(record, tokens);
      await keys.retain(record, tokens);
      const { revision } = last;
      last = await read();
      if (last?.revision === revision) return;
    }
  } catch (error) {
    // The change is made. An erasure has removed all tokens; others that are left find nothing that is shown.
    if (!(error instanceof Refusal || error instanceof Destroyed)) throw error;
  }
}

const ROUNDS_MAX = 20;

/** Null removes a member. */
function sealedChanges(
  key: DataKey,
  before: ProtectedDetails,
  after: ProtectedDetails,
): Readonly<Partial<Record<ProtectedMember, string | null>>> {
  const { changed, removed } = differing(PROTECTED_MEMBERS, (member) => [
    before[member],
    after[member],
  ]);
  const kept = Object.fromEntries(changed.map((member) => [member, after[member] ?? '']));
  return { ...key.sealFields(kept), ...removed };
}

/** Returns true if two states of an instrument are found by the same values. */
function isFoundAlike(before: OpenedInstrument, after: OpenedInstrument): boolean {
  const texts = (opened: OpenedInstrument): ReadonlySet<string> =>
    new Set(searchValues(opened).map(({ field, value }) => `${field}:${value}`));
  return texts(before).symmetricDifference(texts(after)).size === 0;
}

/** An instrument whose key was destroyed meanwhile is not there any more. */
function asAbsent(error: unknown): never {
  throw error instanceof Destroyed ? instrumentNotFound() : error;
}

export function instrumentIn(event: RegistryEvent): InstrumentRecord {
  switch (event.type) {
    case 'InstrumentCreated':
    case 'InstrumentUpdated':
    case 'RelatedPartyDeleted':
    case 'InstrumentDeleted':
      return event.data.instrument;
    default:
      throw new Error('The last event of an instrument has its record');
  }
}
