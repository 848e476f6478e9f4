import type { Revision, Uuid } from '#src/kernel/ids.ts';
import type { LedgerSettings } from './ledger-settings.ts';
import type { Instant } from '#src/kernel/instant.ts';
import type {
  AccountRecord,
  BalanceRecord,
  BalanceState,
  BlockExceptionRecord,
} from './account.ts';
import type { GroupPartEvent } from './group.ts';
import type { RouteEvent } from './routes.ts';
import type { RecordEvent } from '#src/kernel/record.ts';
import type { DeclaredRecordEvent, RecordInLedger } from './records.ts';
import type { Metadata, MetadataClaimed, Status } from '#src/events/shared.ts';
import type { TransactionEvent } from './transaction.ts';

export type LedgerRecord = Readonly<{
  id: Uuid;
  organizationId: Uuid;
  name: string;
  status: Status;
  metadata?: Metadata;
  /** Complete settings; absent while they are the defaults and were never set. */
  settings?: LedgerSettings;
  createdAt: Instant;
  updatedAt: Instant;
  deletedAt: Instant | null;
}>;

export type AssetFields = Readonly<{
  name: string;
  type: string;
  code: string;
  status: Status;
  metadata?: Metadata;
}>;

export type AssetRecord = RecordInLedger<AssetFields>;

/**
 * An exchange rate: one unit of `from` is worth rate × 10^−scale units of `to`; `rate` and `scale` are integers.
 * Reference data.
 */
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
  /** The time to live, in seconds. */
  ttl: number;
  metadata?: Metadata;
  createdAt: Instant;
  updatedAt: Instant;
}>;

/** The events of the journal of a ledger. */
export type LedgerEvent =
  | Readonly<{
      type: 'LedgerOpened';
      data: Readonly<{
        ledger: LedgerRecord;
        /** The id of the organization's own holder. */
        holderId: Uuid;
        /**
         * The event by which the organization's journal reserved the name; its revision orders the organization's
         * ledgers.
         */
        reservedAt: Readonly<{ journal: string; revision: Revision }>;
      }>;
    }>
  /** `reservedAt`: the event by which the organization's journal reserved a new name, if the name changed. */
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
  /** The last event of the journal; it accepts no commands after it. */
  | Readonly<{ type: 'LedgerClosed'; data: Readonly<{ ledger: LedgerRecord }> }>
  | RecordEvent<'Asset', AssetRecord>
  | Readonly<{ type: 'AssetRateCreated'; data: Readonly<{ assetRate: AssetRateRecord }> }>
  /** `changed` may be empty, in which case only the age of the rate is new. */
  | Readonly<{
      type: 'AssetRateUpdated';
      data: Readonly<{ assetRate: AssetRateRecord; changed: readonly string[] }>;
    }>
  | DeclaredRecordEvent
  | Readonly<{
      type: 'AccountOpened';
      data: Readonly<{ account: AccountRecord; balance: BalanceRecord }>;
    }>
  | Readonly<{
      type: 'AccountUpdated';
      data: Readonly<{ account: AccountRecord; changed: readonly string[] }>;
    }>
  /** The account is empty and can no longer be used. */
  | Readonly<{ type: 'AccountClosed'; data: Readonly<{ account: AccountRecord }> }>
  /** Deletes the account with all its balances, which were empty. */
  | Readonly<{
      type: 'AccountDeleted';
      data: Readonly<{ account: AccountRecord; balances: readonly BalanceRecord[] }>;
    }>
  /** The rates of one request, valid from one instant on. */
  | Readonly<{
      type: 'BlockExceptionsGranted';
      data: Readonly<{ exceptions: readonly BlockExceptionRecord[] }>;
    }>
  /**
   * An additional, empty balance. The balance that shows an account's debt is created when overdraft is first allowed.
   */
  | Readonly<{
      type: 'BalanceCreated';
      /** An account's overdraft balance names the balance for which it was first needed. */
      data: Readonly<{ balance: BalanceRecord; parentBalanceId?: Uuid }>;
    }>
  /** `state`: the amounts, which this event does not change. */
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
