import { membersOf, type Glossary } from '#src/kernel/descriptions.ts';

const NAME_CHANGE = 'At most 256 characters. `""` leaves it unchanged, and null is refused.';
const ENCRYPTED = 'It is stored encrypted.';
const SEARCHED = `${ENCRYPTED} Lists find it by exactly this text.`;

/** Describes the members of holders. */
export const holderMembers: Glossary = {
  externalId: 'Your id for the holder, at most 256 characters; need not be unique.',
  type: 'Whether the holder is a person or an organization. It never changes.',
  name: `The full name, at most 256 characters. ${ENCRYPTED}`,
  'UpdateHolderRequest.name': NAME_CHANGE,
  'UpdateHolderV2Request.name': NAME_CHANGE,
  document: `The number of an identity document or register, at most 100 characters; unique among the holders of the organization that are not deleted. It never changes. ${SEARCHED}`,

  addresses:
    'Up to three postal addresses, stored encrypted. An update merges them member by member; null removes one.',
  primary: 'The main postal address.',
  additional1: 'A second postal address.',
  additional2: 'A third postal address.',
  line1: 'Street and number, at most 256 characters.',
  line2: 'A further line of at most 256 characters; null if there is none.',
  zipCode: 'The postal code, at most 256 characters.',
  city: 'At most 256 characters.',
  state: 'The state or province, at most 256 characters.',
  description: 'A note on the address, at most 256 characters.',
  country: 'Two letters of ISO 3166-1 in upper case.',
  ...membersOf(['HolderAddress'], {
    line1: 'Street and number; empty if not set.',
    zipCode: 'The postal code; empty if not set.',
    city: 'Empty if not set.',
    state: 'The state or province; empty if not set.',
    description: 'A note on the address; absent if there is none.',
  }),

  contact:
    'Email addresses and phone numbers, stored encrypted. An update merges them; null removes one.',
  primaryEmail: 'The email address to use first, at most 256 characters; its form is not checked.',
  secondaryEmail: 'A further email address, at most 256 characters; its form is not checked.',
  mobilePhone: 'At most 32 characters; its form is not checked.',
  otherPhone: 'A further phone number, at most 32 characters; its form is not checked.',

  naturalPerson:
    'Facts about a person. An update merges them; null removes one. Holders of either type may have them.',
  favoriteName: 'The name that the person prefers, at most 256 characters.',
  socialName: 'The name that the person uses in public, at most 256 characters.',
  gender: 'Any text of at most 100 characters.',
  birthDate: 'YYYY-MM-DD, or a date-time, of which the date in UTC is kept.',
  civilStatus: 'Such as single or married: any text of at most 100 characters.',
  nationality: 'Any text of at most 100 characters.',
  motherName: `The full name of the mother, at most 256 characters. ${ENCRYPTED}`,
  fatherName: `The full name of the father, at most 256 characters. ${ENCRYPTED}`,
  status: 'A word of your own for the state, at most 100 characters. It has no effect.',

  legalPerson:
    'Facts about an organization. An update merges them; null removes one. Holders of either type may have them.',
  tradeName: 'The name under which it does business, at most 256 characters.',
  activity: 'What it does, at most 256 characters.',
  'legalPerson.type': 'The legal form, at most 100 characters.',
  foundingDate: 'YYYY-MM-DD, or a date-time, of which the date in UTC is kept.',
  size: 'A word of your own for the size, at most 100 characters.',
  representative:
    'The person who acts for the organization. An update merges the members; null removes it.',
  'representative.name': `At most 256 characters. ${ENCRYPTED}`,
  'representative.document': `The number of an identity document, at most 100 characters. ${ENCRYPTED}`,
  email: `At most 256 characters; its form is not checked. ${ENCRYPTED}`,
  role: 'The position in the organization, at most 100 characters.',
};
