import { parentsAbsent } from './in-ledger.ts';
import type { LedgerRefusalName } from '#src/events/ledger/refusals.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { OperationRouteRecord, RoutePlace } from '#src/events/ledger/routes.ts';
import { created, noContent, ok } from '#src/http/reply.ts';
import { route } from './route.ts';
import type { Services } from '#src/http/services.ts';
import {
  createTransactionRouteBody,
  transactionRouteSchema,
  transactionRouteView,
  updateTransactionRouteBody,
  type CreateTransactionRouteBody,
  type UpdateTransactionRouteBody,
} from '#src/resources/ledger/transaction-route.ts';
import { submitInLedger, submitInOrganization, type Submitted } from './route-levels.ts';
import type {
  CreateTransactionRoute,
  DeleteTransactionRoute,
  UpdateTransactionRoute,
} from '#commands/ledger/routing/transaction-route.ts';

const ROUTES = 'transaction-routes';
const IN_LEDGER = '/v1/organizations/{organization_id}/ledgers/{ledger_id}/transaction-routes';
const IN_ORGANIZATION = '/v2/organizations/{organization_id}/transaction-routes';

const creation = {
  tag: 'Transaction routes',
  method: 'post',
  permission: { namespace: 'routing', resource: ROUTES, action: 'post' },
  entityType: 'TransactionRoute',
  body: createTransactionRouteBody,
  replies: { 201: transactionRouteSchema },
} as const;

const update = {
  tag: 'Transaction routes',
  method: 'patch',
  permission: { namespace: 'routing', resource: ROUTES, action: 'patch' },
  entityType: 'TransactionRoute',
  body: updateTransactionRouteBody,
  replies: { 200: transactionRouteSchema },
} as const;

const deletion = {
  tag: 'Transaction routes',
  method: 'delete',
  permission: { namespace: 'routing', resource: ROUTES, action: 'delete' },
  entityType: 'TransactionRoute',
  replies: { 204: null },
} as const;

const inOrganization = ['ORGANIZATION_NOT_FOUND'] as const;
const template = [
  'OPERATION_ROUTE_NOT_FOUND',
  'NO_SOURCE_ROUTE',
  'NO_DESTINATION_ROUTE',
] as const satisfies readonly LedgerRefusalName[];

export const transactionRouteWriteRoutes = [
  route({
    ...creation,
    operationId: 'createTransactionRoute',
    summary: 'Create a transaction route in a ledger, of operation routes there are',
    path: IN_LEDGER,
    refusals: [...parentsAbsent, ...template],
    handle: async (request, services) => {
      const { event, more } = await submitInLedger(request, services, creationOf(request));
      return created(await shown(event, services), more);
    },
  }),

  route({
    ...update,
    operationId: 'updateTransactionRoute',
    summary: 'Change a transaction route of a ledger; operation routes are replaced',
    path: `${IN_LEDGER}/{transaction_route_id}`,
    refusals: [...parentsAbsent, 'TRANSACTION_ROUTE_NOT_FOUND', ...template, 'TOO_LARGE'],
    handle: async (request, services) => {
      const { event, more } = await submitInLedger(request, services, updateOf(request));
      return ok(await shown(event, services), more);
    },
  }),

  route({
    ...deletion,
    operationId: 'deleteTransactionRoute',
    summary: 'Delete a transaction route of a ledger; its operation routes stay',
    path: `${IN_LEDGER}/{transaction_route_id}`,
    refusals: [...parentsAbsent, 'TRANSACTION_ROUTE_NOT_FOUND'],
    handle: async (request, services) =>
      noContent((await submitInLedger(request, services, deletionOf(request))).more),
  }),

  route({
    ...creation,
    operationId: 'createOrganizationTransactionRouteV2',
    summary: 'Create a transaction route for every ledger of an organization',
    path: IN_ORGANIZATION,
    refusals: [...inOrganization, ...template],
    handle: async (request, services) => {
      const { event, more } = await submitInOrganization(request, services, creationOf(request));
      return created(await shown(event, services), more);
    },
  }),

  route({
    ...update,
    operationId: 'updateOrganizationTransactionRouteV2',
    summary: 'Change a transaction route of an organization; operation routes are replaced',
    path: `${IN_ORGANIZATION}/{transaction_route_id}`,
    refusals: [...inOrganization, 'TRANSACTION_ROUTE_NOT_FOUND', ...template, 'TOO_LARGE'],
    handle: async (request, services) => {
      const { event, more } = await submitInOrganization(request, services, updateOf(request));
      return ok(await shown(event, services), more);
    },
  }),

  route({
    ...deletion,
    operationId: 'deleteOrganizationTransactionRouteV2',
    summary: 'Delete a transaction route of an organization; its operation routes stay',
    path: `${IN_ORGANIZATION}/{transaction_route_id}`,
    refusals: [...inOrganization, 'TRANSACTION_ROUTE_NOT_FOUND'],
    handle: async (request, services) =>
      noContent((await submitInOrganization(request, services, deletionOf(request))).more),
  }),
];

type Creation = Readonly<{
  path: Readonly<{ organization_id: Uuid }>;
  body: CreateTransactionRouteBody;
}>;
type Addressed = Readonly<{
  path: Readonly<{ organization_id: Uuid; transaction_route_id: Uuid }>;
}>;

function creationOf({ path, body }: Creation): CreateTransactionRoute {
  const { title, description, operationRoutes, metadata } = body;
  return {
    type: 'CreateTransactionRoute',
    organizationId: path.organization_id,
    fields: {
      title,
      ...(description !== undefined && { description }),
      operationRoutes,
      ...(metadata && { metadata }),
    },
  };
}

const updateOf = ({
  path,
  body: changes,
}: Addressed & Readonly<{ body: UpdateTransactionRouteBody }>): UpdateTransactionRoute => ({
  type: 'UpdateTransactionRoute',
  organizationId: path.organization_id,
  transactionRouteId: path.transaction_route_id,
  changes,
});

const deletionOf = ({ path }: Addressed): DeleteTransactionRoute => ({
  type: 'DeleteTransactionRoute',
  organizationId: path.organization_id,
  transactionRouteId: path.transaction_route_id,
});

/** The event names the places in the log where its operation routes stand. */
async function shown({ data }: Submitted['event'], { log }: Services): Promise<string> {
  if (!('places' in data)) throw new Error('A transaction route was asked for');
  const read = async ({ id, journal, revision }: RoutePlace): Promise<OperationRouteRecord> => {
    const [stored] = await log.read(journal, revision, 1);
    const { operationRoute } = JSON.parse(stored?.data ?? '{}') as Readonly<{
      operationRoute?: OperationRouteRecord;
    }>;
    if (operationRoute?.id !== id)
      throw new Error(`No operation route ${id} at ${journal}@${revision}`);
    return operationRoute;
  };
  const operationRoutes = await Promise.all(data.places.map(read));
  return JSON.stringify(transactionRouteView(data.transactionRoute, operationRoutes));
}
