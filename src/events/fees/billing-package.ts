import type { Uuid } from '#src/kernel/ids.ts';
import type { Lifetime, RecordEvent } from '#src/kernel/record.ts';

/** Prices what happens in a ledger over a period (contract registry-and-fees §B9). Amounts are decimals as text. */
export type BillingPackageFields = VolumePackageFields | MaintenancePackageFields;

type CommonFields = Readonly<{
  organizationId: Uuid;
  ledgerId: Uuid;
  label: string;
  description?: string | null;
  enable: boolean;
  assetCode: string;
}>;

/** Charges one account for the transactions of a route. */
export type VolumePackageFields = CommonFields &
  Readonly<{
    type: 'volume';
    eventFilter: Readonly<{ transactionRoute: string; status: BilledStatus }>;
    pricingModel: PricingModel;
    /** In ascending order without gaps; only the last has no maximum. */
    tiers: readonly PriceTier[];
    /** The number of transactions that cost nothing. */
    freeQuota?: number;
    /** In ascending order. */
    discountTiers?: readonly DiscountTier[];
    countMode: CountMode;
    debitAccountAlias: string;
    creditAccountAlias: string;
  }>;

/** Charges each account of a group the same amount. */
export type MaintenancePackageFields = CommonFields &
  Readonly<{
    type: 'maintenance';
    feeAmount: string;
    maintenanceCreditAccount: string;
    accountTarget: AccountTarget;
  }>;

export type PriceTier = Readonly<{ minQuantity: number; maxQuantity?: number; unitPrice: string }>;
export type DiscountTier = Readonly<{ minQuantity: number; discountPercentage: string }>;

export type AccountTarget =
  | Readonly<{ segmentId: Uuid }>
  | Readonly<{ portfolioId: Uuid }>
  | Readonly<{ aliases: readonly string[] }>;

export const BILLING_TYPES = ['volume', 'maintenance'] as const;

/** The status of the transactions that count; direct ones are created and approved in one step. */
export const BILLED_STATUSES = ['CREATED', 'APPROVED', 'PENDING', 'CANCELED', 'NOTED'] as const;
export type BilledStatus = (typeof BILLED_STATUSES)[number];

export const PRICING_MODELS = ['tiered', 'fixed'] as const;
export type PricingModel = (typeof PRICING_MODELS)[number];

/** `perAccount` calculates a charge for the transactions of each source account. */
export const COUNT_MODES = ['perRoute', 'perAccount'] as const;
export type CountMode = (typeof COUNT_MODES)[number];

export type BillingPackageRecord = BillingPackageFields & Lifetime;
export type BillingPackageEvent = RecordEvent<'BillingPackage', BillingPackageRecord>;
