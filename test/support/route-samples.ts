import type { OrganizationFact } from '#commands/ledger/state/journal-facts.ts';
import type { RouteCommand } from '#commands/ledger/routing/decide.ts';
import type {
  CreateOperationRoute,
  UpdateOperationRoute,
} from '#commands/ledger/routing/operation-route.ts';
import type {
  CreateTransactionRoute,
  UpdateTransactionRoute,
} from '#commands/ledger/routing/transaction-route.ts';
import type { JournalFact } from '#src/kernel/decider.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { organizationJournal } from '#src/kernel/journal-name.ts';
import type {
  AccountingEntries,
  AccountingEntry,
  EntryName,
  RouteRules,
} from '#src/events/ledger/route-rules.ts';
import type {
  OperationRouteRecord,
  RouteEvent,
  TransactionRouteRecord,
} from '#src/events/ledger/routes.ts';
import { idOf, LEDGER, ORGANIZATION } from './ledger-samples.ts';
import { NOW } from './stamps.ts';

/* Routes of specs are named; their ids follow from the names. */

export const routeId = (name: string): Uuid => idOf(`route ${name}`);

const DEBIT = { code: 'D', description: 'Debited' };
const CREDIT = { code: 'C', description: 'Credited' };
export const debit: AccountingEntry = { debit: DEBIT, credit: null };
export const credit: AccountingEntry = { debit: null, credit: CREDIT };
export const both: AccountingEntry = { debit: DEBIT, credit: CREDIT };

type OperationRouteFields = CreateOperationRoute['fields'];

export const createOperationRoute = (
  fields: Partial<OperationRouteFields> = {},
): CreateOperationRoute => ({
  type: 'CreateOperationRoute',
  organizationId: ORGANIZATION,
  fields: { title: 'Route', operationType: 'source', ...fields },
});

export const updateOperationRoute = (
  name: string,
  changes: UpdateOperationRoute['changes'],
): UpdateOperationRoute => ({
  type: 'UpdateOperationRoute',
  organizationId: ORGANIZATION,
  id: routeId(name),
  changes,
});

export const deleteOperationRoute = (name: string): RouteCommand => ({
  type: 'DeleteOperationRoute',
  organizationId: ORGANIZATION,
  id: routeId(name),
});

export const operationRoute = (
  name: string,
  fields: Partial<OperationRouteRecord> = {},
): OperationRouteRecord => ({
  id: routeId(name),
  organizationId: ORGANIZATION,
  ledgerId: LEDGER,
  title: 'Route',
  operationType: 'source',
  ...fields,
  createdAt: NOW,
  updatedAt: NOW,
  deletedAt: null,
});

export const operationRouteCreated = (
  name: string,
  fields: Partial<OperationRouteRecord> = {},
): RouteEvent => ({
  type: 'OperationRouteCreated',
  data: { operationRoute: operationRoute(name, fields) },
});

export const createTransactionRoute = (
  names: readonly string[],
  fields: Partial<CreateTransactionRoute['fields']> = {},
): CreateTransactionRoute => ({
  type: 'CreateTransactionRoute',
  organizationId: ORGANIZATION,
  fields: { title: 'Payment', operationRoutes: names.map(routeId), ...fields },
});

export const updateTransactionRoute = (
  name: string,
  changes: UpdateTransactionRoute['changes'],
): UpdateTransactionRoute => ({
  type: 'UpdateTransactionRoute',
  organizationId: ORGANIZATION,
  id: routeId(name),
  changes,
});

export const deleteTransactionRoute = (name: string): RouteCommand => ({
  type: 'DeleteTransactionRoute',
  organizationId: ORGANIZATION,
  id: routeId(name),
});

export const transactionRoute = (
  name: string,
  names: readonly string[],
  fields: Partial<TransactionRouteRecord> = {},
): TransactionRouteRecord => ({
  id: routeId(name),
  organizationId: ORGANIZATION,
  ledgerId: LEDGER,
  title: 'Payment',
  operationRoutes: names.map(routeId),
  ...fields,
  createdAt: NOW,
  updatedAt: NOW,
  deletedAt: null,
});

export const transactionRouteCreated = (
  name: string,
  names: readonly string[],
  fields: Partial<TransactionRouteRecord> = {},
): RouteEvent => ({
  type: 'TransactionRouteCreated',
  data: { transactionRoute: transactionRoute(name, names, fields), places: [] },
});

/** The same entry under several names. */
export const entries = (
  entry: AccountingEntry,
  ...names: readonly EntryName[]
): AccountingEntries => Object.fromEntries(names.map((name) => [name, entry]));

/** What the organization says of its own routes, as of revision 7. */
export const organizationWith = (
  rules: Partial<RouteRules>,
): Readonly<Record<string, JournalFact & OrganizationFact>> => ({
  [organizationJournal(ORGANIZATION)]: {
    live: true,
    routes: { operationRoutes: new Map(), transactionRoutes: new Map(), ...rules },
    revision: 7,
  },
});
