import type { Descriptions } from '#src/kernel/descriptions.ts';
import { billingMembers } from './billing-members.ts';
import { calculationMembers } from './calculation-members.ts';
import { packageMembers } from './package-members.ts';

/** The sentences of fees for readers of the API. */
export const descriptions: Descriptions = {
  tags: {
    'Fee packages': 'Fees that transactions of a ledger are charged, by amount, route and segment.',
    Fees: 'What a transaction would be charged. Nothing is stored.',
    'Fee debts':
      'What payers owe of deferrable fees; later credits pay it, and so does a collection.',
    'Billing packages':
      'Prices for the transactions or accounts of a period, and what they come to. Nothing is posted.',
  },
  members: {
    ...calculationMembers,
    ...packageMembers,
    ...billingMembers,
    total: 'The number of records on all pages.',

    originTransactionId: 'The transaction on which the fee was charged.',
    feePackageId: 'The package of the fee; absent if it was not recorded.',
    'FeeDebt.organizationId': 'The organization that it belongs to.',
    'FeeDebt.ledgerId': 'The ledger that it belongs to.',
    'entries.kind':
      'A payment settles the debt, and a reversal of the payment reopens it. A reversal of the origin cancels what is open and refunds what was paid.',
    'entries.transactionId': 'The transaction that changed the debt.',
    postingRef:
      'The posting of the origin that the debt takes the place of; only where it is opened.',
    appliedAt: 'The time of the change, in UTC.',
    openedAt: 'The time of the origin, in UTC.',
    'CollectFeeDebtsRequest.accountAlias': 'The alias of the account that owes.',
    'CollectFeeDebtsRequest.balanceKey':
      'Names the balance that owes, at most 100 characters. By default `default`.',
    maxAmount:
      'The most to take, above 0, in units of the asset. By default all that is owed and available.',
    'CollectedFeeDebts.transactionId':
      'The transaction that took it; absent if there was nothing to take.',
    'ListFeeDebtsFilters.status':
      'Lists only debts of which something remains (`open`), or nothing (`settled`).',
  },
  parameters: {
    package_id: 'The id of the package, a UUID.',
    billing_package_id: 'The id of the billing package, a UUID.',
    fee_debt: 'The id of the debt, such as `<transaction id>:from:1:debit`.',
    segmentId: 'Lists only packages of this segment.',
    ledgerId: 'Lists only packages of this ledger.',
    transactionRoute: 'Lists only packages with this `transactionRoute`.',
    enable: 'Lists only packages that are enabled, or only those that are not.',
    type: 'Lists only packages of this type.',
  },
};
