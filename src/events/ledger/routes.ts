import type { Revision, Uuid } from '#src/kernel/ids.ts';
import type { Instant } from '#src/kernel/instant.ts';
import type { AccountingEntries, AccountRule, OperationType } from './route-rules.ts';
import type { Metadata } from '#src/events/shared.ts';

type RouteRecord = Readonly<{
  id: Uuid;
  organizationId: Uuid;
  /** Absent for routes of the organization. */
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

/** The last event of an operation route when a decision relied on it, in this journal or the organization's. */
export type RoutePlace = Readonly<{ id: Uuid; journal: string; revision: Revision }>;

/** The events of routes, in the journal of their ledger or of their organization. */
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
  /** Its operation routes are not deleted. */
  | Readonly<{
      type: 'TransactionRouteDeleted';
      data: Readonly<{ transactionRoute: TransactionRouteRecord }>;
    }>;
