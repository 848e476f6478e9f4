/** Metadata keys under which fees record what they did (contract registry-and-fees §B8): no client's to write. */
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

/** Those that version 1's calculation of fees answers with, so that its clients send them on. */
export const CALCULATED_FEE_KEYS: ReadonlySet<string> = new Set([
  'feeApplied',
  'packageAppliedID',
  'feeExemption',
]);

/** The one of them that is an object of scalars. */
export const FEE_EXEMPTION = 'feeExemption';
