import type { Uuid } from '#src/kernel/ids.ts';
import type { Instant } from '#src/kernel/instant.ts';
import type { Metadata, Side, Status } from '#src/events/shared.ts';

export type AccountRecord = Readonly<{
  id: Uuid;
  organizationId: Uuid;
  ledgerId: Uuid;
  name: string;
  parentAccountId?: Uuid;
  entityId?: string;
  holderId: Uuid | null;
  assetCode: string;
  portfolioId?: Uuid;
  segmentId?: Uuid;
  status: Status;
  alias: string;
  type: string;
  blocked: boolean;
  holderCheckSkipped: boolean;
  closedAt: Instant | null;
  metadata?: Metadata;
  createdAt: Instant;
  updatedAt: Instant;
  deletedAt: Instant | null;
}>;

/** Lets one debit pass from an account that is blocked, once and for a while. */
export type BlockExceptionRecord = Readonly<{
  id: Uuid;
  organizationId: Uuid;
  ledgerId: Uuid;
  accountId: Uuid;
  accountAlias: string;
  amount: string;
  createdAt: Instant;
  expiresAt: Instant;
}>;

/** Whether debits may exceed what is available, and by how much. */
export type BalanceSettings = Readonly<{
  /** What the ledger keeps for itself is internal: it shows what an account owes. */
  balanceScope: 'transactional' | 'internal';
  allowOverdraft: boolean;
  overdraftLimitEnabled: boolean;
  /** A decimal text above zero, while the limit is enabled. */
  overdraftLimit?: string;
}>;

/** A balance without its amounts; what moves them is in the operations of transactions. */
export type BalanceRecord = Readonly<{
  id: Uuid;
  organizationId: Uuid;
  ledgerId: Uuid;
  accountId: Uuid;
  alias: string;
  key: string;
  assetCode: string;
  accountType: string;
  allowSending: boolean;
  allowReceiving: boolean;
  direction: Side;
  /** Complete; left out until they are set. */
  settings?: BalanceSettings;
  createdAt: Instant;
  updatedAt: Instant;
  deletedAt: Instant | null;
}>;

/**
 * Decimal texts; `version` counts the operations ever applied to the balance. On an operation of an account's
 * overdraft balance, `overdraftUsed` repeats that of the operation it goes with.
 */
export type BalanceState = Readonly<{
  available: string;
  onHold: string;
  version: number;
  overdraftUsed: string;
}>;
