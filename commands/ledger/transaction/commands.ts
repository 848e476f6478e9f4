import type { Uuid } from '#src/kernel/ids.ts';
import type { Instant } from '#src/kernel/instant.ts';
import type { TransactionRecord } from '#src/events/ledger/transaction.ts';
import type { Metadata, TransactionMetadata } from '#src/events/shared.ts';
import type { MetadataChanges } from '#src/kernel/patch.ts';
import type { ItemLocations, RequestLocations } from './locations.ts';

/** A source or destination in a request, before shares and remainders are calculated. Decimals are texts. */
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
  /** The body does not contain this leg, so no finding can point to it. */
  implied?: true;
}>;

/** A transaction as a client requests it (contract ledger §5.3); all other forms are converted to this one. */
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
  /** A pending transaction holds its funds until it is committed or cancelled. */
  pending?: boolean | undefined;
  transactionDate?: Instant | undefined;
  skip?: Readonly<{ fees?: boolean | undefined; tracer?: boolean | undefined }> | undefined;
  send: Readonly<{
    asset: string;
    /** Defaults to 0. */
    value?: string | undefined;
    source: Readonly<{ from: readonly RequestedLeg[] }>;
    distribute: Readonly<{ to: readonly RequestedLeg[] }>;
  }>;
}>;

export type LocatedRequest = Readonly<{
  request: TransactionRequest;
  locations: RequestLocations;
}>;

/** The version whose rules the fees of a transaction follow: version 2 marks their operations. */
export type FeeRules = 1 | 2;

/** `as` names forms that are never pending: an annotation moves no money, a block is a renamed transfer. */
export type PostTransaction = LocatedRequest &
  Readonly<{
    type: 'PostTransaction';
    organizationId: Uuid;
    as?: 'annotation' | 'block' | 'unblock';
    /** Absent if no fees are charged. */
    fees?: FeeRules | undefined;
  }>;

/** Posts several transactions, each on the balances that the ones before it leave, or none of them. */
export type PostTransactions = Readonly<{
  type: 'PostTransactions';
  organizationId: Uuid;
  requests: readonly TransactionRequest[];
  items: ItemLocations;
  /** Locations inside each item. */
  locations: RequestLocations;
  /** The largest size of the batch, including what rules of the ledger add. */
  most?: Expansion;
  /** Absent if no fees are charged. */
  fees?: FeeRules | undefined;
}>;

/** The size of a batch: the number of legs that are booked or awaited, and of distinct balances. */
export type Expansion = Readonly<{ postings: number; balances: number }>;

export type SettleTransaction = Readonly<{
  type: 'CommitTransaction' | 'CancelTransaction';
  organizationId: Uuid;
  transactionId: Uuid;
  /** Only for a commit; blocks do not stop a cancellation. */
  accountBlockExceptionId?: Uuid | undefined;
  /** Only for a commit: its credits pay fee debts, as those of version 2 do. */
  paysDebts?: boolean | undefined;
}>;

export type RevertTransaction = Readonly<{
  type: 'RevertTransaction';
  organizationId: Uuid;
  transactionId: Uuid;
  accountBlockExceptionId?: Uuid | undefined;
  /** Its credits pay fee debts, as those of version 2 do. */
  paysDebts?: boolean | undefined;
}>;

/** Absent members stay as they are. Null removes a key of metadata, or as a whole all of them. */
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
