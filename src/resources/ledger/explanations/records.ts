import type { LedgerRefusalName } from '#src/events/ledger/refusals.ts';
import type { Explanation } from '#src/kernel/explanation.ts';

const SOME_ID = '0197f3a0-2222-7aaa-8bbb-000000000002';

/** Organizations, ledgers, assets, accounts, and what they refer to. */
export const recordExplanations = {
  ORGANIZATION_NOT_FOUND: {
    means:
      'The organization in the path does not exist or was deleted, so nothing below it can be reached.',
    detail: 'There is no such organization.',
    entityType: 'Ledger',
  },
  LEDGER_NOT_FOUND: {
    means:
      'The ledger in the path does not exist, was deleted, or belongs to another organization, so nothing below it ' +
      'can be reached.',
    detail: 'There is no such ledger.',
    entityType: 'Account',
  },
  PARENT_ORGANIZATION_NOT_FOUND: {
    means: 'parentOrganizationId names no organization, or a deleted one.',
    detail: 'There is no organization with the id of the parent.',
    errors: [
      { location: 'parentOrganizationId', message: 'names no organization', value: SOME_ID },
    ],
    entityType: 'Organization',
  },
  COUNTRY_INVALID: {
    means:
      'The country of an address is missing or is not an ISO 3166-1 alpha-2 code in upper case.',
    detail: 'An address names its country, by ISO 3166-1 alpha-2.',
    errors: [{ location: 'address.country', message: 'is missing' }],
  },
  LEDGER_NAME_TAKEN: {
    means: 'The organization has a ledger of this name; upper and lower case count as the same.',
    detail: 'The organization has a ledger named Retail.',
    errors: [{ location: 'name', message: 'is taken', value: 'Retail' }],
    entityType: 'Ledger',
  },
  ASSET_TAKEN: {
    means: 'The ledger has an asset with this name or this code.',
    detail: 'The ledger has an asset with the code BRL.',
    errors: [{ location: 'code', message: 'is taken', value: 'BRL' }],
    entityType: 'Asset',
  },
  CODE_NOT_UPPER_CASE: {
    means: 'Asset codes are written in upper case.',
    detail: 'code must be in upper case.',
    errors: [{ location: 'code', message: 'must be in upper case', value: 'brl' }],
  },
  NOT_ISO_4217: {
    means:
      'An asset of type currency needs a currency code of ISO 4217. Other things of value have other types.',
    detail: 'XYZ is not a currency code of ISO 4217.',
    errors: [{ location: 'code', message: 'is not in ISO 4217', value: 'XYZ' }],
  },
  CODE_CHARACTERS: {
    means: 'Asset codes consist of letters alone.',
    detail: 'code must consist of letters.',
    errors: [{ location: 'code', message: 'must consist of letters', value: 'BR1' }],
  },
  TYPE_NOT_ALLOWED: {
    means: 'The type of an asset is one of currency, fiat, crypto, commodity and others.',
    detail: 'type must be one of "currency", "crypto", "commodity", "others", "fiat".',
    errors: [
      {
        location: 'type',
        message: 'must be one of "currency", "crypto", "commodity", "others", "fiat"',
        value: 'stock',
      },
    ],
  },
  SEGMENT_NAME_TAKEN: {
    means: 'The ledger has a segment of this name. Names are compared with their letter case.',
    detail: 'The ledger has a segment named Retail.',
    errors: [{ location: 'name', message: 'is taken', value: 'Retail' }],
    entityType: 'Segment',
  },
  ACCOUNT_TYPE_TAKEN: {
    means: 'The ledger has an account type with this key; upper and lower case count as the same.',
    detail: 'The ledger has an account type with the key savings.',
    errors: [{ location: 'keyValue', message: 'is taken', value: 'savings' }],
    entityType: 'AccountType',
  },
  ACCOUNT_TYPE_NOT_FOUND: {
    means: 'No account type of the ledger has this id, or it was deleted.',
    detail: 'There is no such account type.',
    entityType: 'AccountType',
  },
  ACCOUNT_TYPE_UNKNOWN: {
    means:
      'The settings of the ledger let accounts be of registered account types only, and no live one has this key.',
    detail: 'The ledger has no account type loans.',
    errors: [{ location: 'type', message: 'names no account type', value: 'loans' }],
  },
  ACCOUNT_TYPE_KEY_INVALID: {
    means: 'The key of an account type is at most 50 letters a to z, digits, _ and -.',
    detail: 'keyValue must consist of letters from A to Z, digits, _ and -.',
    errors: [
      {
        location: 'keyValue',
        message: 'must consist of letters from A to Z, digits, _ and -',
        value: 'a b',
      },
    ],
  },
  DEFAULT_DIRECTION_INVALID: {
    means: 'The direction in which balances of an account type begin is credit or debit.',
    detail: 'defaultDirection must be one of "credit", "debit".',
    errors: [
      { location: 'defaultDirection', message: 'must be one of "credit", "debit"', value: 'up' },
    ],
  },
  PARENT_ACCOUNT_INVALID: {
    means: 'parentAccountId names no live account of the same ledger.',
    detail: `The ledger has no parent account ${SOME_ID}.`,
    errors: [{ location: 'parentAccountId', message: 'names no parent account', value: SOME_ID }],
  },
  PARENT_ACCOUNT_ASSET: {
    means: 'An account holds the same asset as its parent account, and this one would not.',
    detail: 'The parent account holds USD.',
    errors: [{ location: 'assetCode', message: "differs from the parent's", value: 'BRL' }],
    entityType: 'Account',
  },
  ASSET_NOT_FOUND: {
    means:
      'The ledger has no asset of this code, or a leg of the transaction names another asset than the transaction, or ' +
      'a balance that holds another.',
    detail: 'The ledger has no asset XYZ.',
    errors: [{ location: 'assetCode', message: 'names no asset', value: 'XYZ' }],
    entityType: 'Account',
  },
  PORTFOLIO_NOT_FOUND: {
    means: 'portfolioId names no live portfolio of the ledger.',
    detail: `The ledger has no portfolio ${SOME_ID}.`,
    errors: [{ location: 'portfolioId', message: 'names no portfolio', value: SOME_ID }],
    entityType: 'Account',
  },
  SEGMENT_NOT_FOUND: {
    means: 'segmentId names no live segment of the ledger.',
    detail: `The ledger has no segment ${SOME_ID}.`,
    errors: [{ location: 'segmentId', message: 'names no segment', value: SOME_ID }],
    entityType: 'Account',
  },
  HOLDER_NOT_FOUND: {
    means: 'The holder an account is to belong to is not a live holder of the organization.',
    detail: `The organization has no holder ${SOME_ID}.`,
    errors: [{ location: 'holderId', message: 'names no holder', value: SOME_ID }],
    entityType: 'Account',
  },
  HOLDER_REQUIRED: {
    means:
      'The settings of the ledger require accounts to name their holder (accounting.requireHolder). skip.holder waives ' +
      'that, where overrides.allowHolderSkip is on.',
    detail: 'Accounts of this ledger name their holder.',
    errors: [{ location: 'holderId', message: 'is required here' }],
    entityType: 'Account',
  },
  ALIAS_TAKEN: {
    means:
      'A live account of the ledger has this alias. Aliases are compared with their letter case.',
    detail: 'The ledger has an account with the alias @alice.',
    errors: [{ location: 'alias', message: 'is taken', value: '@alice' }],
    entityType: 'Account',
  },
  ALIAS_INVALID: {
    means: 'An alias is at most 100 letters, digits and signs of @ : _ and -.',
    detail: 'alias must consist of letters from A to Z, digits and @:_-.',
    errors: [
      {
        location: 'alias',
        message: 'must consist of letters from A to Z, digits and @:_-',
        value: 'a b',
      },
    ],
  },
  ALIAS_NOT_FOUND: {
    means: 'No live account of the ledger has this alias, or the ledger has no such asset.',
    detail: 'No account of the ledger has the alias @zoe.',
    entityType: 'Account',
  },
  SETTING_UNKNOWN: {
    means: 'The settings of a ledger have no such group, or the group has no such member.',
    detail: 'accounting.validateColour is not a setting of accounting.',
    errors: [
      {
        location: 'accounting.validateColour',
        message: 'is not a setting of accounting',
        value: true,
      },
    ],
    entityType: 'LedgerSettings',
  },
  SETTING_TYPE: {
    means: 'A setting of a ledger was sent as another JSON type than it has.',
    detail: 'accounting.validateRoutes must be a boolean.',
    errors: [{ location: 'accounting.validateRoutes', message: 'must be a boolean', value: 'yes' }],
    entityType: 'LedgerSettings',
  },
  SETTING_MISPLACED: {
    means: 'A setting that belongs inside a group was sent beside the groups.',
    detail: 'validateRoutes belongs inside accounting.',
    errors: [{ location: 'validateRoutes', message: 'belongs inside accounting', value: true }],
    entityType: 'LedgerSettings',
  },
  SETTING_VALUE: {
    means:
      'A setting has a value outside its set or range. That includes tracer.mode enforce while no reservation service ' +
      'is configured: nobody would keep that gate.',
    detail: 'tracer.mode needs a reservation service, and none is configured.',
    errors: [
      {
        location: 'tracer.mode',
        message: 'needs a reservation service, and none is configured',
        value: 'enforce',
      },
    ],
    entityType: 'LedgerSettings',
  },
  SKIP_NOT_PERMITTED: {
    means: 'The request asks to skip a check, and the settings of the ledger do not allow that.',
    detail: 'The ledger does not allow the holder check to be skipped.',
    errors: [{ location: 'skip.holder', message: 'is not permitted', value: true }],
  },
  OWN_PARENT: {
    means: 'An organization cannot be its own parent.',
    detail: 'An organization cannot be its own parent.',
    errors: [{ location: 'parentOrganizationId', message: 'is its own id', value: SOME_ID }],
    entityType: 'Organization',
  },
  ACTION_NOT_ALLOWED: {
    means: 'The deployment is one of production, where organizations and ledgers are not deleted.',
    detail: 'Ledgers are not deleted in production.',
    entityType: 'Ledger',
  },
  EXTERNAL_PROTECTED: {
    means:
      'An @external/ account stands for the world outside: it lives and ends with its asset, and is not edited.',
    detail: '@external/BRL stands for the world outside.',
    entityType: 'Account',
  },
  BALANCE_BLOCKS_DELETION: {
    means:
      'An account with money, on hold or available, is not deleted, nor an asset that accounts hold. Move the money ' +
      'first.',
    detail: 'The balance of @external/BRL is not zero.',
    entityType: 'Asset',
  },
  CLOSED_ALREADY: {
    means: 'The account was closed before. An account is closed once, and for good.',
    detail: '@alice is closed.',
    entityType: 'Account',
  },
  BALANCE_LEFT: {
    means:
      'A balance of the account has something available. Move it away, then close the account.',
    detail: 'The balance @alice#default is not zero.',
    entityType: 'Account',
  },
  HOLDS_PENDING: {
    means:
      'A pending transaction holds funds of the account. Commit or cancel it, then close the account.',
    detail: 'Something of @alice#default is on hold.',
    entityType: 'Account',
  },
  EXCEPTIONS_MISSING: {
    means: 'A request for exceptions from blocks names at least one.',
    detail: 'exceptions must have at least 1 item.',
    errors: [{ location: 'exceptions', message: 'must have at least 1 item', value: [] }],
  },
  TOO_MANY_EXCEPTIONS: {
    means: 'A request for exceptions from blocks names at most 100.',
    detail: 'exceptions must have at most 100 items.',
    errors: [{ location: 'exceptions', message: 'must have at most 100 items' }],
  },
  EXCEPTION_AMOUNT_INVALID: {
    means: 'An exception is for an amount above zero.',
    detail: 'An exception is for an amount above zero.',
    errors: [{ location: 'exceptions[0].amount', message: 'must be above zero', value: '0' }],
  },
  EXCEPTION_TTL_INVALID: {
    means: 'An exception lives for 1 to 86400 seconds.',
    detail: 'exceptions[0].ttl must be >= 1.',
    errors: [{ location: 'exceptions[0].ttl', message: 'must be >= 1', value: 0 }],
  },
  EXCEPTION_ALIAS_UNKNOWN: {
    means:
      'An exception names an alias that the ledger does not have. None of the request was granted.',
    detail: 'The ledger has no account @zoe, in exceptions[0].',
    errors: [
      { location: 'exceptions[0].accountAlias', message: 'names no account', value: '@zoe' },
    ],
    entityType: 'AccountBlockException',
  },
  FEE_DEBT_OPEN: {
    means: 'The account owes fees, which would be lost with it. Collect them first.',
    detail: '@alice owes fees.',
    entityType: 'Account',
  },
  BALANCE_NOT_DELETABLE: {
    means:
      'The balance is not zero, or it awaits a part of a cross-ledger group, or it is the balance of an external ' +
      'account, which is deleted only together with its asset.',
    detail: '@alice#default is not zero.',
    entityType: 'Balance',
  },
} as const satisfies Partial<Record<LedgerRefusalName, Explanation>>;
