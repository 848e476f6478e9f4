import { recordRenderer } from '#queries/record.ts';
import type { Renderer, Renderers } from '#src/ports/read-store.ts';
import { shownBillingPackage } from '#src/resources/fees/billing-package.ts';
import { feePackageRows } from '#src/resources/fees/fee-package.ts';

export const renderBillingPackage: Renderer = ({ body }) =>
  shownBillingPackage(JSON.parse(body) as object);

/** Renders the rows of the read models of fees. */
export const renderers: Renderers = {
  rows: {
    feePackage: recordRenderer(feePackageRows),
    billingPackage: renderBillingPackage,
    feeDebt: ({ body }) => body,
  },
  entries: {},
};
