import { membersOf, type Glossary } from '#src/kernel/descriptions.ts';

const SEARCHED = 'It is stored encrypted; lists find it by exactly this text.';
const ADDED =
  'Persons to add to those there are, at most 100; each gets an id. Their own operation removes them.';

/** Describes the members of instruments and of what opens an account with one. */
export const instrumentMembers: Glossary = {
  ledgerId: 'The ledger of the account. It never changes.',
  accountId:
    'The account that the instrument is for. An account has one instrument that is not deleted. It never changes.',
  holderId: 'The holder that it belongs to.',

  bankingDetails:
    'How banks address the account. An update merges the members; null removes one, or all.',
  branch: 'The number of the bank branch, at most 50 characters.',
  'bankingDetails.account': `The number of the account at the bank, at most 50 characters. ${SEARCHED}`,
  'bankingDetails.type': 'The kind of account, such as CACC or SVGS: at most 10 characters.',
  openingDate: 'YYYY-MM-DD, or a date-time, of which the date in UTC is kept.',
  closingDate:
    'YYYY-MM-DD, or a date-time, of which the date in UTC is kept; not before the day on which the instrument was created.',
  iban: `The international account number, at most 34 characters; its check digits are not checked. ${SEARCHED}`,
  countryCode: 'The country of the bank in two letters; it is not checked.',
  bankId: 'The code of the bank, at most 50 characters.',
  regulatoryFields:
    'Facts for supervisors. An update merges the members; null removes one, or all.',
  participantDocument: `The document of the participant, at most 100 characters. ${SEARCHED}`,

  relatedParties: 'Persons who may act on the account, at most 100 in a request.',
  'UpdateInstrumentRequest.relatedParties': ADDED,
  'UpdateInstrumentV2Request.relatedParties': ADDED,
  ...membersOf(['RequestedRelatedParty', 'RelatedParty'], {
    document: `The number of an identity document, at most 100 characters. ${SEARCHED}`,
    name: 'The full name, at most 256 characters. It is stored encrypted.',
    role: 'What the person is to the account.',
  }),
  startDate:
    'The first day of the role: YYYY-MM-DD, or a date-time, of which the date in UTC is kept.',
  endDate:
    'The last day of the role, not before `startDate`; null or absent while there is no end.',

  'OpenHolderAccountResponse.account': 'The new account.',
  'OpenHolderAccountResponse.instrument':
    'The new instrument; null if none was requested, or if it was refused.',
  instrumentError:
    'Why the instrument was refused although the account was opened; absent otherwise.',
  'instrumentError.status': 'Always FAILED.',
};
