import type { Metadata } from '#src/events/shared.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { Lifetime } from '#src/kernel/record.ts';
import type { HolderType } from './holder.ts';

export const PARTY_ROLES = [
  ...(['PRIMARY_HOLDER', 'LEGAL_REPRESENTATIVE', 'RESPONSIBLE_PARTY'] as const),
];
export type PartyRole = (typeof PARTY_ROLES)[number];

/** The members of an instrument that identify a person or an account at a bank. */
export const PROTECTED_MEMBERS = [
  ...(['document', 'account', 'iban', 'participantDocument'] as const),
];
export type ProtectedMember = (typeof PROTECTED_MEMBERS)[number];

/** The protected members in plain text, which no event, row, snapshot or log line ever holds. */
export type ProtectedDetails = Readonly<Partial<Record<ProtectedMember, string>>>;

/** Dates are in the form YYYY-MM-DD. */
export type PlainBankingDetails = Readonly<
  Partial<
    Record<'branch' | 'type' | 'openingDate' | 'closingDate' | 'countryCode' | 'bankId', string>
  >
>;

/** A related party in plain text. */
export type RelatedParty = Readonly<{
  id: Uuid;
  document: string;
  name: string;
}> &
  PartyTerms;

type PartyTerms = Readonly<{ role: PartyRole; startDate: string; endDate?: string }>;

export type SealedParty = Readonly<{
  id: Uuid;
  sealed: Readonly<Record<'document' | 'name', string>>;
}> &
  PartyTerms;

/**
 * An account of a holder as the registry knows it, called an alias account in version 1. The document and the type are
 * those of the holder, where neither ever changes.
 */
export type InstrumentRecord = Readonly<{
  id: Uuid;
  organizationId: Uuid;
  holderId: Uuid;
  ledgerId: Uuid;
  accountId: Uuid;
  type: HolderType;
  sealed: Readonly<Partial<Record<ProtectedMember, string>>>;
  bankingDetails?: PlainBankingDetails;
  relatedParties?: readonly SealedParty[];
  metadata?: Metadata;
}> &
  Omit<Lifetime, 'id'>;
