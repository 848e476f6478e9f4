import type { Revision, Uuid } from '#src/kernel/ids.ts';

/** The sides of a transaction that an operation route applies to. */
export const OPERATION_TYPES = ['source', 'destination', 'bidirectional'] as const;
export type OperationType = (typeof OPERATION_TYPES)[number];

/** The accounting entries that an operation route can define (contract ledger §6.1). */
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

/** The accounting code and description of one side of an entry. */
export type Rubric = Readonly<{ code?: string; description?: string }>;

/** An accounting entry; at least one side is not null. */
export type AccountingEntry = Readonly<{ debit: Rubric | null; credit: Rubric | null }>;
export type AccountingEntries = Readonly<Partial<Record<EntryName, AccountingEntry>>>;

/** The accounts that an operation may use. */
export type AccountRule =
  | Readonly<{ ruleType: 'alias'; validIf: string }>
  | Readonly<{ ruleType: 'account_type'; validIf: readonly string[] }>;

/** The parts of an operation route that decisions need. */
export type OperationRouteRule = Readonly<{
  id: Uuid;
  operationType: OperationType;
  account?: AccountRule;
  accountingEntries?: AccountingEntries;
  /** The revision of its last event. */
  revision: Revision;
}>;

export type TransactionRouteRule = Readonly<{
  id: Uuid;
  operationRoutes: readonly Uuid[];
  /** The revision of its last event. */
  revision: Revision;
}>;

/** All routes of one journal that are not deleted. */
export type RouteRules = Readonly<{
  operationRoutes: ReadonlyMap<Uuid, OperationRouteRule>;
  transactionRoutes: ReadonlyMap<Uuid, TransactionRouteRule>;
}>;

export const usesRoute = ({ transactionRoutes }: RouteRules, id: Uuid): boolean =>
  [...transactionRoutes.values()].some(({ operationRoutes }) => operationRoutes.includes(id));
