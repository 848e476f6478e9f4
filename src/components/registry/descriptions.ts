import { newAccountMembers } from '#src/components/ledger/account-members.ts';
import { membersOf, type Descriptions } from '#src/kernel/descriptions.ts';
import { holderMembers } from './holder-members.ts';
import { instrumentMembers } from './instrument-members.ts';
import { protectionMembers } from './protection-members.ts';

const INSTRUMENT = 'The id of the instrument, a UUID.';

/** The sentences of the customer registry for readers of the API. */
export const descriptions: Descriptions = {
  tags: {
    Holders: 'The customers of an organization, whose personal data is encrypted.',
    Instruments:
      'What makes an account of a holder known outside: banking details and related parties. Version 1 calls them aliases.',
    Protection: 'The encryption of personal data, and the audit records of its setup.',
  },
  members: {
    ...holderMembers,
    ...instrumentMembers,
    ...protectionMembers,
    ...membersOf(['OpenHolderAccountRequest'], newAccountMembers),
  },
  parameters: {
    holder_id: 'The id of the holder, a UUID.',
    instrument_id: INSTRUMENT,
    alias_id: INSTRUMENT,
    related_party_id: 'The id of the related party, a UUID.',
    erasure_certificate_id: 'The id from the header `X-Erasure-Certificate` of a hard deletion.',
    external_id: 'Lists only holders with this `externalId`.',
    document: 'Lists only those with exactly this `document`; letter case counts.',
    account_id: 'Lists only the instruments of this account.',
    banking_details_branch: 'Lists only instruments with this `bankingDetails.branch`.',
    banking_details_account:
      'Lists only instruments with exactly this `bankingDetails.account`; letter case counts.',
    banking_details_iban:
      'Lists only instruments with exactly this `bankingDetails.iban`; letter case counts.',
    regulatory_fields_participant_document:
      'Lists only instruments with exactly this `regulatoryFields.participantDocument`; letter case counts.',
    related_party_document:
      'Lists only instruments with a related party that has exactly this `document`; letter case counts.',
    related_party_role: 'Lists only instruments with a related party in this role.',
    action: 'Lists only attempts with this `action`.',
    actor: 'Lists only attempts of this `actor`.',
    outcome: 'Lists only attempts with this outcome.',
  },
};
