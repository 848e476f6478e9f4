import { parseAmount } from '#src/kernel/amount.ts';
import type { Fee, FeePackageFields, Fees } from '#src/events/fees/fee-package.ts';
import { refuse, type FeeRefusalName } from '#src/events/fees/refusals.ts';
import type { Refusal } from '#src/kernel/errors.ts';

/** The members that the rules of a package are about. */
export type RuledPackage = Pick<FeePackageFields, 'minimumAmount' | 'maximumAmount' | 'fees'>;

/**
 * Checks the rules of a complete package that need no other record (contract registry-and-fees §B2). `sent` has the
 * amounts of the request. Errors: the refusal of the first rule that the package breaks.
 */
export function checkPackage(
  { minimumAmount, maximumAmount, fees }: RuledPackage,
  sent: Partial<RuledPackage>,
): void {
  const entries = Object.entries(fees);
  for (const [key, fee] of entries) checkFee(key, fee, minimumAmount);
  checkPriorities(fees);
  if (parseAmount(minimumAmount) <= parseAmount(maximumAmount)) return;
  if (sent.minimumAmount === undefined) {
    const message = 'must not be below minimumAmount';
    throw broken('FEE_MAXIMUM_BELOW_MINIMUM', 'maximumAmount', message, maximumAmount);
  }
  const message = 'must not be above maximumAmount';
  throw broken('FEE_MINIMUM_ABOVE_MAXIMUM', 'minimumAmount', message, minimumAmount);
}

function checkFee(key: string, fee: Fee, minimumAmount: string): void {
  const { applicationRule, calculations } = fee.calculationModel;
  const at = `fees.${key}`;
  const model = `${at}.calculationModel.calculations`;
  if (applicationRule === 'maxBetweenTypes') {
    if (calculations.length < 2) {
      throw broken('FEE_TOO_FEW_CALCULATIONS', model, 'must have two or more items');
    }
  } else if (calculations.length !== 1) {
    throw broken('FEE_CALCULATION_COUNT', model, 'must have exactly one item');
  }
  const [first] = calculations;
  if (applicationRule === 'flatFee' && first?.type !== 'flat') {
    throw broken('FEE_FLAT_TYPE', `${model}[0].type`, 'must be flat', first?.type);
  }
  if (applicationRule === 'percentual' && first?.type !== 'percentage') {
    throw broken('FEE_PERCENTUAL_TYPE', `${model}[0].type`, 'must be percentage', first?.type);
  }
  if (fee.isDeductibleFrom) checkDeductible(at, fee, minimumAmount);
}

/** A deduction must never take all that a receiver gets. */
function checkDeductible(at: string, fee: Fee, minimumAmount: string): void {
  if (fee.referenceAmount !== 'originalAmount') {
    const message = 'must be originalAmount, because the fee is deductible';
    throw broken('FEE_DEDUCTIBLE_REFERENCE', `${at}.referenceAmount`, message, fee.referenceAmount);
  }
  if (fee.deferrable === true) {
    const message = 'must be false, because the fee is deductible';
    throw broken('FEE_DEFERRABLE_DEDUCTIBLE', `${at}.deferrable`, message, true);
  }
  fee.calculationModel.calculations.forEach(({ type, value }, n) => {
    const location = `${at}.calculationModel.calculations[${n}].value`;
    if (type === 'percentage') {
      if (parseAmount(value) <= HUNDRED) return;
      const message = 'must be at most 100, because the fee is deductible';
      throw broken('FEE_DEDUCTIBLE_PERCENTAGE', location, message, value);
    }
    if (parseAmount(value) <= parseAmount(minimumAmount)) return;
    const message = 'must be at most minimumAmount, because the fee is deductible';
    throw broken('FEE_DEDUCTIBLE_FLAT', location, message, value);
  });
}

const HUNDRED = parseAmount('100');

function checkPriorities(fees: Fees): void {
  const taken = new Set<number>();
  for (const [key, { priority, referenceAmount }] of Object.entries(fees)) {
    const at = `fees.${key}`;
    if (taken.has(priority)) {
      const message = 'must not be that of another fee';
      throw broken('FEE_PRIORITY_INVALID', `${at}.priority`, message, priority);
    }
    taken.add(priority);
    if (priority === 1 && referenceAmount !== 'originalAmount') {
      const message = 'must be originalAmount for the fee with priority 1';
      throw broken('FEE_FIRST_REFERENCE', `${at}.referenceAmount`, message, referenceAmount);
    }
  }
}

const broken = (
  name: FeeRefusalName,
  location: string,
  message: string,
  value?: unknown,
): Refusal =>
  refuse(name, `${location} ${message}.`, {
    findings: [{ location, message, ...(value !== undefined && { value }) }],
  });
