import type { LedgerRefusalName } from '#src/events/ledger/refusals.ts';
import type { Explanations } from '#src/kernel/explanation.ts';

/** Refusals about organizations, ledgers, assets, accounts, and the records to which they refer. */
export const recordExplanations = {
  ORGANIZATION_NOT_FOUND:
    'The organization in the path does not exist or was deleted, so nothing below it can be reached.',
  LEDGER_NOT_FOUND:
    'The ledger in the path does not exist, was deleted, or belongs to another organization, so nothing below it ' +
    'can be reached.',
  PARENT_ORGANIZATION_NOT_FOUND: 'parentOrganizationId names no organization, or a deleted one.',
  COUNTRY_INVALID:
    'The country of an address is missing or is not an ISO 3166-1 alpha-2 code in upper case.',
  LEDGER_NAME_TAKEN:
    'The organization has a ledger of this name; upper and lower case count as the same.',
  ASSET_TAKEN: 'The ledger has an asset with this name or this code.',
  CODE_NOT_UPPER_CASE: 'Asset codes are written in upper case.',
  NOT_ISO_4217:
    'An asset of type currency needs a currency code of ISO 4217. Other things of value have other types.',
  CODE_CHARACTERS: 'Asset codes consist of letters alone.',
  TYPE_NOT_ALLOWED: 'The type of an asset is one of currency, fiat, crypto, commodity and others.',
  SEGMENT_NAME_TAKEN:
    'The ledger has a segment of this name. Names are compared with their letter case.',
  ACCOUNT_TYPE_TAKEN:
    'The ledger has an account type with this key; upper and lower case count as the same.',
  ACCOUNT_TYPE_NOT_FOUND: 'No account type of the ledger has this id, or it was deleted.',
  ACCOUNT_TYPE_UNKNOWN:
    'The settings of the ledger let accounts be of registered account types only, and no live one has this key.',
  ACCOUNT_TYPE_KEY_INVALID:
    'The key of an account type is at most 50 letters a to z, digits, _ and -.',
  DEFAULT_DIRECTION_INVALID:
    'The direction in which balances of an account type begin is credit or debit.',
  PARENT_ACCOUNT_INVALID: 'parentAccountId names no live account of the same ledger.',
  PARENT_ACCOUNT_ASSET:
    'An account holds the same asset as its parent account, and this one would not.',
  ASSET_NOT_FOUND:
    'The ledger has no asset of this code, or a leg of the transaction names another asset than the transaction, or ' +
    'a balance that holds another.',
  PORTFOLIO_NOT_FOUND: 'portfolioId names no live portfolio of the ledger.',
  SEGMENT_NOT_FOUND: 'segmentId names no live segment of the ledger.',
  HOLDER_NOT_FOUND:
    'The holder an account is to belong to is not a live holder of the organization.',
  HOLDER_REQUIRED:
    'The settings of the ledger require accounts to name their holder (accounting.requireHolder). skip.holder waives ' +
    'that, where overrides.allowHolderSkip is on.',
  ALIAS_TAKEN:
    'A live account of the ledger has this alias. Aliases are compared with their letter case.',
  ALIAS_INVALID: 'An alias is at most 100 letters, digits and signs of @ : _ and -.',
  ALIAS_NOT_FOUND: 'No live account of the ledger has this alias, or the ledger has no such asset.',
  SETTING_UNKNOWN: 'The settings of a ledger have no such group, or the group has no such member.',
  SETTING_TYPE: 'A setting of a ledger was sent as another JSON type than it has.',
  SETTING_MISPLACED: 'A setting that belongs inside a group was sent beside the groups.',
  SETTING_VALUE:
    'A setting has a value outside its set or range. That includes tracer.mode enforce while no reservation service ' +
    'is configured: nobody would keep that gate.',
  SKIP_NOT_PERMITTED:
    'The request asks to skip a check, and the settings of the ledger do not allow that.',
  OWN_PARENT: 'An organization cannot be its own parent.',
  ACTION_NOT_ALLOWED: {
    means: 'The deployment is one of production, where organizations and ledgers are not deleted.',
    detail: 'Ledgers are not deleted in production.',
    entityType: 'Ledger',
  },
  EXTERNAL_PROTECTED:
    'An @external/ account stands for the world outside: it lives and ends with its asset, and is not edited.',
  BALANCE_BLOCKS_DELETION:
    'An account with money, on hold or available, is not deleted, nor an asset that accounts hold. Move the money ' +
    'first.',
  CLOSED_ALREADY: 'The account was closed before. An account is closed once, and for good.',
  BALANCE_LEFT:
    'A balance of the account has something available. Move it away, then close the account.',
  HOLDS_PENDING:
    'A pending transaction holds funds of the account. Commit or cancel it, then close the account.',
  EXCEPTIONS_MISSING: 'A request for exceptions from blocks names at least one.',
  TOO_MANY_EXCEPTIONS: 'A request for exceptions from blocks names at most 100.',
  EXCEPTION_AMOUNT_INVALID: 'An exception is for an amount above zero.',
  EXCEPTION_TTL_INVALID: 'An exception lives for 1 to 86400 seconds.',
  EXCEPTION_ALIAS_UNKNOWN:
    'An exception names an alias that the ledger does not have. None of the request was granted.',
  FEE_DEBT_OPEN: {
    means:
      'The account, or the balance to delete, owes fees, which would be lost with it. Collect them first.',
    detail: '@alice owes fees.',
    entityType: 'Account',
  },
  BALANCE_NOT_DELETABLE:
    'The balance is not zero, or it awaits a part of a cross-ledger group, or it is the balance of an external ' +
    'account, which is deleted only together with its asset.',
} as const satisfies Partial<Explanations<LedgerRefusalName>>;
