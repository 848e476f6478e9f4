import { membersOf, type Glossary } from '#src/kernel/descriptions.ts';

const FEE_CHANGES =
  'The fees that change, by key. A new key adds a fee and needs all its members; null or `[]` removes the fee. At least one stays.';
const LABEL_CHANGE = 'At most 256 characters. `""` leaves it unchanged, and null is refused.';
const DESCRIPTION_CHANGE = 'At most 1000 characters. `""` leaves it unchanged; null removes it.';

/** Describes the members of fee packages and their fees. */
export const packageMembers: Glossary = {
  feeGroupLabel: 'The name of the package, at most 256 characters; need not be unique.',
  description: 'At most 1000 characters; null or absent if there is none.',
  ledgerId: 'The ledger that it belongs to. It never changes.',
  segmentId:
    'Charges transactions whose source accounts are all in this segment. Null charges those without a package of their segment. It never changes.',
  transactionRoute:
    'Charges transactions with this `routeId`, or else this `route`: at most 250 characters. Null charges those without either. It never changes.',
  minimumAmount:
    'The lowest `send.value` that is charged, in units of the asset: from 0 to `maximumAmount`.',
  maximumAmount:
    'The highest `send.value` that is charged, in units of the asset. Packages for the same route, segment and metadata must not overlap.',
  waivedAccounts:
    'Aliases of accounts that pay no fee, and `segment:` followed by the id of a segment for all its accounts; null if there are none.',
  enable:
    'Whether it charges transactions. One that does not still counts when packages are checked for overlap.',
  fees: '1 to 100 fees by keys of your choice, which are kept exactly as sent.',
  'UpdateFeePackageRequest.fees': FEE_CHANGES,
  'UpdateFeePackageInOrganizationRequest.fees': FEE_CHANGES,
  ...membersOf(['UpdateFeePackageRequest', 'UpdateFeePackageInOrganizationRequest'], {
    feeGroupLabel: LABEL_CHANGE,
    description: DESCRIPTION_CHANGE,
  }),
  metadataSelector:
    'Charges only transactions whose metadata has all these texts: at most 20, with keys of at most 100 characters and values of at most 2000. It never changes.',

  feeLabel: 'The name of the fee, at most 256 characters.',
  calculationModel: 'How the fee is calculated. An update replaces it as a whole.',
  applicationRule:
    '`flatFee` needs one flat calculation, `percentual` one percentage; `maxBetweenTypes` needs at least two, of which the highest result counts.',
  calculations: '1 to 20 calculations, as `applicationRule` needs them.',
  'calculations.type': 'Whether the value is an amount or a percentage.',
  'calculations.value':
    'From 0: an amount in units of the asset, or percent of the reference amount.',
  referenceAmount:
    'What percentages refer to: `send.value` as it was sent, or raised by the fees before this one that are not deductible.',
  priority:
    'The place in the order of calculation, from 1 and unique in the package. The fee with 1 refers to `originalAmount`.',
  isDeductibleFrom:
    'Whether the destinations pay, out of what they receive; otherwise the sources pay on top. True needs `originalAmount`.',
  creditAccount: 'The alias of the account of the ledger that receives the fee.',
  routeFrom:
    'The operation route of the leg that pays; absent if there is none. Null in an update removes it.',
  routeTo:
    'The operation route of the leg that receives the fee; absent if there is none. Null in an update removes it.',
  deferrable:
    'Whether the part that the payer cannot pay becomes a debt and the transaction passes. By default false; not with `isDeductibleFrom`.',
};
