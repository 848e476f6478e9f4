import { billingCalculateRoutes } from '#commands/fees/api/billing-calculate.ts';
import { billingPackageWriteRoutes } from '#commands/fees/api/billing-package.ts';
import { calculateRoutes } from '#commands/fees/api/calculate.ts';
import { feeDebtWriteRoutes } from '#commands/fees/api/fee-debt.ts';
import { feePackageWriteRoutes } from '#commands/fees/api/fee-package.ts';
import { billingPackageReadRoutes } from '#queries/fees/billing-package.ts';
import { feeDebtReadRoutes } from '#queries/fees/fee-debt.ts';
import { feePackageReadRoutes } from '#queries/fees/fee-package.ts';

export const routes = [
  ...feePackageWriteRoutes,
  ...feePackageReadRoutes,
  ...calculateRoutes,
  ...billingPackageWriteRoutes,
  ...billingPackageReadRoutes,
  ...billingCalculateRoutes,
  ...feeDebtWriteRoutes,
  ...feeDebtReadRoutes,
];
