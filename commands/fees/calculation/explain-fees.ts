import { formatAmount } from '#src/kernel/amount.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { ApplicationRule, ReferenceAmount } from '#src/events/fees/fee-package.ts';
import type { ChargedFee } from './charge-fees.ts';

/** Explains a fee: the rule, the reference amount and the rounding that its total comes from. */
export type FeeExplanation = Readonly<{
  packageId: Uuid;
  feeKey: string;
  rule: ApplicationRule;
  referenceAmount: ReferenceAmount;
  rate?: string;
  value?: string;
  rounding: string;
  amount: string;
}>;

/** Explains the fees of a package; a ledger that charges them needs no explanation. */
export function explainFees(
  packageId: Uuid,
  fees: readonly ChargedFee[],
  scale: number | undefined,
): readonly FeeExplanation[] {
  const rounding = scale === undefined ? 'none' : `halfAwayFromZero:${scale}`;
  return fees.map(({ fee, calculation: { type, value }, total }) => ({
    ...{ packageId, feeKey: fee.key, rule: fee.rule, referenceAmount: fee.referenceAmount },
    ...(type === 'flat' ? { value } : { rate: value }),
    ...{ rounding, amount: formatAmount(total) },
  }));
}
