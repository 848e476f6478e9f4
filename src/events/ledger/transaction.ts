import type { DomainEvent } from '#src/kernel/decider.ts';
import type { Revision, Uuid } from '#src/kernel/ids.ts';
import type { Instant } from '#src/kernel/instant.ts';
import type { BalanceState } from './account.ts';
import type { FeeDebtChange } from './fee-debt.ts';
import type { Metadata, Side, TransactionMetadata } from '#src/events/shared.ts';

/** One movement on one balance, with the state before and after, so that it can be audited on its own. */
export type OperationRecord = Readonly<{
  id: Uuid;
  type:
    | 'DEBIT'
    | 'CREDIT'
    | 'ON_HOLD'
    | 'RELEASE'
    | 'OVERDRAFT'
    | 'BLOCK'
    | 'UNBLOCK'
    | 'FEE_SETTLEMENT'
    | 'FEE_REFUND';
  direction: Side;
  /** The cause of the operation. */
  origin: 'request' | 'fee' | 'overdraft' | 'settlement';
  amount: string;
  accountId: Uuid;
  accountAlias: string;
  balanceId: Uuid;
  balanceKey: string;
  balance: BalanceState;
  balanceAfter: BalanceState;
  /** The limit of the overdraft when the operation changed what it uses; absent without a limit. */
  overdraftLimit?: string;
  /** Absent if it equals the transaction's. */
  description?: string;
  chartOfAccounts?: string;
  route?: string;
  routeId?: Uuid;
  /** The code of its operation route's entry, if routes are validated. */
  routeCode?: string;
  routeDescription?: string;
  rate?: Readonly<Record<string, unknown>>;
  metadata?: Metadata;
  /** Present on annotations, which move no money. */
  balanceAffected?: false;
  /** The status and time of the step that booked it; each is absent if it equals the transaction's. */
  status?: TransactionStatus;
  createdAt?: Instant;
  updatedAt?: Instant;
}>;

export type TransactionStatus = 'APPROVED' | 'PENDING' | 'CANCELED' | 'NOTED';

/**
 * A destination of a pending transaction, which its commit will credit even if aliases change. In a part of a group, it
 * is also a source that will be debited without a hold: the external account.
 */
export type AwaitingLeg = Readonly<
  { direction?: 'debit' } & Pick<
    OperationRecord,
    | 'amount'
    | 'accountId'
    | 'accountAlias'
    | 'balanceKey'
    | 'description'
    | 'chartOfAccounts'
    | 'route'
    | 'routeId'
    | 'rate'
    | 'metadata'
  >
> &
  /** Absent for `request`. */
  Partial<Pick<OperationRecord, 'origin'>>;

/** A whole transaction. Members that a view can derive from others (an operation's ledger) are not repeated. */
export type TransactionRecord = Readonly<{
  id: Uuid;
  organizationId: Uuid;
  ledgerId: Uuid;
  /** On a reversal, the transaction that it reverts. */
  parentTransactionId?: Uuid;
  /** The cross-ledger transaction that this is a part of. */
  groupId?: Uuid;
  description?: string;
  status: TransactionStatus;
  amount: string;
  assetCode: string;
  chartOfAccountsGroupName?: string;
  code?: string;
  source: readonly string[];
  destination: readonly string[];
  route?: string;
  routeId?: Uuid;
  scheme?: 'CARD' | 'WIRE' | 'PIX' | 'CRYPTO';
  /** The fee opt-outs that were applied. */
  feesSkipped?: true;
  tracerSkipped?: true;
  feePackage?: AppliedFeePackage;
  metadata?: TransactionMetadata;
  /** Present while the transaction is pending. */
  awaiting?: readonly AwaitingLeg[];
  /** The operations of all its steps, in the order in which they were booked. */
  operations: readonly OperationRecord[];
  /** The client's own date if it gave one, else the time of recording. */
  createdAt: Instant;
  updatedAt: Instant;
  /** The changes that the transaction made to fee debts. Last, so that readers of the usual form parse these instead. */
  feeDebts?: readonly FeeDebtChange[];
}>;

/**
 * The package of fees that applied to a transaction, with the revision of the journal of fees at which it was read. It
 * charges nothing if every payer is exempt.
 */
export type AppliedFeePackage = Readonly<{ id: Uuid; revision: Revision; charged: boolean }>;

/** The revision of another journal on which a decision relied. */
export type Reliance = Readonly<{ journal: string; revision: Revision }>;
export type Relying = Readonly<{ relies?: readonly Reliance[] }>;

export type TransactionPosted = Readonly<{
  type: 'TransactionPosted';
  data: Readonly<{ transaction: TransactionRecord }> & Relying & ByException;
}> &
  Pick<DomainEvent, 'compact'>;

/** The events of transactions. Each carries the whole transaction. */
export type TransactionEvent =
  /** The transaction is settled at once; a reversal names its parent. */
  | TransactionPosted
  /**
   * The amounts of its sources are held until it is committed or canceled. `direct`: it is held only as a preparation,
   * until all ledgers of its group are prepared.
   */
  | Readonly<{
      type: 'TransactionHeld';
      data: Readonly<{ transaction: TransactionRecord; direct?: true }> & Relying & ByException;
    }>
  /** An annotation, which moves no money. */
  | Readonly<{ type: 'TransactionNoted'; data: Readonly<{ transaction: TransactionRecord }> }>
  | Readonly<{ type: 'TransactionCommitted'; data: Settlement }>
  | Readonly<{ type: 'TransactionCanceled'; data: Settlement }>
  | Readonly<{
      type: 'TransactionUpdated';
      data: Readonly<{ transaction: TransactionRecord; changed: readonly string[] }>;
    }>
  | Readonly<{
      type: 'OperationUpdated';
      data: Readonly<{
        transaction: TransactionRecord;
        operationId: Uuid;
        changed: readonly string[];
      }>;
    }>;

/**
 * The end of a pending transaction: the last `stepOperations` of its operations belong to this step. `direct`: its hold
 * was only the preparation of a direct group.
 */
export type Settlement = Readonly<{
  transaction: TransactionRecord;
  stepOperations: number;
  direct?: true;
}> &
  Relying &
  ByException;

/**
 * The one-time exception that let a debit pass a block, and was consumed by it. In a prepared part of a group, it is
 * reserved until the part is posted or canceled.
 */
export type ByException = Readonly<{ accountBlockExceptionId?: Uuid }>;
