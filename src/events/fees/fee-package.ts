import type { Uuid } from '#src/kernel/ids.ts';
import type { Lifetime, RecordEvent } from '#src/kernel/record.ts';

/** A package of fees for the transactions of a ledger (contract registry-and-fees §B2). Amounts are decimals as text. */
export type FeePackageFields = Readonly<{
  organizationId: Uuid;
  ledgerId: Uuid;
  feeGroupLabel: string;
  description: string | null;
  segmentId: Uuid | null;
  transactionRoute: string | null;
  minimumAmount: string;
  maximumAmount: string;
  /** Aliases of accounts, and `segment:<uuid>` for all accounts of a segment. */
  waivedAccounts: readonly string[] | null;
  /** The keys are chosen by the client. */
  fees: Fees;
  enable: boolean;
  /** The metadata that a transaction must have; only version 2 sends it. */
  metadataSelector?: Readonly<Record<string, string>>;
}>;

export type Fees = Readonly<Record<string, Fee>>;

export type Fee = Readonly<{
  feeLabel: string;
  calculationModel: CalculationModel;
  referenceAmount: ReferenceAmount;
  /** Fees are calculated in ascending order; no two of a package have the same priority. */
  priority: number;
  /** True if the receivers of the transaction pay the fee, false if its payers do. */
  isDeductibleFrom: boolean;
  /** The alias of the account that receives the fee. */
  creditAccount: string;
  routeFrom?: Uuid;
  routeTo?: Uuid;
  /** A payer without funds may owe the fee; only version 2 sends it. */
  deferrable?: true;
}>;

export type CalculationModel = Readonly<{
  applicationRule: ApplicationRule;
  calculations: readonly FeeCalculation[];
}>;

export type FeeCalculation = Readonly<{ type: CalculationType; value: string }>;

export const APPLICATION_RULES = ['flatFee', 'percentual', 'maxBetweenTypes'] as const;
export type ApplicationRule = (typeof APPLICATION_RULES)[number];

export const CALCULATION_TYPES = ['flat', 'percentage'] as const;
export type CalculationType = (typeof CALCULATION_TYPES)[number];

export const REFERENCE_AMOUNTS = ['originalAmount', 'afterFeesAmount'] as const;
export type ReferenceAmount = (typeof REFERENCE_AMOUNTS)[number];

/** Precedes the id of a segment whose accounts are waived. */
export const WAIVED_SEGMENT = 'segment:';

export type FeePackageRecord = FeePackageFields & Lifetime;
export type FeePackageEvent = RecordEvent<'FeePackage', FeePackageRecord>;
