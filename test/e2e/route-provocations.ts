import type { LedgerRefusalName } from '#src/events/ledger/refusals.ts';
import type { Client } from '#test/support/client.ts';
import type { Book } from './books.ts';
import { NOBODY } from './books.ts';
import type { Changes, Stage } from './provocations.ts';
import { TAKEN } from './staged-values.ts';
import { both, createOperationRoute, createTransactionRoute, debit } from './routes.ts';

/** Operation routes and transaction routes at both levels; those of the organization say so. */
export async function stageRoutes(client: Client, { org, at }: Book): Promise<Stage> {
  const above = `/v2/organizations/${org}`;
  const stage: Record<string, string> = {};
  for (const [level, where] of [
    ['', at],
    ['organization: ', above],
  ] as const) {
    const source = await createOperationRoute(client, where, 'source', {
      accountingEntries: { direct: debit },
    });
    const destination = await createOperationRoute(client, where, 'destination');
    const route = await createTransactionRoute(client, where, [source, destination]);
    stage[`${level}operation_route_id`] = source.id;
    stage[`${level}transaction_route_id`] = route.id;
    stage[`the ${level}source route`] = source.id;
    stage[`the ${level}destination route`] = destination.id;
  }
  return stage;
}

/** Bodies that would be taken. */
export const routeBodies: Readonly<Record<string, object>> = {
  createOperationRoute: { title: 'Cash', operationType: 'source' },
  createOrganizationOperationRouteV2: { title: 'Cash', operationType: 'source' },
  createTransactionRoute: {
    title: 'Payment',
    operationRoutes: ['the source route', 'the destination route'],
  },
  createOrganizationTransactionRouteV2: {
    title: 'Payment',
    operationRoutes: ['the organization: source route', 'the organization: destination route'],
  },
};

type Cases = Readonly<Partial<Record<LedgerRefusalName, Changes>>>;

const long = 'x'.repeat(256);
const operationRoute: Cases = {
  MALFORMED_FIELD: { title: long },
  ACCOUNT_RULE_TYPE: { account: { ruleType: 'name', validIf: 'x' } },
  ACCOUNT_RULE_VALUE: { account: { ruleType: 'alias', validIf: ['x'] } },
};
const creation: Cases = {
  ...operationRoute,
  OPERATION_TYPE_INVALID: { operationType: 'up' },
  ENTRY_NOT_ALLOWED: { operationType: 'destination', accountingEntries: { hold: both } },
  REVERT_NOT_BIDIRECTIONAL: { accountingEntries: { revert: both } },
  ENTRY_SIDE_REQUIRED: { accountingEntries: { overdraft: debit } },
  HOLD_GROUP_INCOMPLETE: { accountingEntries: { hold: both } },
  DIRECT_ENTRY_REQUIRED: { accountingEntries: { overdraft: both } },
};
const update: Cases = {
  ...operationRoute,
  REQUIRED_FIELDS: { account: { ruleType: 'alias' } },
  REVERT_NOT_BIDIRECTIONAL: { accountingEntries: { revert: both } },
  ENTRY_SIDE_REQUIRED: { accountingEntries: { overdraft: debit } },
  HOLD_GROUP_INCOMPLETE: { accountingEntries: { hold: both } },
  DIRECT_ENTRY_REQUIRED: { accountingEntries: { direct: null, overdraft: both } },
};

const many = Array.from({ length: 101 }, () => NOBODY);
const template = (level: string): Cases => ({
  MALFORMED_FIELD: { title: long },
  BODY_UNREADABLE: { operationRoutes: ['x'] },
  TOO_FEW_OPERATION_ROUTES: { operationRoutes: [] },
  TOO_MANY_OPERATION_ROUTES: { operationRoutes: many },
  OPERATION_ROUTE_NOT_FOUND: { operationRoutes: [NOBODY, NOBODY] },
  NO_SOURCE_ROUTE: {
    operationRoutes: [`the ${level}destination route`, `the ${level}destination route`],
  },
  NO_DESTINATION_ROUTE: {
    operationRoutes: [`the ${level}source route`, `the ${level}source route`],
  },
});

const inOrganization = (name: 'operation_route_id' | 'transaction_route_id', cases: Cases) =>
  Object.fromEntries(
    Object.entries<Changes>(cases).map(([refusal, changes]) => [
      refusal,
      { at: { [name]: `organization: ${name}` }, ...changes },
    ]),
  );
const NO_OPERATION_ROUTE = { at: { operation_route_id: NOBODY } };
const NO_TRANSACTION_ROUTE = { at: { transaction_route_id: NOBODY } };

/** What each operation is refused for. */
export const routeProvocations: Readonly<Record<string, Cases>> = {
  createOperationRoute: creation,
  createOrganizationOperationRouteV2: creation,
  updateOperationRoute: {
    ...update,
    ENTRY_NOT_ALLOWED: {
      at: { operation_route_id: 'the destination route' },
      accountingEntries: { hold: both },
    },
    OPERATION_ROUTE_NOT_FOUND: NO_OPERATION_ROUTE,
  },
  updateOrganizationOperationRouteV2: {
    ...inOrganization('operation_route_id', { ...update, INDEX_CONFLICT: { metadata: TAKEN } }),
    ENTRY_NOT_ALLOWED: {
      at: { operation_route_id: 'the organization: destination route' },
      accountingEntries: { hold: both },
    },
    OPERATION_ROUTE_NOT_FOUND: NO_OPERATION_ROUTE,
  },
  deleteOperationRoute: {
    OPERATION_ROUTE_NOT_FOUND: NO_OPERATION_ROUTE,
    OPERATION_ROUTE_IN_USE: {},
  },
  deleteOrganizationOperationRouteV2: {
    OPERATION_ROUTE_NOT_FOUND: NO_OPERATION_ROUTE,
    OPERATION_ROUTE_IN_USE: { at: { operation_route_id: 'organization: operation_route_id' } },
  },
  getOperationRoute: { OPERATION_ROUTE_NOT_FOUND: NO_OPERATION_ROUTE },
  getOrganizationOperationRouteV2: { OPERATION_ROUTE_NOT_FOUND: NO_OPERATION_ROUTE },
  createTransactionRoute: template(''),
  createOrganizationTransactionRouteV2: template('organization: '),
  updateTransactionRoute: { ...template(''), TRANSACTION_ROUTE_NOT_FOUND: NO_TRANSACTION_ROUTE },
  updateOrganizationTransactionRouteV2: {
    ...inOrganization('transaction_route_id', {
      ...template('organization: '),
      INDEX_CONFLICT: { metadata: TAKEN },
    }),
    TRANSACTION_ROUTE_NOT_FOUND: NO_TRANSACTION_ROUTE,
  },
  deleteTransactionRoute: { TRANSACTION_ROUTE_NOT_FOUND: NO_TRANSACTION_ROUTE },
  deleteOrganizationTransactionRouteV2: { TRANSACTION_ROUTE_NOT_FOUND: NO_TRANSACTION_ROUTE },
  getTransactionRoute: { TRANSACTION_ROUTE_NOT_FOUND: NO_TRANSACTION_ROUTE },
  getOrganizationTransactionRouteV2: { TRANSACTION_ROUTE_NOT_FOUND: NO_TRANSACTION_ROUTE },
};
