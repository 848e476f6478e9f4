import { HOLDER_TYPES } from '#src/events/registry/holder.ts';
import {
  PARTY_ROLES,
  PROTECTED_MEMBERS,
  type InstrumentRecord,
  type ProtectedDetails,
  type RelatedParty,
  type SealedParty,
} from '#src/events/registry/instrument.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { PublishedSchema, Schema } from '#src/kernel/schema.ts';
import {
  changedMetadata,
  instant,
  instantOrNull,
  metadataView,
  record,
  uuid,
} from '#src/kernel/schema-fragments.ts';
import {
  date,
  day,
  group,
  newMetadata,
  optional,
  ordered,
  shown,
  text,
  wrongType,
  requiredDate,
} from './members.ts';
import type { PersonCipher } from './person.ts';

/* Contract registry-and-fees §A4. */

const reference = { ...uuid, wrongType } as const;
const required = <const Max extends number>(maxLength: Max) =>
  ({ type: 'string', maxLength, wrongType }) as const;

const party = {
  document: required(100),
  name: required(256),
  role: { type: 'string', enum: PARTY_ROLES, refusal: 'RELATED_PARTY_ROLE', wrongType },
  startDate: requiredDate,
  endDate: date,
} as const;

/** Members that are absent have refusals of their own, so that code requires them. */
const relatedParties = {
  type: 'array',
  maxItems: 100,
  wrongType,
  items: {
    ...record(party, []),
    wrongType,
    published: {
      title: 'RequestedRelatedParty',
      ...record(
        {
          ...party,
          document: { ...party.document, minLength: 1 },
          name: { ...party.name, minLength: 1 },
        },
        ['document', 'name', 'role', 'startDate'],
      ),
    } as PublishedSchema,
  },
} as const;

/** Null stands for a member that is not set, or that an update clears. */
export const instrumentDetails = {
  bankingDetails: group({
    branch: text(50),
    account: text(50),
    type: text(10),
    openingDate: date,
    closingDate: date,
    iban: text(34),
    countryCode: text(2),
    bankId: text(50),
  }),
  regulatoryFields: group({ participantDocument: text(100) }),
  relatedParties,
} as const;

export const createInstrumentBody = record(
  { ledgerId: reference, accountId: reference, metadata: newMetadata, ...instrumentDetails },
  ['ledgerId', 'accountId'],
) satisfies Schema;

/** Nested objects are merged member by member; related parties are added to those there are. */
export const updateInstrumentBody = record(
  { metadata: changedMetadata, ...instrumentDetails },
  [],
) satisfies Schema;

const relatedPartyView = {
  title: 'RelatedParty',
  ...record(
    {
      id: uuid,
      document: shown,
      name: shown,
      role: { type: 'string', enum: PARTY_ROLES },
      startDate: day,
      endDate: day,
    },
    ['id', 'document', 'name', 'role', 'startDate'],
  ),
} as const;

export const instrumentSchema = {
  title: 'Instrument',
  ...record(
    {
      id: uuid,
      document: { type: 'string', description: 'The `document` of the holder' },
      type: { type: 'string', enum: HOLDER_TYPES, description: 'The `type` of the holder' },
      ledgerId: uuid,
      accountId: uuid,
      holderId: uuid,
      metadata: metadataView,
      bankingDetails: optional({
        branch: shown,
        account: shown,
        type: shown,
        openingDate: day,
        closingDate: day,
        iban: shown,
        countryCode: shown,
        bankId: shown,
      }),
      regulatoryFields: optional({ participantDocument: shown }),
      relatedParties: { type: 'array', items: relatedPartyView },
      createdAt: instant,
      updatedAt: instant,
      deletedAt: instantOrNull,
    },
    [
      ...(['id', 'document', 'type', 'ledgerId', 'accountId', 'holderId'] as const),
      ...(['createdAt', 'updatedAt', 'deletedAt'] as const),
    ],
  ),
} as const satisfies Schema;

