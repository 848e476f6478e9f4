import {
  changedDetails,
  newParties,
  type DetailChanges,
  type SentParty,
} from '#commands/registry/instrument-details.ts';
import { registryServices } from '#commands/registry/processes/services.ts';
import { journalOfRegistry } from '#commands/registry/registry.ts';
import type { OrganizationRecord } from '#src/events/ledger/organization.ts';
import { holderNotFound, instrumentNotFound } from '#src/events/registry/absent.ts';
import type { HolderType } from '#src/events/registry/holder.ts';
import type { InstrumentRecord } from '#src/events/registry/instrument.ts';
import { OWN_HOLDERS } from '#src/events/registry/own-holder.ts';
import type { RegistryEvent } from '#src/events/registry/registry.ts';
import type { Metadata } from '#src/events/shared.ts';
import { canonical } from '#src/http/fingerprint.ts';
import type { Request } from '#src/http/request.ts';
import type { Services } from '#src/http/services.ts';
import { refuse } from '#src/kernel/errors.ts';
import { parseData } from '#src/kernel/event-data.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { organizationJournal } from '#src/kernel/journal-name.ts';
import {
  openedInstrument,
  searchValues,
  sealedDetails,
  sealedParty,
  type OpenedInstrument,
} from '#src/resources/registry/instrument.ts';
import { openedPerson } from '#src/resources/registry/person.ts';
import { RecordCreation } from './create-record.ts';

export type CreatedInstrument = Readonly<{
  instrument: InstrumentRecord;
  opened: OpenedInstrument;
  revision: number;
  replayed: boolean;
}>;

/** The holder and the account that an instrument connects. */
export type LinkedAccount = Readonly<{ holderId: Uuid; ledgerId: Uuid; accountId: Uuid }>;

/** The members of an instrument that a client chooses, as a validated body has them. */
export type NewInstrumentMembers = DetailChanges &
  Readonly<{ relatedParties?: readonly SentParty[] | undefined; metadata?: Metadata | undefined }>;

/**
 * Creates an instrument for an account that has none, with the document and the type of its holder. Under the
 * idempotency key of the request, the same instrument is returned again. Errors: Refusal, Unavailable.
 */
export async function createInstrument(
  request: Request<Readonly<{ organization_id: Uuid }>>,
  services: Services,
  link: LinkedAccount,
  members: NewInstrumentMembers,
): Promise<CreatedInstrument> {
  const { organization_id: organizationId } = request.path;
  const { metadata, relatedParties: sent } = members;
  const parties = newParties(sent, services.ids);
  const { bankingDetails, details } = changedDetails({ details: {} }, members);
  const creation = new RecordCreation(request, services, {
    text: canonical({
      ...link,
      ...{ bankingDetails, details, metadata },
      relatedParties: parties.map(({ id: _, ...party }) => party),
    }),
    creationIn: instrumentCreation,
    id: ({ instrument }) => instrument.id,
    notFound: instrumentNotFound,
  });

  let made = await creation.earlier();
  if (made === undefined) {
    const { type, document, isOwn } = await checkedHolder(request, services, link);
    const opened = { details: { ...details, document }, relatedParties: parties };
    made = await creation.create({
      values: searchValues(opened),
      command({ id, key, ...carried }) {
        const instrument = {
          ...{ id, organizationId, ...link, type },
          sealed: sealedDetails(key, opened.details),
          ...(bankingDetails && { bankingDetails }),
          ...(parties.length > 0 && {
            relatedParties: parties.map((party) => sealedParty(key, party)),
          }),
          ...(metadata !== undefined && { metadata }),
        };
        return { type: 'CreateInstrument', instrument, isOwn, ...carried };
      },
    });
  }
  const { creation: data, key, revision, replayed } = made;
  const { instrument } = data;
  return { instrument, opened: openedInstrument(key, instrument), revision, replayed };
}

type InstrumentCreation = Extract<RegistryEvent, { type: 'InstrumentCreated' }>['data'];

const instrumentCreation = ({ type, data }: RegistryEvent): InstrumentCreation | undefined =>
  type === 'InstrumentCreated' ? data : undefined;

type LinkedHolder = Readonly<{ type: HolderType; document: string; isOwn: boolean }>;

/**
 * Requires everything that a new instrument refers to before a key is made for it. Errors: those of its creation.
 */
async function checkedHolder(
  request: Request<Readonly<{ organization_id: Uuid }>>,
  services: Services,
  link: LinkedAccount,
): Promise<LinkedHolder> {
  const { commands, components, ids } = services;
  const { organization_id: organizationId } = request.path;
  const { holderId } = link;
  const isOwn = holderId === ids.named(OWN_HOLDERS, organizationId);
  const check = { type: 'CheckInstrument', organizationId, ...link, isOwn } as const;
  const { events } = await commands.submit(request, journalOfRegistry(organizationId), check);
  if (isOwn) {
    const document = await ownDocument(services, organizationId);
    return { type: 'LEGAL_PERSON', document, isOwn };
  }
  const [event] = events;
  if (event?.type !== 'HolderCreated' && event?.type !== 'HolderUpdated') throw holderNotFound();
  const { type, sealed } = event.data.holder;
  const { tenantId } = request.context;
  const holderKey = { tenantId, organizationId, recordId: holderId };
  const key = await registryServices(components).keys.open(holderKey);
  if (key === undefined) throw holderNotFound();
  return { type, document: openedPerson(key, sealed).document, isOwn };
}

/** An organization keeps the document with which it was created. */
async function ownDocument({ log }: Services, organizationId: Uuid): Promise<string> {
  const [event] = await log.read(organizationJournal(organizationId), 0, 1);
  if (event === undefined) throw refuse('UNAVAILABLE', 'The organization cannot be read.');
  const { organization } = parseData(event.data) as Readonly<{ organization: OrganizationRecord }>;
  return organization.legalDocument;
}
