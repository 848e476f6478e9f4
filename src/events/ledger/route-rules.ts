import type { Revision, Uuid } from '#src/kernel/ids.ts';

/** Which sides of a transaction an operation route is for. */
export const OPERATION_TYPES = ['source', 'destination', 'bidirectional'] as const;
export type OperationType = (typeof OPERATION_TYPES)[number];

/** What an operation route can say something about (contract ledger §6.1). */
export const ENTRY_NAMES = [
  'direct',
  'hold',
  'commit',
  'cancel',
  'revert',
  'overdraft',
  'block',
  'unblock',
  'crossLedger',
] as const;
export type EntryName = (typeof ENTRY_NAMES)[number];

/** How one side of an entry is booked. */
export type Rubric = Readonly<{ code?: string; description?: string }>;

/** At least one side is there. */
export type Entry = Readonly<{ debit: Rubric | null; credit: Rubric | null }>;
export type AccountingEntries = Readonly<Partial<Record<EntryName, Entry>>>;

/** Which accounts an operation may name. */
export type AccountRule =
  | Readonly<{ ruleType: 'alias'; validIf: string }>
  | Readonly<{ ruleType: 'account_type'; validIf: readonly string[] }>;

/** What decisions need to know of an operation route. */
export type OperationRouteRule = Readonly<{
  id: Uuid;
  operationType: OperationType;
  account?: AccountRule;
  accountingEntries?: AccountingEntries;
  /** Of its last event. */
  revision: Revision;
}>;

export type TransactionRouteRule = Readonly<{
  id: Uuid;
  operationRoutes: readonly Uuid[];
  /** Of its last event. */
  revision: Revision;
}>;

/** All live routes of one journal. */
export type RouteRules = Readonly<{
  operationRoutes: ReadonlyMap<Uuid, OperationRouteRule>;
  transactionRoutes: ReadonlyMap<Uuid, TransactionRouteRule>;
}>;

export const usesRoute = ({ transactionRoutes }: RouteRules, id: Uuid): boolean =>
  [...transactionRoutes.values()].some(({ operationRoutes }) => operationRoutes.includes(id));
