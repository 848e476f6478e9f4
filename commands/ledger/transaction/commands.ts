import type { Uuid } from '#src/kernel/ids.ts';
import type { Instant } from '#src/kernel/instant.ts';
import type { TransactionRecord } from '#src/events/ledger/transaction.ts';
import type { Metadata, TransactionMetadata } from '#src/events/shared.ts';
import type { MetadataChanges } from '#src/kernel/patch.ts';
import type { ItemLocations, RequestLocations } from './locations.ts';

/** One side's line of a request, before shares and remainders are worked out. Decimals are texts. */
export type RequestedLeg = Readonly<{
  accountAlias: string;
  balanceKey?: string | undefined;
  amount?: Readonly<{ asset: string; value: string }> | undefined;
  share?: Readonly<{ percentage: number; percentageOfPercentage?: number | undefined }> | undefined;
  remaining?: string | undefined;
  rate?: Readonly<Record<string, unknown>> | undefined;
  description?: string | undefined;
  chartOfAccounts?: string | undefined;
  metadata?: Metadata | undefined;
  route?: string | undefined;
  routeId?: Uuid | undefined;
  /** The form of the body leaves this leg out, so no finding can point to it. */
  implied?: true;
}>;

/** A transaction as a client asks for it (contract ledger §5.3); every other form is brought into this one. */
export type TransactionRequest = Readonly<{
  chartOfAccountsGroupName?: string | undefined;
  description?: string | undefined;
  code?: string | undefined;
  metadata?: TransactionMetadata | undefined;
  route?: string | undefined;
  routeId?: Uuid | undefined;
  scheme?: TransactionRecord['scheme'] | undefined;
  /** Lets one debit of a transfer that settles at once pass a block. */
  accountBlockExceptionId?: Uuid | undefined;
  /** Held until it is committed or cancelled. */
  pending?: boolean | undefined;
  transactionDate?: Instant | undefined;
  skip?: Readonly<{ fees?: boolean | undefined; tracer?: boolean | undefined }> | undefined;
  send: Readonly<{
    asset: string;
    /** Absent counts as 0. */
    value?: string | undefined;
    source: Readonly<{ from: readonly RequestedLeg[] }>;
    distribute: Readonly<{ to: readonly RequestedLeg[] }>;
  }>;
}>;

export type LocatedRequest = Readonly<{
  request: TransactionRequest;
  locations: RequestLocations;
}>;

/** `as` names the forms that are never pending: an annotation moves no money, a block is a transfer by another name. */
export type PostTransaction = LocatedRequest &
  Readonly<{
    type: 'PostTransaction';
    organizationId: Uuid;
    as?: 'annotation' | 'block' | 'unblock';
  }>;

/** Several at once: all of them, each after the ones before it, or none. */
export type PostTransactions = Readonly<{
  type: 'PostTransactions';
  organizationId: Uuid;
  requests: readonly TransactionRequest[];
  items: ItemLocations;
  /** Relative to each item. */
  locations: RequestLocations;
  /** What they may come to, whatever rules add to them. */
  most?: Expansion;
}>;

/** How much a batch comes to: legs that move or wait, and different balances. */
export type Expansion = Readonly<{ postings: number; balances: number }>;

/** What is done to a transaction that exists. */
export type SettleTransaction = Readonly<{
  type: 'CommitTransaction' | 'CancelTransaction';
  organizationId: Uuid;
  transactionId: Uuid;
  /** Of a commit; a cancellation is never stopped. */
  accountBlockExceptionId?: Uuid | undefined;
}>;

export type RevertTransaction = Readonly<{
  type: 'RevertTransaction';
  organizationId: Uuid;
  transactionId: Uuid;
  accountBlockExceptionId?: Uuid | undefined;
}>;

/** A member that is absent stays as it is; metadata are merged, a null removes its key, null as a whole all of them. */
export type DescriptiveChanges<Value = Metadata[string]> = Readonly<{
  description?: string | undefined;
  metadata?: MetadataChanges<Value> | undefined;
}>;

export type UpdateTransaction = Readonly<{
  type: 'UpdateTransaction';
  organizationId: Uuid;
  transactionId: Uuid;
  changes: DescriptiveChanges<TransactionMetadata[string]>;
}>;

export type UpdateOperation = Readonly<{
  type: 'UpdateOperation';
  organizationId: Uuid;
  transactionId: Uuid;
  operationId: Uuid;
  changes: DescriptiveChanges;
}>;

export type TransactionCommand =
  | PostTransaction
  | PostTransactions
  | SettleTransaction
  | RevertTransaction
  | UpdateTransaction
  | UpdateOperation;
