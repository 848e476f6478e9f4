import { membersOf, type Glossary } from '#src/kernel/descriptions.ts';

const creations = ['CreateBillingPackageRequest', 'CreateBillingPackageV2Request'];
const UPDATE = 'UpdateBillingPackageRequest';

/** Describes the members of billing packages and of what they charge. */
export const billingMembers: Glossary = {
  'BillingPackage.organizationId': 'The organization that it belongs to.',
  label: 'The name of the package, at most 200 characters; need not be unique.',
  [`${UPDATE}.label`]: 'At most 200 characters. `""` leaves it unchanged, and null is refused.',
  [`${UPDATE}.description`]: 'At most 1000 characters. `""` leaves it unchanged; null removes it.',
  ...membersOf([...creations, 'BillingPackage', UPDATE], {
    enable:
      'Whether it is charged; by default true. A ledger has at most one enabled volume package for a route.',
  }),
  ...membersOf([...creations, 'BillingPackage'], {
    type: '`volume` charges the number of transactions, `maintenance` each account. It never changes.',
  }),
  assetCode: 'The code of the asset of all its amounts.',

  eventFilter: 'The transactions that are counted; only in volume packages.',
  'eventFilter.transactionRoute':
    'Counts transactions with this `routeId` or this `route`: at most 250 characters.',
  'eventFilter.status': 'Counts transactions with this status code; CREATED stands for APPROVED.',
  pricingModel:
    '`tiered` prices each billable transaction by the tier that has their number, `fixed` by the first tier.',
  tiers: '1 to 50 prices by number of transactions, in ascending order and without gaps.',
  minQuantity:
    'The lowest number in the tier, from 0: one more than the highest of the tier before.',
  maxQuantity: 'The highest number in the tier; absent in the last tier, and only there.',
  unitPrice: 'The price of one transaction, above 0, in units of the asset.',
  freeQuota: 'The number of transactions in a period that are free. By default 0.',
  discountTiers: '1 to 50 discounts, of which the one with the highest number reached applies.',
  ...membersOf(['DiscountTiers', 'DiscountTier'], {
    minQuantity: 'The number of transactions, free ones included, from which it applies.',
    discountPercentage: 'Percent of the gross amount, from 0 to 100.',
  }),
  countMode:
    '`perRoute` counts all transactions together, `perAccount` those of each source account. By default `perRoute`.',
  debitAccountAlias: 'The alias of the account that pays.',
  creditAccountAlias: 'The alias of the account that is paid.',

  feeAmount: 'What each account pays for a period, above 0, in units of the asset.',
  maintenanceCreditAccount: 'The alias of the account that is paid.',
  accountTarget: 'The accounts that pay, named by exactly one of its three members.',
  ...membersOf(['AccountTarget', 'BillingPackage.accountTarget'], {
    segmentId: 'All accounts of this segment pay.',
    portfolioId: 'All accounts of this portfolio pay.',
    aliases: 'The accounts with these 1 to 100 different aliases pay.',
  }),

  'CalculateBillingRequest.ledgerId': 'The ledger whose packages are charged.',
  ...membersOf(['CalculateBillingRequest', 'CalculateBillingV2Request'], {
    type: 'Charges only packages of this type; by default of both.',
  }),
  results:
    'The charge of each package, or of each source account where they are counted one by one.',
  summary: 'The totals of all results.',
  totalResults: 'The number of results.',
  totalVolume: 'The number of results of volume packages.',
  totalMaintenance: 'The number of results of maintenance packages.',
  'summary.totalNetAmount': 'The sum of all net amounts, whatever their assets.',
  billingPackageId: 'The package that is charged.',
  billingPackageLabel: 'The `label` of the package.',
  'BillingMetadata.label': 'The `label` of the package.',
  billingType: '`volume` or `maintenance`.',
  period: 'The period of the request.',
  totalAccounts: 'The number of accounts that pay; 0 for volume.',
  totalCharged: 'The same as `totalAccounts`.',
  totalSkipped: 'Always 0.',
  totalNetAmount: 'The amount to pay, in units of the asset.',
  transactionPayload:
    'The transaction that charges it, which you can post under version 1; empty if there is nothing to pay.',
  ...membersOf(['BillingTransaction'], {
    code: '`billing-volume` or `billing-maintenance`.',
    description: 'Names the package and the period.',
    metadata: 'The figures that the amount comes from.',
    send: 'What is moved, from where and to where.',
    'send.value': 'The amount to pay: the sum of each side.',
    'send.source.from': 'A leg for each account that pays.',
    'send.distribute.to': 'One leg, for the account that is paid.',
  }),
  ...membersOf(['BillingLeg'], {
    accountAlias: 'The alias of the account that pays or is paid.',
    amount: 'What the account pays or is paid.',
    'amount.asset': 'The code of the asset.',
    'amount.value': 'In units of the asset, as a decimal in plain notation.',
  }),
  ...membersOf(['BillingMetadata'], {
    totalEvents: 'The number of transactions that were counted.',
    freeQuotaUsed: 'The number of them that are free.',
    billableEvents: 'The number of them that are charged.',
    pricingModel: 'The `pricingModel` of the package.',
    grossAmount: 'The price of the billable transactions, before the discount.',
    netAmount: 'The price after the discount.',
    discount: 'The discount that applies; absent if there is none.',
    'discount.discountPercentage': 'Percent of the gross amount.',
    'discount.discountAmount': 'What it takes off the gross amount.',
    'discount.minQuantity': 'The number of transactions from which it applies.',
    totalAccounts: 'The number of accounts that pay.',
    feeAmount: 'What each account pays.',
  }),
};
