import type { FeeRefusalName } from '#src/events/fees/refusals.ts';
import type { Explanations } from '#src/kernel/explanation.ts';

export const feeExplanations: Explanations<FeeRefusalName> = {
  FEE_CALCULATION_TYPE:
    'A member of a calculation model has the wrong JSON type. The model is an object, `calculations` a list of objects, `type` a text, and `value` a text or a number.',
  FEE_PRIORITY_INVALID: {
    means:
      'A priority is not an integer from 1, or two fees of the package have the same one. Fees are calculated in ascending order of priority.',
    beyondSchema: 'two fees of a package have different priorities',
  },
  FEE_CREDIT_ACCOUNT_NOT_FOUND: {
    means:
      'The account that is to receive the fee does not exist in the ledger of the package, or the ledger does not exist. A new transaction is refused with it if the account was deleted after the package was created.',
    beyondSchema: 'the credit account of each fee exists in the ledger',
  },
  FEE_MINIMUM_ABOVE_MAXIMUM: {
    means: 'minimumAmount is above maximumAmount, so that the package would never apply.',
    beyondSchema: 'minimumAmount is not above maximumAmount',
  },
  FEE_NOTHING_TO_UPDATE: {
    means:
      'The update has no member that counts: it is empty, or has only empty texts, an empty `fees`, or removals of fees that the package does not have.',
    beyondSchema: 'an update has at least one member that changes the package',
  },
  FEE_PACKAGE_DUPLICATE: {
    means:
      'Another package of the same ledger, segment, route and metadata selector has the same amounts. Change that package, or delete it.',
    beyondSchema: 'no other package of the scope has the same amounts',
  },
  FEE_ORGANIZATION_INVALID:
    'The header X-Organization-Id is not a UUID. It names the organization whose packages the operation is about.',
  FEE_ORGANIZATION_MISSING:
    'The header X-Organization-Id is missing. It names the organization whose packages the operation is about.',
  FEE_CALCULATIONS_EMPTY: 'A calculation model needs at least one calculation.',
  FEE_FIRST_REFERENCE: {
    means:
      'No fee precedes the one with priority 1, so its reference amount must be originalAmount.',
    beyondSchema: 'the fee with priority 1 has the reference amount originalAmount',
  },
  FEE_CALCULATION_COUNT: {
    means: 'The rules flatFee and percentual have exactly one calculation.',
    beyondSchema: 'flatFee and percentual have exactly one calculation',
  },
  FEE_PERCENTUAL_TYPE: {
    means: 'The calculation of the rule percentual must have the type percentage.',
    beyondSchema: 'the calculation of percentual is a percentage',
  },
  FEE_FLAT_TYPE: {
    means: 'The calculation of the rule flatFee must have the type flat.',
    beyondSchema: 'the calculation of flatFee is flat',
  },
  FEE_INCOMPLETE: {
    means:
      'The update adds a fee under a new key, and a new fee needs all required members. If you meant to change a fee, check its key.',
    beyondSchema: 'a fee under a new key has all required members',
  },
  FEE_CALCULATION_INCOMPLETE:
    'A calculation model needs `applicationRule` and `calculations`, and each calculation `type` and `value`.',
  FEE_REFERENCE_UNKNOWN: 'referenceAmount is originalAmount or afterFeesAmount.',
  FEE_RULE_UNKNOWN: 'applicationRule is flatFee, percentual or maxBetweenTypes.',
  FEE_CALCULATION_TYPE_UNKNOWN: 'The type of a calculation is flat or percentage.',
  FEE_MAXIMUM_BELOW_MINIMUM: {
    means: 'The update sets maximumAmount below the minimumAmount of the package.',
    beyondSchema: 'maximumAmount is not below minimumAmount',
  },
  BILLING_PACKAGE_NOT_FOUND:
    'There is no such billing package, it was deleted, or it belongs to another ledger than that of the path.',
  BILLING_TYPE_UNKNOWN: 'The type of a billing package is volume or maintenance.',
  BILLING_VOLUME_INCOMPLETE:
    'A package of type volume needs eventFilter, pricingModel, tiers, debitAccountAlias and creditAccountAlias.',
  BILLING_MAINTENANCE_INCOMPLETE:
    'A package of type maintenance needs feeAmount, maintenanceCreditAccount and accountTarget.',
  BILLING_PRICING_MODEL: 'pricingModel is tiered or fixed.',
  BILLING_TIERS: {
    means:
      'Tiers are 1 to 50 objects in ascending order. Each begins one above the maximum of the one before, only the last has no maximum, and every price is above zero.',
    beyondSchema: 'each tier begins one above the maximum of the tier before it',
  },
  BILLING_ROUTE_TAKEN: {
    means:
      'Another enabled volume package of the ledger has the same route, so its transactions would be billed twice. Disable or delete that package first.',
    beyondSchema: 'a ledger has one enabled volume package for a route',
  },
  BILLING_ACCOUNT_NOT_FOUND:
    'accountTarget names an alias without an account, or a portfolio that does not exist. Nothing was calculated, for no package.',
  BILLING_FAILED:
    'A figure needs more digits than an amount has, or the charges have more than 10,000 accounts in all. Nothing was calculated: change the package that the detail names, disable it, or calculate the types one by one.',
  BILLING_SEGMENT_UNRESOLVED:
    'The segment of an accountTarget does not exist any more, so it is unknown who pays. Disable or delete the package.',
  BILLING_PERIOD: {
    means:
      'A period is a month (2026-01), an ISO week (2026-W05) or a day (2026-01-31) that exists in the calendar.',
    beyondSchema: 'the period exists in the calendar',
  },
  BILLING_FREE_QUOTA: 'freeQuota is an integer from 0.',
  BILLING_DISCOUNT_TIERS: {
    means:
      'Discount tiers are at most 50 objects with different minQuantity, an integer from 0, and discountPercentage from 0 to 100.',
    beyondSchema: 'discount tiers have different minimum quantities',
  },
  BILLING_COUNT_MODE: 'countMode is perRoute or perAccount.',
  BILLING_ACCOUNT_TARGET:
    'accountTarget has exactly one of segmentId, portfolioId and aliases. Aliases are 1 to 100 different texts.',
  BILLING_FEE_AMOUNT: 'feeAmount is a decimal above zero.',
  FEE_PACKAGES_UNAVAILABLE:
    'The packages of fees could not be read, so the ledger does not know what the transaction costs. Nothing was posted; send the request again.',
  FEE_PACKAGES_AMBIGUOUS: {
    means:
      'Several packages apply to the transaction, and none is more specific than the others. Give their metadata selectors different numbers of pairs, or disable all but one.',
    beyondSchema: 'one package at most applies to a transaction',
  },
  FEE_RANGE_OVERLAPS: {
    means:
      'The amounts of another package of the same ledger, segment, route and metadata selector overlap those of this one. Both bounds are inclusive, and disabled packages count.',
    beyondSchema: 'no other package of the scope has amounts in common',
  },
  FEE_TOO_FEW_CALCULATIONS: {
    means: 'The rule maxBetweenTypes chooses the largest of two or more calculations.',
    beyondSchema: 'maxBetweenTypes has two or more calculations',
  },
  FEE_SEGMENT_INVALID: {
    means: 'segmentId, or what follows `segment:` in a waived account, is not a UUID.',
    beyondSchema: 'what follows segment: is a UUID',
  },
  FEE_LEDGER_INVALID: 'ledgerId is not a UUID.',
  FEE_NOT_A_DECIMAL:
    'An amount is not a decimal number with a period. Commas and other separators are not accepted.',
  FEE_DEDUCTIBLE_REFERENCE: {
    means: 'A deductible fee is calculated on the original amount only.',
    beyondSchema: 'a deductible fee has the reference amount originalAmount',
  },
  FEE_NOT_COMPUTABLE: {
    means:
      'The result would need more digits than an amount has, or more than 500 legs on a side of the transaction.',
    beyondSchema: 'every figure has at most 30 integer and 34 fractional digits',
  },
  FEE_PERCENTAGE_OUT_OF_BOUNDS: 'A percentage is negative.',
  FEE_FLAT_OUT_OF_BOUNDS: 'A flat value is negative.',
  FEE_DEDUCTIBLE_PERCENTAGE: {
    means: 'A deductible fee cannot take more than 100 percent.',
    beyondSchema: 'a deductible percentage is at most 100',
  },
  FEE_DEDUCTIBLE_FLAT: {
    means:
      'A deductible flat fee cannot be above the minimumAmount of its package: it would take more than there is.',
    beyondSchema: 'a deductible flat value is at most minimumAmount',
  },
  FEE_PAGE_INVALID: 'The number of a page is a positive integer; the first page is 1.',
  FEE_DEDUCTION_TOO_LARGE: {
    means:
      'A deductible fee would take all that a receiver gets, or more. Fees of one package are deducted one after the other.',
    beyondSchema: 'a deduction is smaller than the leg it is taken from',
  },
  FEE_LEDGER_IN_QUERY: 'In version 2 the path names the ledger, and the query must not.',
  FEE_DEFERRABLE_DEDUCTIBLE: {
    means: 'A deductible fee is taken from what is received, so it is never owed.',
    beyondSchema: 'a deferrable fee is not deductible',
  },
  FEE_METADATA_RESERVED:
    'The metadata selector names a key that only fees write. Choose another key.',
};
