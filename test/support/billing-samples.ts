import type {
  BillingPackageEvent,
  BillingPackageFields,
  MaintenancePackageFields,
  VolumePackageFields,
} from '#src/events/fees/billing-package.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { idOf, LEDGER, ORGANIZATION } from './ledger-samples.ts';
import { NOW } from './stamps.ts';

type Identified<Fields> = Fields & Readonly<{ id: Uuid }>;

const common = {
  organizationId: ORGANIZATION,
  ledgerId: LEDGER,
  label: 'Pix volume',
  enable: true,
  assetCode: 'BRL',
} as const;

/** The volume package of the contract's example. */
export const volumePackage = (
  changes: Partial<Identified<VolumePackageFields>> = {},
): Identified<VolumePackageFields> => ({
  id: idOf('volume package'),
  ...common,
  type: 'volume',
  eventFilter: { transactionRoute: 'pix', status: 'APPROVED' },
  pricingModel: 'tiered',
  tiers: [
    { minQuantity: 0, maxQuantity: 1000, unitPrice: '0.1' },
    { minQuantity: 1001, unitPrice: '0.08' },
  ],
  freeQuota: 100,
  discountTiers: [
    { minQuantity: 1000, discountPercentage: '5' },
    { minQuantity: 5000, discountPercentage: '10' },
  ],
  countMode: 'perRoute',
  debitAccountAlias: '@client',
  creditAccountAlias: '@billing',
  ...changes,
});

export const maintenancePackage = (
  changes: Partial<Identified<MaintenancePackageFields>> = {},
): Identified<MaintenancePackageFields> => ({
  id: idOf('maintenance package'),
  ...common,
  type: 'maintenance',
  feeAmount: '12.5',
  maintenanceCreditAccount: '@billing',
  accountTarget: { aliases: ['@client'] },
  ...changes,
});

export const billingPackageCreated = (
  fields: Identified<BillingPackageFields>,
): BillingPackageEvent => ({
  type: 'BillingPackageCreated',
  data: { billingPackage: { ...fields, createdAt: NOW, updatedAt: NOW, deletedAt: null } },
});

export const billingPackageUpdated = (
  fields: Identified<BillingPackageFields>,
  changed: readonly string[],
): BillingPackageEvent => ({
  type: 'BillingPackageUpdated',
  data: {
    billingPackage: { ...fields, createdAt: NOW, updatedAt: NOW, deletedAt: null },
    changed,
  },
});

export const billingPackageDeleted = (
  fields: Identified<BillingPackageFields>,
): BillingPackageEvent => ({
  type: 'BillingPackageDeleted',
  data: { billingPackage: { ...fields, createdAt: NOW, updatedAt: NOW, deletedAt: NOW } },
});
