import type { Client } from '#test/support/client.ts';
import { exactly, made, NOBODY, part, sending, transfer, type Book } from './books.ts';
import { feeDebtBodies, feeDebtProvocations } from './fee-debt-provocations.ts';
import { fee, flat, inOrganization, packageOf, percent } from './fee-books.ts';
import type { Changes, Stage } from './provocations.ts';

const credited = (more: object = {}) => fee({ creditAccount: '@bob', ...more });
const feesOf = (more: object) => ({ fees: { adm: credited(more) } });
const modelOf = (more: object) => feesOf({ calculationModel: { ...percent('1'), ...more } });
const calculationsOf = (...calculations: readonly unknown[]) => modelOf({ calculations });
const deducting = (calculationModel: object, more: object = {}) =>
  credited({ isDeductibleFrom: true, calculationModel, ...more });

/** Packages of two ranges, the second one staged; and some that calculations are refused for. */
export async function stageFees(client: Client, book: Book): Promise<Stage> {
  const { org, ledger } = book;
  const headers = inOrganization(org);
  const create = async (more: object, also: object = {}): Promise<string> => {
    const body = packageOf(ledger, { fees: { adm: credited() }, ...more });
    const sent = { ...headers, ...also };
    return (await made<{ id: string }>(client, '/v1/packages', body, sent)).id;
  };
  await create({ enable: false }, { 'X-Idempotency': 'used' }); // Other transactions are not charged.
  const range = { minimumAmount: '2000', maximumAmount: '3000' };
  const second = await create(range);
  const all = { minimumAmount: '0', maximumAmount: '10000' };
  const deductions = { a: deducting(percent('100')) };
  const large = { a: credited({ calculationModel: flat('9'.repeat(30)) }) };
  const at = `/v2/organizations/${org}/ledgers/${ledger}/packages`;
  for (const key of ['a', 'b']) {
    const { ledgerId: _, ...body } = packageOf(ledger, { fees: { adm: credited() }, ...all });
    await made(client, at, {
      ...body,
      transactionRoute: 'twice',
      metadataSelector: { [key]: '1' },
    });
  }
  return {
    package_id: second,
    'the fee package': second,
    'the deducting package': await create({ ...all, transactionRoute: 'deduct', fees: deductions }),
    'the large package': await create({ ...all, transactionRoute: 'large', fees: large }),
  };
}

const newPackage = packageOf('the ledger', {
  transactionRoute: 'provoked',
  fees: { adm: credited() },
});
const { ledgerId: _, ...newPackageV2 } = newPackage;
const transaction = transfer('@alice', '@bob', '1');
const estimate = { packageId: 'the fee package', transaction };

const tooManyFees = {
  fees: Object.fromEntries(Array.from({ length: 101 }, (__, n) => [`k${n}`, credited()])),
};

/** These fees break a rule each, and are refused in creations and updates alike. */
const rules = {
  FEE_CALCULATION_TYPE: calculationsOf(1),
  FEE_PRIORITY_INVALID: feesOf({ priority: 0 }),
  FEE_CREDIT_ACCOUNT_NOT_FOUND: feesOf({ creditAccount: '@nobody' }),
  FEE_CALCULATIONS_EMPTY: calculationsOf(),
  FEE_FIRST_REFERENCE: feesOf({ referenceAmount: 'afterFeesAmount' }),
  FEE_CALCULATION_COUNT: calculationsOf(
    { type: 'percentage', value: '1' },
    { type: 'percentage', value: '2' },
  ),
  FEE_PERCENTUAL_TYPE: calculationsOf({ type: 'flat', value: '1' }),
  FEE_FLAT_TYPE: modelOf({ applicationRule: 'flatFee' }),
  FEE_CALCULATION_INCOMPLETE: calculationsOf({ type: 'flat' }),
  FEE_REFERENCE_UNKNOWN: feesOf({ referenceAmount: 'x' }),
  FEE_RULE_UNKNOWN: modelOf({ applicationRule: 'x' }),
  FEE_CALCULATION_TYPE_UNKNOWN: calculationsOf({ type: 'x', value: '1' }),
  FEE_TOO_FEW_CALCULATIONS: modelOf({ applicationRule: 'maxBetweenTypes' }),
  FEE_SEGMENT_INVALID: { waivedAccounts: ['segment:x'] },
  FEE_NOT_A_DECIMAL: { minimumAmount: '1,5' },
  FEE_DEDUCTIBLE_REFERENCE: {
    fees: { adm: deducting(percent('1'), { priority: 2, referenceAmount: 'afterFeesAmount' }) },
  },
  FEE_PERCENTAGE_OUT_OF_BOUNDS: calculationsOf({ type: 'percentage', value: '-1' }),
  FEE_FLAT_OUT_OF_BOUNDS: calculationsOf({ type: 'flat', value: '-1' }),
  FEE_DEDUCTIBLE_PERCENTAGE: { fees: { adm: deducting(percent('101')) } },
  FEE_DEDUCTIBLE_FLAT: { fees: { adm: deducting(flat('9999')) } },
  FEE_DEFERRABLE_DEDUCTIBLE: { fees: { adm: deducting(percent('1'), { deferrable: true }) } },
  NUMBER_OUT_OF_RANGE: { minimumAmount: '1e30' },
  MALFORMED_FIELD: { description: 'x'.repeat(1001) },
  TOO_MANY_KEYS: tooManyFees,
} satisfies Readonly<Record<string, Changes>>;

