import { HOLDER_TYPES, type HolderRecord, type Person } from '#src/events/registry/holder.ts';
import type { Schema } from '#src/kernel/schema.ts';
import {
  changedMetadata,
  instant,
  instantOrNull,
  metadataView,
  name,
  record,
  uuid,
} from '#src/kernel/schema-fragments.ts';
import { countries } from '#src/resources/ledger/countries.ts';
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
} from './members.ts';

/* Contract registry-and-fees §A3. */

const address = group({
  line1: text(256),
  line2: text(256),
  zipCode: text(256),
  city: text(256),
  state: text(256),
  country: {
    type: ['string', 'null'],
    enum: [...countries, '', null],
    wrongType,
    must: 'be a country of ISO 3166-1, by two letters in upper case',
  },
  description: text(256),
});

/** Null stands for a member that is not set, or that an update clears. */
const details = {
  addresses: group({ primary: address, additional1: address, additional2: address }),
  contact: group({
    primaryEmail: text(256),
    secondaryEmail: text(256),
    mobilePhone: text(32),
    otherPhone: text(32),
  }),
  naturalPerson: group({
    favoriteName: text(256),
    socialName: text(256),
    gender: text(100),
    birthDate: date,
    civilStatus: text(100),
    nationality: text(100),
    motherName: text(256),
    fatherName: text(256),
    status: text(100),
  }),
  legalPerson: group({
    tradeName: text(256),
    activity: text(256),
    type: text(100),
    foundingDate: date,
    size: text(100),
    status: text(100),
    representative: group({
      name: text(256),
      document: text(100),
      email: text(256),
      role: text(100),
    }),
  }),
} as const;

export const createHolderBody = record(
  {
    externalId: text(256),
    type: { type: 'string', enum: HOLDER_TYPES, wrongType },
    name: { ...name(256), wrongType },
    document: { ...name(100), wrongType },
    ...details,
    metadata: newMetadata,
  },
  ['type', 'name', 'document'],
) satisfies Schema;

/** Nested objects are merged member by member; type and document never change. */
export const updateHolderBody = record(
  {
    externalId: text(256),
    name: { ...name(256), neverNull: true, emptyIsAbsent: true, wrongType },
    ...details,
    metadata: changedMetadata,
  },
  [],
) satisfies Schema;

const addressView = {
  title: 'HolderAddress',
  ...record(
    {
      line1: shown,
      line2: { type: ['string', 'null'] },
      zipCode: shown,
      city: shown,
      state: shown,
      country: { type: 'string', description: 'ISO 3166-1 alpha-2' },
      description: shown,
    },
    ['line1', 'line2', 'zipCode', 'city', 'state', 'country'],
  ),
} as const;

export const holderSchema = {
  title: 'Holder',
  ...record(
    {
      id: uuid,
      externalId: shown,
      type: { type: 'string', enum: HOLDER_TYPES },
      name: shown,
      document: shown,
      addresses: optional({
        primary: addressView,
        additional1: addressView,
        additional2: addressView,
      }),
      contact: optional({
        primaryEmail: shown,
        secondaryEmail: shown,
        mobilePhone: shown,
        otherPhone: shown,
      }),
      naturalPerson: optional({
        favoriteName: shown,
        socialName: shown,
        gender: shown,
        birthDate: day,
        civilStatus: shown,
        nationality: shown,
        motherName: shown,
        fatherName: shown,
        status: shown,
      }),
      legalPerson: optional({
        tradeName: shown,
        activity: shown,
        type: shown,
        foundingDate: day,
        size: shown,
        status: shown,
        representative: optional({ name: shown, document: shown, email: shown, role: shown }),
      }),
      metadata: metadataView,
      createdAt: instant,
      updatedAt: instant,
      deletedAt: instantOrNull,
    },
    ['id', 'type', 'name', 'document', 'createdAt', 'updatedAt', 'deletedAt'],
  ),
} as const satisfies Schema;

/** Shows a holder with its person, in the order of the schema, at every depth. */
export function holderView({ sealed: _, ...holder }: HolderRecord, person: Person): object {
  return ordered(holderSchema, { ...holder, ...person });
}
