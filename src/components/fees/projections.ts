import { feeDebtProjection, feeDebtTotals } from '#projections/fees/fee-debt.ts';
import { recordProjection } from '#projections/record.ts';
import { billingPackageRows } from '#src/resources/fees/billing-package.ts';
import { feePackageRows } from '#src/resources/fees/fee-package.ts';

export const projections = [
  ...[feePackageRows, billingPackageRows].map(recordProjection),
  feeDebtProjection,
  feeDebtTotals,
];
