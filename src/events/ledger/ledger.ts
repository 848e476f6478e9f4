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
  /** Complete; left out while they are the defaults and nobody ever set them. */
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
  | RecordEvent<'Asset', AssetRecord>
  | Readonly<{ type: 'AssetRateCreated'; data: Readonly<{ assetRate: AssetRateRecord }> }>
  /** Nothing may have changed but its age. */
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
