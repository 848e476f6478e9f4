/** Metadata keys that only the fee engine writes (contract registry-and-fees §B8). */
export const FEE_KEYS: ReadonlySet<string> = new Set([
  'feeLeg',
  'feeApplied',
  'packageAppliedID',
  'feeExemption',
  'feeDeferPair',
  'feeDebtDebtor',
  'feeDebtId',
  'feeDebtSeq',
  'feeDebtCollection',
  'feeDebtOpenings',
  'feeDebtSettlements',
]);

/** The keys that the fee calculation of version 1 returns, and that its clients therefore send on. */
export const CALCULATED_FEE_KEYS: ReadonlySet<string> = new Set([
  'feeApplied',
  'packageAppliedID',
  'feeExemption',
]);

/** The only fee key whose value is an object of scalars. */
export const FEE_EXEMPTION = 'feeExemption';

/** The key under which a billing calculation explains its discount, as an object of scalars. */
export const BILLING_DISCOUNT = 'discount';
