/**
 * The members of a ledger's events that the auditor reads. They repeat the published shapes on purpose, instead of
 * using the types of the program that writes them. A missing member is found when it is read.
 */
export type AuditedState = Readonly<{
  available: string;
  onHold: string;
  version: number;
  overdraftUsed: string;
}>;

export type AuditedOperation = Readonly<{
  id: string;
  type: string;
  direction: 'debit' | 'credit';
  origin: string;
  amount: string;
  accountId: string;
  accountAlias: string;
  balanceId: string;
  balanceKey: string;
  balanceAffected?: boolean;
  /** Inherited from the transaction if absent. */
  status?: string;
  createdAt?: string;
  balance: AuditedState;
  balanceAfter: AuditedState;
}>;

/** A destination of a transaction on hold; in a part of a group also a source that is debited without a hold. */
export type AuditedAwaitingLeg = Readonly<{
  accountId: string;
  accountAlias: string;
  balanceKey: string;
  amount: string;
  direction?: 'debit';
  /** Absent for `request`. */
  origin?: string;
}>;

export type AuditedTransaction = Readonly<{
  id: string;
  organizationId: string;
  ledgerId: string;
  parentTransactionId?: string;
  groupId?: string;
  status: string;
  amount: string;
  assetCode: string;
  source: readonly string[];
  destination: readonly string[];
  operations: readonly AuditedOperation[];
  awaiting?: readonly AuditedAwaitingLeg[];
  feeDebts?: readonly AuditedDebtChange[];
  createdAt?: string;
  updatedAt: string;
}>;

export type AuditedDebtChange = Readonly<{
  kind: 'opened' | 'settled' | 'canceled' | 'reopened' | 'refunded';
  amount: string;
  debt: AuditedDebt;
}>;

export type AuditedDebt = Readonly<{
  id: string;
  seq: number;
  originTransactionId: string;
  feePackageId?: string;
  assetCode: string;
  debtor: AuditedDebtBalance;
  creditor: AuditedDebtBalance;
  opened: string;
  settled: string;
  canceled: string;
  reopened: string;
  refunded: string;
  remaining: string;
  openedAt: string;
}>;

type AuditedDebtBalance = Readonly<{ accountId: string; alias: string; key: string }>;

export type AuditedAccount = Readonly<{
  id: string;
  organizationId: string;
  ledgerId: string;
  alias: string;
  assetCode: string;
  type: string;
  portfolioId?: string | undefined;
  segmentId?: string | undefined;
  blocked: boolean;
  closedAt: string | null;
}>;

export type AuditedException = Readonly<{
  id: string;
  organizationId: string;
  ledgerId: string;
  accountId: string;
  amount: string;
  createdAt: string;
  expiresAt: string;
}>;

export type AuditedBalance = Readonly<{
  id: string;
  ledgerId: string;
  accountId: string;
  alias: string;
  key: string;
  assetCode: string;
  direction: 'debit' | 'credit';
  settings?: AuditedSettings;
}>;

/** The permission of a balance to overdraw, and its limit. */
export type AuditedSettings = Readonly<{
  balanceScope: string;
  allowOverdraft: boolean;
  overdraftLimitEnabled: boolean;
  overdraftLimit?: string;
}>;

export type AuditedAsset = Readonly<{ id: string; ledgerId: string; code: string }>;

export type AuditedAssetRate = Readonly<{
  id: string;
  ledgerId: string;
  from: string;
  to: string;
  rate: number;
  scale: number;
}>;

export type AuditedSegment = Readonly<{
  id: string;
  organizationId: string;
  ledgerId: string;
  name: string;
}>;

export type AuditedPortfolio = Readonly<{ id: string; organizationId: string; ledgerId: string }>;

export type AuditedAccountType = Readonly<{
  id: string;
  organizationId: string;
  ledgerId: string;
  keyValue: string;
  defaultDirection?: 'credit' | 'debit';
}>;

export type AuditedLedger = Readonly<{
  id: string;
  organizationId: string;
  settings?: Readonly<{ accounting: Readonly<{ validateAccountType: boolean }> }>;
}>;
