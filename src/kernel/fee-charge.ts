import type { Amount } from './amount.ts';
import type { Uuid } from './ids.ts';

/** The account of a leg, as far as fees depend on it. */
export type FeeAccount = Readonly<{ alias: string; segmentId?: Uuid | undefined }>;

export type ChargeableLeg = FeeAccount & Readonly<{ amount: Amount }>;

/** A transaction before fees: its value, and the legs of both sides with their amounts, each side adding up to it. */
export type ChargeableTransaction = Readonly<{
  value: Amount;
  from: readonly ChargeableLeg[];
  to: readonly ChargeableLeg[];
}>;

/** A leg that a fee adds to a side; `payer` is the leg that it was calculated from, by its place in its own side. */
export type FeeLeg = Readonly<{
  alias: string;
  amount: Amount;
  payer: number;
  route?: Uuid | undefined;
  /** The alias of the payer, on legs to fee accounts. */
  source?: string;
  /** Set if the payer may owe the fee; the same number is on both of its legs. */
  deferrable?: number | undefined;
}>;

/** The changes that fees make to a transaction. */
export type FeeAdjustments = Readonly<{
  /** Raised by the fees that the payers pay. */
  value: Amount;
  /** The amounts of the destinations after deductions, in their order. */
  to: readonly Amount[];
  feesFrom: readonly FeeLeg[];
  feesTo: readonly FeeLeg[];
}>;

/** A transaction that a ledger is about to post. */
export type TransactionToCharge = ChargeableTransaction &
  Readonly<{
    routeId?: string | undefined;
    route?: string | undefined;
    metadata: Readonly<Record<string, unknown>>;
    /** Returns whether an account of the ledger can receive fees. */
    hasAccount: (alias: string) => boolean;
  }>;

/** The fees of one transaction. */
export type FeeCharge = FeeAdjustments &
  Readonly<{
    packageId: Uuid;
    /** False if nobody had to pay, or the fees come to nothing. */
    isCharged: boolean;
    /** The metadata that the transaction gets; none if nothing was charged and nobody was exempt. */
    metadata: Readonly<Record<string, FeeScalar | Readonly<Record<string, FeeScalar>>>>;
  }>;

type FeeScalar = string | number | boolean;

/** The part of the public state of the journal of fees that ledgers ask, so that their rules need not know packages. */
export interface FeeCharger {
  /** Returns undefined if no package applies. Errors: refusals of the fees. */
  charge(ledgerId: Uuid, transaction: TransactionToCharge): FeeCharge | undefined;
}
