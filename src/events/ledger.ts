import type { Revision, Uuid } from '#src/domain/ids.ts';
import type { LedgerSettings } from '#src/domain/ledger-settings.ts';
import type { Instant } from '#src/domain/instant.ts';
import type { GroupPartEvent } from './group.ts';
import type { RouteEvent } from './routes.ts';
import type { RecordEvent } from './records.ts';
import type { Metadata, MetadataClaimed, Side, Status, TransactionMetadata } from './shared.ts';

export type LedgerRecord = Readonly<{
  id: Uuid;
  organizationId: Uuid;
  name: string;
  status: Status;
  metadata?: Metadata;
  /** Complete; left out while they are the defaults and nobody ever set them. */
  settings?: LedgerSettings;
  createdAt: Instant;
  updatedAt: Instant;
  deletedAt: Instant | null;
}>;

export type AssetRecord = Readonly<{
  id: Uuid;
  organizationId: Uuid;
  ledgerId: Uuid;
  name: string;
  type: string;
  code: string;
  status: Status;
  metadata?: Metadata;
  createdAt: Instant;
  updatedAt: Instant;
  deletedAt: Instant | null;
}>;

/** What one unit of `from` is worth in `to`: rate × 10^−scale, all of them whole numbers. Reference data. */
export type AssetRateRecord = Readonly<{
  id: Uuid;
  organizationId: Uuid;
  ledgerId: Uuid;
  externalId: Uuid;
  from: string;
  to: string;
  rate: number;
  scale: number;
  source: string | null;
  /** Seconds. */
  ttl: number;
  metadata?: Metadata;
  createdAt: Instant;
  updatedAt: Instant;
}>;

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

/** What happens in the journal of a ledger. */
export type LedgerEvent =
  | Readonly<{
      type: 'LedgerOpened';
      data: Readonly<{
        ledger: LedgerRecord;
        /** The organization's own holder. */
        holderId: Uuid;
        /** Where the organization's journal reserved the name: it orders the organization's ledgers. */
        reservedAt: Readonly<{ journal: string; revision: Revision }>;
      }>;
    }>
  /** `reservedAt`: where the organization's journal reserved a new name, if it changed. */
  | Readonly<{
      type: 'LedgerUpdated';
      data: Readonly<{
        ledger: LedgerRecord;
        changed: readonly string[];
        reservedAt?: Readonly<{ journal: string; revision: Revision }>;
      }>;
    }>
  /** `changed`: the settings that differ, as paths: `accounting.validateRoutes`. */
  | Readonly<{
      type: 'LedgerSettingsChanged';
      data: Readonly<{ ledger: LedgerRecord; changed: readonly string[] }>;
    }>
  /** The last event of the journal: nothing is accepted after it. */
  | Readonly<{ type: 'LedgerClosed'; data: Readonly<{ ledger: LedgerRecord }> }>
  | Readonly<{ type: 'AssetCreated'; data: Readonly<{ asset: AssetRecord }> }>
  | Readonly<{
      type: 'AssetUpdated';
      data: Readonly<{ asset: AssetRecord; changed: readonly string[] }>;
    }>
  | Readonly<{ type: 'AssetDeleted'; data: Readonly<{ asset: AssetRecord }> }>
  | Readonly<{ type: 'AssetRateCreated'; data: Readonly<{ assetRate: AssetRateRecord }> }>
  /** Nothing may have changed but its age. */
  | Readonly<{
      type: 'AssetRateUpdated';
      data: Readonly<{ assetRate: AssetRateRecord; changed: readonly string[] }>;
    }>
  | RecordEvent
  | Readonly<{
      type: 'AccountOpened';
      data: Readonly<{ account: AccountRecord; balance: BalanceRecord }>;
    }>
  | Readonly<{
      type: 'AccountUpdated';
      data: Readonly<{ account: AccountRecord; changed: readonly string[] }>;
    }>
  /** Nothing moves it any more; it stays where it is, empty. */
  | Readonly<{ type: 'AccountClosed'; data: Readonly<{ account: AccountRecord }> }>
  /** With all its balances, which were empty. */
  | Readonly<{
      type: 'AccountDeleted';
      data: Readonly<{ account: AccountRecord; balances: readonly BalanceRecord[] }>;
    }>
  /** All of one request, from one instant on. */
  | Readonly<{
      type: 'BlockExceptionsGranted';
      data: Readonly<{ exceptions: readonly BlockExceptionRecord[] }>;
    }>
  /** Beside the default one; it is empty. What shows an account's debt is opened when overdraft is first allowed. */
  | Readonly<{ type: 'BalanceCreated'; data: Readonly<{ balance: BalanceRecord }> }>
  /** `state`: the amounts, which this leaves as they are. */
  | Readonly<{
      type: 'BalanceUpdated';
      data: Readonly<{ balance: BalanceRecord; state: BalanceState; changed: readonly string[] }>;
    }>
  | Readonly<{
      type: 'BalanceDeleted';
      data: Readonly<{ balance: BalanceRecord; state: BalanceState }>;
    }>
  | RouteEvent
  | TransactionEvent
  | GroupPartEvent
  | MetadataClaimed;