const creation = {
  ...rules,
  NOT_FOUND: { segmentId: NOBODY },
  IDEMPOTENCY_KEY_IN_USE: { headers: { 'X-Idempotency': 'used' } },
  FEE_MINIMUM_ABOVE_MAXIMUM: { minimumAmount: '1001' },
  FEE_PACKAGE_DUPLICATE: { transactionRoute: undefined },
  FEE_RANGE_OVERLAPS: { transactionRoute: undefined, minimumAmount: '50' },
  FEE_LEDGER_INVALID: { ledgerId: 'x' },
  FEE_METADATA_RESERVED: { metadataSelector: { feeLeg: 'true' } },
} satisfies Readonly<Record<string, Changes>>;

const change = {
  ...rules,
  REQUIRED_FIELDS: { enable: null },
  FEE_NOTHING_TO_UPDATE: {},
  FEE_INCOMPLETE: { fees: { neu: { priority: 9 } } },
  FEE_MINIMUM_ABOVE_MAXIMUM: { minimumAmount: '3001' },
  FEE_MAXIMUM_BELOW_MINIMUM: { maximumAmount: '1' },
  FEE_PACKAGE_DUPLICATE: { minimumAmount: '100', maximumAmount: '1000' },
  FEE_RANGE_OVERLAPS: { minimumAmount: '1000' },
} satisfies Readonly<Record<string, Changes>>;

const of = (more: object, value = '1') => ({
  transaction: { ...transfer('@alice', '@bob', value), ...more },
});
const dollars = sending('1', [exactly('@alice', '1', 'USD')], [exactly('@bob', '1')]);

const calculation = {
  LEDGER_NOT_FOUND: { ledgerId: NOBODY },
  FEE_LEDGER_INVALID: { ledgerId: 'x' },
  LEG_QUANTITY: of(sending('1', [{ accountAlias: '@alice' }], [exactly('@bob', '1')])),
  TOTALS_DIFFER: of(sending('2', [exactly('@alice', '2')], [part('@bob', 30)])),
  VALUE_NOT_POSITIVE: of({}, '0'),
  ASSET_NOT_FOUND: of(dollars),
  NUMBER_OUT_OF_RANGE: of({}, '1e30'),
  METADATA_KEY_TOO_LONG: of({ metadata: { ['k'.repeat(101)]: 1 } }),
  METADATA_VALUE: of({ metadata: { k: [1] } }),
  METADATA_NESTED: of({ metadata: { k: { k: 1 } } }),
  TOO_MANY_KEYS: of({
    metadata: Object.fromEntries(Array.from({ length: 101 }, (__, n) => [`k${n}`, n])),
  }),
} satisfies Readonly<Record<string, Changes>>;

const estimation = {
  ...calculation,
  NOT_FOUND: { packageId: NOBODY },
  FEE_DEDUCTION_TOO_LARGE: { packageId: 'the deducting package' },
  FEE_NOT_COMPUTABLE: { packageId: 'the large package' },
} satisfies Readonly<Record<string, Changes>>;

/** In version 2 the path has the ledger. */
const inLedger = { LEDGER_NOT_FOUND: { at: { ledger_id: NOBODY } } };

/** A body that would be taken, by operation. */
export const feeBodies = {
  createFeePackage: newPackage,
  createFeePackageInOrganization: newPackage,
  createFeePackageV2: newPackageV2,
  calculateFees: { ledgerId: 'the ledger', transaction },
  estimateFees: { ledgerId: 'the ledger', ...estimate },
  estimateFeesInOrganization: { ledgerId: 'the ledger', ...estimate },
  estimateFeesV2: estimate,
  ...feeDebtBodies,
};

/** These changes of a request provoke each refusal of the operations of fees. */
export const feeProvocations = {
  createFeePackage: creation,
  createFeePackageInOrganization: creation,
  createFeePackageV2: creation,
  updateFeePackage: change,
  updateFeePackageInOrganization: change,
  updateFeePackageV2: change,
  calculateFees: {
    ...calculation,
    FEE_SEGMENT_INVALID: { segmentId: 'x' },
    FEE_PACKAGES_AMBIGUOUS: of({ route: 'twice', metadata: { a: '1', b: '1' } }),
    FEE_DEDUCTION_TOO_LARGE: of({ route: 'deduct' }),
    FEE_NOT_COMPUTABLE: of({ route: 'large' }),
  },
  estimateFees: estimation,
  estimateFeesInOrganization: estimation,
  estimateFeesV2: { ...estimation, ...inLedger },
  ...feeDebtProvocations,
} satisfies Readonly<Record<string, Readonly<Record<string, Changes>>>>;