/** An instrument with everything that its record seals, in plain text. */
export type OpenedInstrument = Readonly<{
  details: ProtectedDetails;
  relatedParties: readonly RelatedParty[];
}>;

/** Opens what the key of a record sealed. Errors: those of the key, for altered text. */
export function openedInstrument(
  key: PersonCipher & FieldCipher,
  { sealed, relatedParties = [] }: Pick<InstrumentRecord, 'sealed' | 'relatedParties'>,
): OpenedInstrument {
  return {
    details: key.openFields(sealed),
    relatedParties: relatedParties.map(({ sealed: { document, name }, ...plain }) => ({
      ...plain,
      document: key.open(partyField(plain.id, 'document'), document),
      name: key.open(partyField(plain.id, 'name'), name),
    })),
  };
}

export const sealedDetails = (
  key: PersonCipher,
  details: ProtectedDetails,
): InstrumentRecord['sealed'] => key.sealFields(details);

/** Seals a related party, each member for its own place. */
export const sealedParty = (
  key: FieldCipher,
  { document, name, ...plain }: RelatedParty,
): SealedParty => ({
  ...plain,
  sealed: {
    document: key.seal(partyField(plain.id, 'document'), document),
    name: key.seal(partyField(plain.id, 'name'), name),
  },
});

/** The part of a record's key that seals and opens a value for its place. */
export type FieldCipher = Readonly<{
  seal: (field: string, value: string) => string;
  open: (field: string, sealed: string) => string;
}>;

const partyField = (id: Uuid, member: 'document' | 'name'): string =>
  `relatedParties.${id}.${member}`;

/** Shows an instrument in the order of the schema. */
export function instrumentView(
  { sealed: _, bankingDetails, relatedParties: __, ...plain }: InstrumentRecord,
  { details: { document, account, iban, participantDocument }, relatedParties }: OpenedInstrument,
): object {
  const banking = { ...bankingDetails, account, iban };
  const isBanked = Object.values(banking).some((value) => value !== undefined);
  return ordered(instrumentSchema, {
    ...plain,
    document,
    ...(isBanked && { bankingDetails: banking }),
    ...(participantDocument !== undefined && { regulatoryFields: { participantDocument } }),
    ...(relatedParties.length > 0 && { relatedParties: relatedParties.map(partyView) }),
  });
}

const partyView = (party: RelatedParty): object => ordered(relatedPartyView, party);

/** The fields by which instruments are found, and the filters that ask for them. */
export const instrumentSearch = {
  document: 'instrument.document',
  banking_details_account: 'bankingDetails.account',
  banking_details_iban: 'bankingDetails.iban',
  regulatory_fields_participant_document: 'regulatoryFields.participantDocument',
  related_party_document: 'relatedParties.document',
} as const;
export type InstrumentSearch = keyof typeof instrumentSearch;

/** Returns the values that an instrument has in a searchable field. */
export function valuesAt(
  { details, relatedParties }: OpenedInstrument,
  search: InstrumentSearch,
): readonly string[] {
  if (search === 'related_party_document') return relatedParties.map(({ document }) => document);
  const value = details[memberOf[search]];
  return value === undefined ? [] : [value];
}

const memberOf = {
  document: 'document',
  banking_details_account: 'account',
  banking_details_iban: 'iban',
  regulatory_fields_participant_document: 'participantDocument',
} as const satisfies Readonly<
  Record<Exclude<InstrumentSearch, 'related_party_document'>, (typeof PROTECTED_MEMBERS)[number]>
>;

/** Returns every searchable value of an instrument with its field. */
export const searchValues = (
  opened: OpenedInstrument,
): readonly Readonly<{ field: string; value: string }>[] =>
  (Object.keys(instrumentSearch) as InstrumentSearch[]).flatMap((search) =>
    [...new Set(valuesAt(opened, search))].map((value) => ({
      field: instrumentSearch[search],
      value,
    })),
  );
