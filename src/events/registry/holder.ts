import type { Address, Metadata } from '#src/events/shared.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { Lifetime } from '#src/kernel/record.ts';

export const HOLDER_TYPES = ['NATURAL_PERSON', 'LEGAL_PERSON'] as const;
export type HolderType = (typeof HOLDER_TYPES)[number];

/** The members of a holder that identify or describe a person, in the order in which responses show them. */
export const PERSON_MEMBERS = [
  ...(['name', 'document', 'addresses', 'contact', 'naturalPerson', 'legalPerson'] as const),
];
export type PersonMember = (typeof PERSON_MEMBERS)[number];

/** A person in plain text, which no event, row, snapshot or log line ever holds. */
export type Person = Readonly<{
  name: string;
  document: string;
  addresses?: Readonly<Record<string, Address>>;
  contact?: PersonDetails;
  naturalPerson?: PersonDetails;
  legalPerson?: PersonDetails;
}>;

export type PersonDetails = Readonly<{ [Member in string]: string | PersonDetails }>;

/** The members of a person, each as JSON text that is encrypted with the key of the record. */
export type SealedPerson = Readonly<Partial<Record<PersonMember, string>>>;

/** A holder as the log has it: once the key of the record is destroyed, nothing tells whom it was about. */
export type HolderRecord = Readonly<{
  id: Uuid;
  organizationId: Uuid;
  externalId?: string;
  type: HolderType;
  sealed: SealedPerson;
  metadata?: Metadata;
}> &
  Omit<Lifetime, 'id'>;
