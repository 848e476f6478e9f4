import { newTransactionMembers } from '#src/components/ledger/new-transaction-members.ts';
import { membersOf, type Glossary } from '#src/kernel/descriptions.ts';

const AS_SENT = 'As in the request; absent if the request had none.';
const explain =
  'The calculation of each fee of the package, by priority; empty if no package was applied.';

/** Describes the members of fee calculations and estimates. */
export const calculationMembers: Glossary = {
  ...newTransactionMembers,
  transaction: 'The transaction as you would post it, without fees.',
  'transaction.description':
    'At most 256 characters. Operations without one take that of the transaction.',
  'transaction.code': 'Your reference, at most 100 characters.',
  'transaction.routeId': 'The transaction route. A calculation chooses the package by it.',
  'transaction.pending': 'Whether the amounts would only be held. Fees are the same.',
  'transaction.transactionDate':
    'When it took place, in the past; by default now. Not with `pending`.',
  'CalculateFeesRequest.segmentId':
    'The segment that the package is chosen for. By default the one that all source accounts share.',
  ...membersOf(['CalculateFeesRequest', 'EstimateFeesRequest'], {
    ledgerId: 'The ledger of the accounts and of the package.',
  }),
  packageId: 'The package to apply, even if it is disabled.',

  ...membersOf(['CalculatedFees', 'EstimatedFees.feesApplied'], {
    ledgerId: 'The ledger of the request.',
    explain,
  }),
  'CalculatedFees.transaction':
    'The transaction with its fees, which you can post as it is under version 1.',
  'feesApplied.transaction': 'The transaction as its fees would make it.',
  'CalculatedFees.segmentId': 'As in the request; null if the request had none.',
  'feesApplied.segmentId': 'The segment of the package; absent if it has none.',
  'EstimatedFees.message':
    '`Fees estimated`, or `no matching fee rules found` if there is nothing to charge.',
  feesApplied:
    'The result; null if there is nothing to charge. The transaction has no fees if its value is outside the amounts of the package.',

  ...membersOf(['TransactionWithFees'], {
    chartOfAccountsGroupName: AS_SENT,
    description: AS_SENT,
    code: AS_SENT,
    pending: AS_SENT,
    route: AS_SENT,
    routeId: AS_SENT,
    transactionDate: AS_SENT,
    metadata:
      'That of the request, with `packageAppliedID` and `feeApplied` if fees are charged, and `feeExemption` if accounts are exempt.',
    send: 'What is moved with the fees.',
    'send.value': 'The sum of each side: the amount of the request and the fees on top of it.',
    'send.source.from': 'The legs of the request in their order, then those that pay fees.',
    'send.source.remaining': AS_SENT,
    'send.distribute.to': 'The legs of the request in their order, then those that receive fees.',
    'send.distribute.remaining': AS_SENT,
  }),
  ...membersOf(['LegWithFees'], {
    balanceKey: 'Names the balance within its account; absent for `default`.',
    amount: 'What the leg moves. Shares and remainders of the request have become amounts.',
    'amount.value': 'In units of the asset, as a decimal in plain notation.',
    rate: AS_SENT,
    description: AS_SENT,
    chartOfAccounts: 'As in the request. Estimates of version 1 have `""` if there is none.',
    route: 'As in the request; for a leg of a fee its `routeFrom` or `routeTo`.',
    routeId: 'As in the request; for a leg of a fee its `routeFrom` or `routeTo`.',
    isFrom: 'As in the request; it has no effect.',
    metadata:
      'That of the request. A leg that receives a fee has the alias of its payer as `source`. Estimates of version 1 have null if there is none.',
  }),
  ...membersOf(['FeeExplanation'], {
    packageId: 'The package that was applied.',
    feeKey: 'The key of the fee in its package.',
    rule: 'The `applicationRule` of the fee.',
    referenceAmount: 'The `referenceAmount` of the fee.',
    rate: 'The percentage that was applied; absent if a flat amount was.',
    value: 'The flat amount that was applied; absent if a percentage was.',
  }),
};
