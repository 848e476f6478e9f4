import type { BillingPackageEvent } from './billing-package.ts';
import type { FeePackageEvent } from './fee-package.ts';

/** The events of the fees journal of an organization. */
export type FeesEvent = FeePackageEvent | BillingPackageEvent;
