import { membersOf, type Glossary } from '#src/kernel/descriptions.ts';

export const STATUS =
  'For your information only: it neither allows nor stops movements. By default ACTIVE.';

const references: Glossary = {
  parentAccountId: 'An account of the same ledger and asset; null if there is none.',
  portfolioId: 'A portfolio of the ledger; null if the account is in none.',
  segmentId: 'A segment of the ledger; null if the account is in none.',
  blocked: 'Whether every movement of the account is refused. By default false.',
  'skip.holder': 'Whether the account may have no holder although the ledger requires one.',
};

/** Describes the members of bodies that open an account: that of the ledger, and that of a holder. */
export const newAccountMembers: Glossary = {
  ...references,
  name: 'At most 256 characters. By default it is made of the asset code and the type.',
  entityId:
    'The id of the owner in your system, at most 256 characters. By default that of the portfolio.',
  assetCode: 'The code of an asset of the ledger. All balances of the account are in it.',
  status: STATUS,
  alias:
    'The name that transactions use: at most 100 of A-Z, a-z, 0-9, @, :, _ and -, unique in the ledger. By default the id.',
  type: 'At most 256 characters, kept in lower case: any text, unless the ledger validates account types.',
  skip: 'The checks that this request skips, if the ledger allows it.',
};

/** Describes the members of accounts. */
export const accountMembers: Glossary = {
  ...references,
  holderId: 'The owner in the customer registry; external accounts have none.',
  assetCode: 'The code of the asset of all its amounts.',
  alias: 'The alias of the account.',
  'Account.alias': 'The name that transactions use, unique in the ledger. It never changes.',
  'Account.type': 'The kind of account, in lower case. It never changes.',
  holderCheckSkipped: 'Whether the account was opened with `skip.holder`.',
  closedAt: 'When the account was closed for good, in UTC; null while it is open.',
  ...membersOf(['CreateAccountRequest'], {
    ...newAccountMembers,
    holderId:
      'The owner in the customer registry. By default that of the organization, unless the ledger requires a holder.',
  }),
};
