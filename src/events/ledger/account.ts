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

/** A one-time exception: lets one debit pass from a blocked account until it expires. */
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

/** The overdraft settings: whether debits may exceed the available amount, and by how much. */
export type BalanceSettings = Readonly<{
  /** `internal` marks a balance that the ledger maintains itself, to show what its account owes. */
  balanceScope: 'transactional' | 'internal';
  allowOverdraft: boolean;
  overdraftLimitEnabled: boolean;
  /** A decimal above zero; present while the limit is enabled. */
  overdraftLimit?: string;
}>;

/** A balance without its amounts, which are in the operations of transactions. */
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
  /** Complete settings; absent until they are set. */
  settings?: BalanceSettings;
  createdAt: Instant;
  updatedAt: Instant;
  deletedAt: Instant | null;
}>;

/**
 * The amounts of a balance, as decimal strings; `version` counts the operations ever applied to it. On an operation of
 * an account's overdraft balance, `overdraftUsed` repeats that of the operation it goes with.
 */
export type BalanceState = Readonly<{
  available: string;
  onHold: string;
  version: number;
  overdraftUsed: string;
}>;
