import type { Revision, Uuid } from '#src/kernel/ids.ts';
import type { Instant } from '#src/kernel/instant.ts';
import type { BalanceState } from './account.ts';
import type { Metadata, Side, TransactionMetadata } from '#src/events/shared.ts';

/** One movement of one balance, with the state before and after, so that an auditor can check it alone. */
export type OperationRecord = Readonly<{
  id: Uuid;
  type: 'DEBIT' | 'CREDIT' | 'ON_HOLD' | 'RELEASE' | 'OVERDRAFT' | 'BLOCK' | 'UNBLOCK';
  direction: Side;
  /** What asked for it. */
  origin: 'request' | 'fee' | 'overdraft' | 'settlement';
  amount: string;
  accountId: Uuid;
  accountAlias: string;
  balanceId: Uuid;
  balanceKey: string;
  balance: BalanceState;
  balanceAfter: BalanceState;
  /** Left out when it is the transaction's. */
  description?: string;
  chartOfAccounts?: string;
  route?: string;
  routeId?: Uuid;
  /** Of the entry of its operation route, where routes are validated. */
  routeCode?: string;
  routeDescription?: string;
  rate?: Readonly<Record<string, unknown>>;
  metadata?: Metadata;
  /** On annotations, which move nothing. */
  balanceAffected?: false;
  /** Each left out while it is the transaction's: what the step that booked it came to, and when. */
  status?: TransactionStatus;
  createdAt?: Instant;
  updatedAt?: Instant;
}>;

export type TransactionStatus = 'APPROVED' | 'PENDING' | 'CANCELED' | 'NOTED';

/**
 * A destination of a pending transaction: what its commit will credit, whatever happens to aliases. In a part of a
 * group also what it will debit without holding it, which is the world outside.
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
  /** Left out when it is the request. */
  Partial<Pick<OperationRecord, 'origin'>>;

/** A transaction whole. Members that a view can tell from others (an operation's ledger) are not repeated. */
export type TransactionRecord = Readonly<{
  id: Uuid;
  organizationId: Uuid;
  ledgerId: Uuid;
  /** On a reversal: what it reverts. */
  parentTransactionId?: Uuid;
  /** The transaction over several ledgers that this is a part of. */
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
  /** Opt-outs that were honoured. */
  feesSkipped?: true;
  tracerSkipped?: true;
  metadata?: TransactionMetadata;
  /** While it is pending. */
  awaiting?: readonly AwaitingLeg[];
  /** Of all its steps, in the order they were booked. */
  operations: readonly OperationRecord[];
  /** The client's own date when it gave one, else the moment of recording. */
  createdAt: Instant;
  updatedAt: Instant;
}>;

/** Another journal that was asked, and where it was: what a decision relied upon. */
export type Reliance = Readonly<{ journal: string; revision: Revision }>;
export type Relying = Readonly<{ relies?: readonly Reliance[] }>;

export type TransactionPosted = Readonly<{
  type: 'TransactionPosted';
  data: Readonly<{ transaction: TransactionRecord }> & Relying & ByException;
}>;

/** Everything that happens to a transaction carries it whole. */
export type TransactionEvent =
  /** Settled at once; a reversal names its parent. */
  | TransactionPosted
  /**
   * Its sources are held until it is committed or cancelled. `direct`: only in preparation, until all ledgers of its
   * group have done the like.
   */
  | Readonly<{
      type: 'TransactionHeld';
      data: Readonly<{ transaction: TransactionRecord; direct?: true }> & Relying & ByException;
    }>
  /** An annotation: it moves nothing. */
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
 * The end of a pending transaction: the last `stepOperations` of its operations are what it came to. `direct`: its hold
 * was no more than the preparation of a direct group.
 */
export type Settlement = Readonly<{
  transaction: TransactionRecord;
  stepOperations: number;
  direct?: true;
}> &
  Relying &
  ByException;

/**
 * The exception from a block that let a debit pass; it is used up by that. In a part of a group that is prepared, it is
 * kept for it until it is posted or given up.
 */
export type ByException = Readonly<{ accountBlockExceptionId?: Uuid }>;
