import { membersOf, type Glossary } from '#src/kernel/descriptions.ts';
import { accountMembers, STATUS } from './account-members.ts';

const TITLE = 'At most 255 characters; need not be unique.';
const LEDGER_NAME =
  'At most 256 characters; unique among the ledgers of the organization, whatever its letter case.';
const ACCOUNT_TYPE_NAME = 'At most 100 characters; need not be unique.';
const SEGMENT_NAME = 'At most 256 characters; unique among the segments of the ledger.';

/** Describes the members of organizations, ledgers and the records in them. */
export const recordMembers: Glossary = {
  organizationId: 'The organization that it belongs to.',
  ledgerId: 'The ledger that it belongs to.',
  ...forRoutes(
    'ledgerId',
    'The ledger that it belongs to; absent if it belongs to the organization as a whole.',
  ),
  name: 'At most 256 characters; need not be unique.',
  status: STATUS,
  'status.code': 'A word for the state, such as ACTIVE. Any code may follow any other.',
  'status.description': 'The reason for the status, for people.',
  'RequestedStatus.code': 'A word for the state, such as ACTIVE. Any code may follow any other.',
  'RequestedStatus.description': 'The reason for the status, for people.',

  parentOrganizationId: 'The organization above this one; null if there is none.',
  legalName: 'The registered name, of at most 256 characters; need not be unique.',
  doingBusinessAs: 'The trade name, of at most 256 characters; null if there is none.',
  legalDocument: 'The number in a public register, of at most 256 characters. It never changes.',
  address: 'The postal address. An update replaces it as a whole.',
  line1: 'Street and number, at most 256 characters.',
  line2: 'A further line of at most 256 characters; null if there is none.',
  zipCode: 'The postal code, at most 20 characters.',
  city: 'At most 100 characters.',
  state: 'The state or province, at most 100 characters.',
  country: 'Two letters of ISO 3166-1 in upper case; required if the address has any other member.',
  'address.description': 'A note on the address, at most 100 characters.',
  'RequestedAddress.description': 'A note on the address, at most 100 characters.',

  'CreateLedgerRequest.name': LEDGER_NAME,
  'UpdateLedgerRequest.name': LEDGER_NAME,
  'UpdateLedgerV2Request.name': LEDGER_NAME,
  'Ledger.name': LEDGER_NAME,
  'LedgerV2.name': LEDGER_NAME,
  'CreateLedgerRequest.settings': 'The settings that differ from their defaults.',
  'Ledger.settings': 'All settings in effect; absent until one is set.',
  'LedgerV2.settings': 'All settings in effect; absent until one is set.',
  accounting: 'The rules for accounts and transactions.',
  validateAccountType:
    'Whether the type of a new account must be the key of an account type; external accounts are exempt. By default false.',
  validateRoutes:
    'Whether transactions must name a transaction route and follow it. By default false.',
  requireHolder: 'Whether new accounts must name a holder. By default false.',
  'settings.tracer': 'The check of transactions by an external reservation service.',
  'LedgerSettings.tracer': 'The check of transactions by an external reservation service.',
  'LedgerSettingsV2.tracer': 'The check of transactions by an external reservation service.',
  'UpdateLedgerSettingsRequest.tracer':
    'The check of transactions by an external reservation service.',
  mode: 'Whether the check is off (the default), advises, or is enforced.',
  failPosture:
    'Whether transactions pass (`open`, the default) or are refused (`closed`) while the service cannot be reached.',
  timeoutMs: 'How long the check may take, in milliseconds. By default 250.',
  overrides: 'The checks that a single request may skip.',
  allowFeeSkip: 'Whether a transaction may set `skip.fees`. By default false.',
  allowTracerSkip: 'Whether a transaction may set `skip.tracer`. By default false.',
  allowHolderSkip: 'Whether a new account may set `skip.holder`. By default false.',
  'settings.crossLedger': 'Transactions over several ledgers, in version 2.',
  'LedgerSettingsV2.crossLedger': 'Transactions over several ledgers, in version 2.',
  'UpdateLedgerSettingsRequest.crossLedger': 'Transactions over several ledgers, in version 2.',
  enabled: 'Whether the ledger may take part. By default false.',

  'Asset.type': 'A `currency` or `fiat` has a code of ISO 4217. The type never changes.',
  'CreateAssetRequest.type':
    'A `currency` or `fiat` must have a code of ISO 4217. The type never changes.',
  'Asset.code': 'Unique in the ledger. It never changes.',
  'CreateAssetRequest.code':
    'At most 100 letters in upper case, unique in the ledger. It never changes.',
  'UpdateAssetRequest.name': 'At most 256 characters. Required; `""` leaves it unchanged.',
  'UpdateAssetV2Request.name': 'At most 256 characters. Required; `""` leaves it unchanged.',

  'AssetRate.from': 'The code of the asset to convert from.',
  'AssetRate.to': 'The code of the asset to convert to.',
  'PutAssetRateRequest.from':
    'The code of the asset to convert from; the asset need not be in the ledger.',
  'PutAssetRateRequest.to':
    'The code of the asset to convert to; the asset need not be in the ledger.',
  'AssetRate.rate': 'The digits of the rate; its value is rate × 10^−scale.',
  'PutAssetRateRequest.rate': 'The digits of the rate, from 1; its value is rate × 10^−scale.',
  'AssetRate.scale': 'The number of digits of `rate` after the decimal point.',
  'PutAssetRateRequest.scale': 'The number of digits of `rate` after the decimal point.',
  'AssetRate.source': 'Where the rate comes from; null if you did not say.',
  'PutAssetRateRequest.source':
    'Where the rate comes from, at most 200 characters. Null if you leave it out.',
  'AssetRate.ttl': 'How long the rate is meant to be used, in seconds.',
  'AssetRate.externalId': 'Your id for the rate. Several pairs of assets may have the same.',
  'PutAssetRateRequest.externalId':
    'Your id for the rate; generated if you send none. Several pairs of assets may have the same.',

  'CreateSegmentRequest.name': SEGMENT_NAME,
  'UpdateSegmentRequest.name': SEGMENT_NAME,
  'UpdateSegmentV2Request.name': SEGMENT_NAME,
  'Segment.name': SEGMENT_NAME,

  entityId: 'The id of the owner in your system, at most 256 characters.',

  'CreateAccountTypeRequest.name': ACCOUNT_TYPE_NAME,
  'UpdateAccountTypeRequest.name': ACCOUNT_TYPE_NAME,
  'UpdateAccountTypeV2Request.name': ACCOUNT_TYPE_NAME,
  'AccountType.name': ACCOUNT_TYPE_NAME,
  'CreateAccountTypeRequest.description': 'At most 500 characters.',
  'UpdateAccountTypeRequest.description': 'At most 500 characters.',
  'UpdateAccountTypeV2Request.description': 'At most 500 characters.',
  'AccountType.description': 'A note for people; absent if there is none.',
  keyValue:
    'The `type` of its accounts: at most 50 of A-Z, a-z, 0-9, _ and -, kept in lower case, unique in the ledger. It never changes.',
  defaultDirection:
    'The direction of the default balance of accounts opened from now on. Unset counts as credit.',

  ...accountMembers,
  exceptions: '1 to 100 exceptions; all are created, or none.',
  'exceptions.accountAlias': 'The account that one debit may leave although it is blocked.',
  'exceptions.amount': 'The exact amount of that debit, above 0.',
  'exceptions.accountBlockExceptionId': 'Send it with the transaction that makes the debit.',
  expiresAt: 'The exception cannot be used after this time, in UTC.',

  title: TITLE,
  operationType: 'The side of a transaction that the route is for. It never changes.',
  account: 'The accounts that a leg with this route may name; absent if any may.',
  ruleType: 'Whether `validIf` names an alias or account types.',
  validIf: 'One alias, or a list of account types.',
  accountingEntries:
    'The accounting entries by action. An update merges them one by one: null for an entry removes it, and null for all removes all.',
  direct:
    'For a transaction that settles at once. Every other entry but block and unblock needs it.',
  hold: 'For amounts that a pending transaction holds. Not for destinations; comes with commit and cancel.',
  commit: 'For the commit of a pending transaction.',
  cancel: 'For the cancellation of a pending transaction. Not for destinations.',
  revert: 'For the reversal of a transaction. Only for bidirectional routes.',
  overdraft: 'For the part of a debit that uses the overdraft.',
  block: 'For funds that are blocked.',
  unblock: 'For funds that are unblocked.',
  'accountingEntries.crossLedger':
    'For what leaves or enters the ledger of a transaction over several.',
  'RequestedEntry.debit': 'The rubric of the debit side.',
  'RequestedEntry.credit': 'The rubric of the credit side.',
  'debit.code': 'The code of the rubric, at most 50 characters. Operations show it as `routeCode`.',
  'credit.code':
    'The code of the rubric, at most 50 characters. Operations show it as `routeCode`.',
  'debit.description': 'At most 250 characters. Operations show it as `routeDescription`.',
  'credit.description': 'At most 250 characters. Operations show it as `routeDescription`.',
  operationRoutes: 'The operation routes that the legs may follow.',
  'CreateTransactionRouteRequest.operationRoutes':
    '1 to 100 ids of operation routes, with a source and a destination among them.',
  'UpdateTransactionRouteRequest.operationRoutes':
    '2 to 100 ids, which replace the operation routes it has.',
  'UpdateTransactionRouteV2Request.operationRoutes':
    '2 to 100 ids, which replace the operation routes it has.',
  'UpdateOrganizationTransactionRouteV2Request.operationRoutes':
    '2 to 100 ids, which replace the operation routes it has.',
  ...membersOf(
    [
      ...['direct', 'hold', 'commit', 'cancel', 'revert'],
      ...['overdraft', 'block', 'unblock', 'crossLedger'],
    ],
    {
      debit: 'The rubric of the debit side; null if there is none.',
      credit: 'The rubric of the credit side; null if there is none.',
    },
  ),
  ...forRoutes('description', 'At most 250 characters.'),
  ...forRoutes('code', 'A code of your own, at most 100 characters. Use the codes of the entries.'),
};

/** Describes a member of the bodies of operation routes and transaction routes. */
function forRoutes(member: string, sentence: string): Glossary {
  const titles = ['Operation', 'Transaction'].flatMap((kind) => [
    `${kind}Route`,
    `Create${kind}RouteRequest`,
    `Update${kind}RouteRequest`,
    `Update${kind}RouteV2Request`,
    `UpdateOrganization${kind}RouteV2Request`,
  ]);
  return membersOf(titles, { [member]: sentence });
}
