import type {
  PartyRole,
  PlainBankingDetails,
  ProtectedDetails,
  RelatedParty,
} from '#src/events/registry/instrument.ts';
import { refuse } from '#src/events/registry/refusals.ts';
import type { IdSource } from '#src/kernel/decider.ts';
import type { Finding } from '#src/kernel/errors.ts';
import { merged, withDay, type ChangedDetails } from './person.ts';

/** Banking details and regulatory fields as a request has them; null clears a member. */
export type DetailChanges = Readonly<{
  bankingDetails?: ChangedDetails | null | undefined;
  regulatoryFields?: ChangedDetails | null | undefined;
}>;

export type InstrumentDetails = Readonly<{
  bankingDetails?: PlainBankingDetails | undefined;
  details: ProtectedDetails;
}>;

/** Returns the details of an instrument after a change, which is merged as that of a person is. */
export function changedDetails(
  { bankingDetails: plain, details: before }: InstrumentDetails,
  { bankingDetails, regulatoryFields }: DetailChanges,
): InstrumentDetails {
  const { document, account: oldAccount, iban: oldIban, participantDocument: participant } = before;
  const known = { ...plain, ...present({ account: oldAccount, iban: oldIban }) };
  const banking = withDay(
    withDay(merged(known, bankingDetails), 'openingDate'),
    'closingDate',
  ) as BankingTexts;
  const regulatory = merged(
    present({ participantDocument: participant }),
    regulatoryFields,
  ) as RegulatoryTexts;
  const { account, iban, ...others } = banking ?? {};
  const { participantDocument } = regulatory ?? {};
  return {
    ...(Object.keys(others).length > 0 && { bankingDetails: others }),
    details: present({ document, account, iban, participantDocument }),
  };
}

type BankingTexts = (PlainBankingDetails & Readonly<Record<string, string>>) | undefined;
type RegulatoryTexts = Readonly<{ participantDocument?: string }> | undefined;

const present = <Member extends string>(
  texts: Readonly<Record<Member, string | undefined>>,
): Readonly<Partial<Record<Member, string>>> =>
  Object.fromEntries(Object.entries(texts).filter(([, value]) => value !== undefined)) as Readonly<
    Partial<Record<Member, string>>
  >;

/** A related party as a request has it. */
export type SentParty = Readonly<{
  document?: string | undefined;
  name?: string | undefined;
  role?: PartyRole | undefined;
  startDate?: string | undefined;
  endDate?: string | null | undefined;
}>;

/**
 * Gives each party an id. Errors: the refusal of the first member that is missing, or of an end before the start, with
 * the findings of all.
 */
export function newParties(
  sent: readonly SentParty[] | undefined,
  ids: IdSource,
): readonly RelatedParty[] {
  const wrong = (sent ?? []).flatMap(mistakesOf);
  const [first] = wrong;
  if (first !== undefined) {
    throw refuse(first.refusal, `${first.location} ${first.message}.`, {
      findings: wrong.map(({ refusal: _, ...finding }) => finding),
    });
  }
  return (sent ?? []).map((party) => {
    const { document, name, role, startDate, endDate } = party as CompleteParty;
    const end = typeof endDate === 'string' && { endDate: endDate.slice(0, 10) };
    return { id: ids.next(), document, name, role, startDate: startDate.slice(0, 10), ...end };
  });
}

type CompleteParty = Required<SentParty> &
  Readonly<Record<'document' | 'name' | 'startDate', string>> &
  Readonly<{ role: PartyRole }>;

function mistakesOf(party: SentParty, n: number): readonly PartyFinding[] {
  const at = (member: string) => `relatedParties[${n}].${member}`;
  const missing = REQUIRED.filter(([member]) => (party[member] ?? '') === '').map(
    ([member, refusal]) => ({ refusal, location: at(member), message: 'is required' }),
  );
  const { startDate, endDate } = party;
  const isReversed =
    typeof startDate === 'string' && typeof endDate === 'string' && endDate < startDate;
  const reversed = {
    refusal: 'RELATED_PARTY_END',
    location: at('endDate'),
    message: 'must not be before startDate',
    value: endDate,
  } as const;
  return isReversed ? [...missing, reversed] : missing;
}

const REQUIRED = [
  ['document', 'RELATED_PARTY_DOCUMENT'],
  ['name', 'RELATED_PARTY_NAME'],
  ['role', 'RELATED_PARTY_ROLE'],
  ['startDate', 'RELATED_PARTY_START'],
] as const;

type PartyFinding = Finding &
  Readonly<{ refusal: (typeof REQUIRED)[number][1] | 'RELATED_PARTY_END' }>;
