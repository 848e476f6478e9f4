import type { Revision, Uuid } from '#src/kernel/ids.ts';
import type { Instant } from '#src/kernel/instant.ts';
import type { AccountingEntries, AccountRule, OperationType } from './route-rules.ts';
import type { Metadata } from '#src/events/shared.ts';

type RouteRecord = Readonly<{
  id: Uuid;
  organizationId: Uuid;
  /** Absent at the level of the organization. */
  ledgerId?: Uuid;
  title: string;
  description?: string;
  metadata?: Metadata;
  createdAt: Instant;
  updatedAt: Instant;
  deletedAt: Instant | null;
}>;

export type OperationRouteRecord = RouteRecord &
  Readonly<{
    code?: string;
    operationType: OperationType;
    account?: AccountRule;
    accountingEntries?: AccountingEntries;
  }>;

export type TransactionRouteRecord = RouteRecord & Readonly<{ operationRoutes: readonly Uuid[] }>;

/** Where the last event of an operation route stood when it was relied upon: in this journal or the organization's. */
export type RoutePlace = Readonly<{ id: Uuid; journal: string; revision: Revision }>;

/** What happens to routes, in the journal of their ledger or of their organization. */
export type RouteEvent =
  | Readonly<{
      type: 'OperationRouteCreated';
      data: Readonly<{ operationRoute: OperationRouteRecord }>;
    }>
  | Readonly<{
      type: 'OperationRouteUpdated';
      data: Readonly<{ operationRoute: OperationRouteRecord; changed: readonly string[] }>;
    }>
  | Readonly<{
      type: 'OperationRouteDeleted';
      data: Readonly<{ operationRoute: OperationRouteRecord }>;
    }>
  | Readonly<{
      type: 'TransactionRouteCreated';
      data: Readonly<{ transactionRoute: TransactionRouteRecord; places: readonly RoutePlace[] }>;
    }>
  | Readonly<{
      type: 'TransactionRouteUpdated';
      data: Readonly<{
        transactionRoute: TransactionRouteRecord;
        places: readonly RoutePlace[];
        changed: readonly string[];
      }>;
    }>
  /** Its operation routes stay. */
  | Readonly<{
      type: 'TransactionRouteDeleted';
      data: Readonly<{ transactionRoute: TransactionRouteRecord }>;
    }>;
