import type { Glossary } from '#src/kernel/descriptions.ts';

const DISCOUNT =
  'The discount of a billing charge, as its calculation returned it: an object with `discountPercentage`, `discountAmount` and `minQuantity`.';

/** Describes the members of transactions as they are requested. */
export const newTransactionMembers: Glossary = {
  description: 'At most 256 characters. Operations without one take that of the transaction.',
  code: 'Your reference, at most 100 characters. It is recorded, but responses do not show it.',
  chartOfAccountsGroupName:
    'The name of a group in your chart of accounts, at most 256 characters.',
  chartOfAccounts: 'A code of your chart of accounts, at most 256 characters.',
  pending: 'Whether the amounts are only held, until you commit or cancel. By default false.',
  route: 'The former spelling of `routeId`, which takes precedence.',
  routeId: 'The transaction route to follow; required if the ledger validates routes.',
  'RequestedLeg.routeId': 'The operation route of this leg.',
  operationRouteId: 'The operation route of this leg. By default that of the request.',
  transactionDate:
    'When it took place, in the past; by default now. A date alone means 00:00 UTC. Not with `pending`.',
  skip: 'The checks that this request skips, if the ledger allows it.',
  fees: 'Whether no fees are charged.',
  tracer: 'Whether the external reservation service is not asked.',
  send: 'What is moved, from where and to where.',
  asset: 'The code of the asset of all amounts.',
  value: 'An amount above 0.',
  'send.value': 'The amount to move, above 0: the sum of each side.',
  source: 'The side that is debited.',
  distribute: 'The side that is credited.',
  'source.from': '1 to 500 legs that add up to `send.value`.',
  'distribute.to': '1 to 500 legs that add up to `send.value`.',
  'RequestedLeg.description':
    'At most 256 characters, shown in the operation. By default that of the transaction.',
  'RequestedLeg.remaining':
    'Any text, such as `remaining`: the leg takes what the others leave. At most one leg on each side.',
  accountAlias: 'The alias of the account.',
  'RequestedLeg.accountAlias':
    'The alias of an account of the ledger, or `@external/` and the code of the asset.',
  'RequestedLegV2.alias': 'The alias of an account, or `@external/` and the code of the asset.',
  'RequestedLegV2.organizationId': 'The organization of the account.',
  'RequestedLegV2.ledgerId': 'The ledger of the account.',
  balanceKey: 'Names the balance within its account. By default `default`.',
  amount: 'The amount, as a decimal in plain notation.',
  'RequestedLeg.amount': 'The amount of the leg. A leg has an amount, a share, or the remainder.',
  'RequestedLegV2.amount': 'The amount of the leg, above 0. A leg has an amount or a share.',
  'amount.asset': 'The code of the asset: that of the whole request.',
  share: 'A part of the total, instead of an amount.',
  percentage: 'The part of the total, in whole percent from 1 to 100.',
  percentageOfPercentage: 'The part of that part, in whole percent; 0 counts as 100.',
  rate: 'The exchange rate for your records. It converts nothing.',
  'rate.from': 'The code of the asset to convert from.',
  'rate.to': 'The code of the asset to convert to.',
  'rate.value': 'The rate.',
  'rate.externalId': 'Your id for the rate.',
  debits: '1 to 500 legs that are debited and add up to `amount`.',
  credits: '1 to 500 legs that are credited and add up to `amount`.',
  scheme: 'The payment scheme, for your records.',
  accountBlockExceptionId:
    'A one-time exception that lets one debit leave a blocked account. It fits that account and amount only.',

  feeExemption:
    'Why no fee was charged, as a calculation of fees returned it: an object with `exempt`, `reason` and `message`.',
  'Requested-metadata-fees.discount': DISCOUNT,
  'Requested-metadata-fees-patch.discount': DISCOUNT,
  'Requested-metadata-billed.discount': DISCOUNT,
};
