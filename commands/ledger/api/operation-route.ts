import { parentsAbsent } from './in-ledger.ts';
import type { LedgerRefusalName } from '#src/events/ledger/refusals.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { AccountingEntries, AccountRule } from '#src/events/ledger/route-rules.ts';
import { created, noContent, ok } from '#src/http/reply.ts';
import { route } from './route.ts';
import {
  createOperationRouteBody,
  operationRouteSchema,
  operationRouteView,
  updateOperationRouteBody,
  type CreateOperationRouteBody,
  type UpdateOperationRouteBody,
} from '#src/resources/ledger/operation-route.ts';
import type { EntriesChanges } from '#commands/ledger/routing/entries.ts';
import { submitInLedger, submitInOrganization, type Submitted } from './route-levels.ts';
import { ledgersThatMayUse } from './users-of-routes.ts';
import type {
  CreateOperationRoute,
  DeleteOperationRoute,
  UpdateOperationRoute,
} from '#commands/ledger/routing/operation-route.ts';

const ROUTES = 'operation-routes';
const IN_LEDGER = '/v1/organizations/{organization_id}/ledgers/{ledger_id}/operation-routes';
const IN_ORGANIZATION = '/v2/organizations/{organization_id}/operation-routes';

const creation = {
  tag: 'Operation routes',
  method: 'post',
  permission: { namespace: 'routing', resource: ROUTES, action: 'post' },
  entityType: 'OperationRoute',
  body: createOperationRouteBody,
  replies: { 201: operationRouteSchema },
} as const;

const update = {
  tag: 'Operation routes',
  method: 'patch',
  permission: { namespace: 'routing', resource: ROUTES, action: 'patch' },
  entityType: 'OperationRoute',
  body: updateOperationRouteBody,
  replies: { 200: operationRouteSchema },
} as const;

const deletion = {
  tag: 'Operation routes',
  method: 'delete',
  permission: { namespace: 'routing', resource: ROUTES, action: 'delete' },
  entityType: 'OperationRoute',
  replies: { 204: null },
} as const;

const inOrganization = ['ORGANIZATION_NOT_FOUND'] as const;
const kept = ['OPERATION_ROUTE_NOT_FOUND', 'OPERATION_ROUTE_IN_USE'] as const;
/** What readers of the account rule and the entries refuse, and the rules of the latter. */
const fields = [
  'REQUIRED_FIELDS',
  'ACCOUNT_RULE_TYPE',
  'ACCOUNT_RULE_VALUE',
  'REVERT_NOT_BIDIRECTIONAL',
  'ENTRY_NOT_ALLOWED',
  'ENTRY_SIDE_REQUIRED',
  'HOLD_GROUP_INCOMPLETE',
  'DIRECT_ENTRY_REQUIRED',
  'TOO_LARGE',
] as const satisfies readonly LedgerRefusalName[];

export const operationRouteWriteRoutes = [
  route({
    ...creation,
    operationId: 'createOperationRoute',
    summary: 'Create an operation route in a ledger',
    path: IN_LEDGER,
    refusals: [...parentsAbsent, ...fields],
    handle: async (request, services) => {
      const { event, more } = await submitInLedger(request, services, creationOf(request));
      return created(shown(event), more);
    },
  }),

  route({
    ...update,
    operationId: 'updateOperationRoute',
    summary: 'Change an operation route of a ledger; entries are merged one by one',
    path: `${IN_LEDGER}/{operation_route_id}`,
    refusals: [...parentsAbsent, 'OPERATION_ROUTE_NOT_FOUND', ...fields],
    handle: async (request, services) => {
      const { event, more } = await submitInLedger(request, services, updateOf(request));
      return ok(shown(event), more);
    },
  }),

  route({
    ...deletion,
    operationId: 'deleteOperationRoute',
    summary: 'Delete an operation route of a ledger that no transaction route uses',
    path: `${IN_LEDGER}/{operation_route_id}`,
    refusals: [...parentsAbsent, ...kept],
    handle: async (request, services) =>
      noContent((await submitInLedger(request, services, deletionOf(request))).more),
  }),

  route({
    ...creation,
    operationId: 'createOrganizationOperationRouteV2',
    summary: 'Create an operation route for every ledger of an organization',
    path: IN_ORGANIZATION,
    refusals: [...inOrganization, ...fields],
    handle: async (request, services) => {
      const { event, more } = await submitInOrganization(request, services, creationOf(request));
      return created(shown(event), more);
    },
  }),

  route({
    ...update,
    operationId: 'updateOrganizationOperationRouteV2',
    summary: 'Change an operation route of an organization; entries are merged one by one',
    path: `${IN_ORGANIZATION}/{operation_route_id}`,
    refusals: [...inOrganization, 'OPERATION_ROUTE_NOT_FOUND', ...fields],
    handle: async (request, services) => {
      const { event, more } = await submitInOrganization(request, services, updateOf(request));
      return ok(shown(event), more);
    },
  }),

  route({
    ...deletion,
    operationId: 'deleteOrganizationOperationRouteV2',
    summary: 'Delete an operation route of an organization that no transaction route uses',
    path: `${IN_ORGANIZATION}/{operation_route_id}`,
    refusals: [...inOrganization, ...kept],
    handle: async (request, services) => {
      const users = await ledgersThatMayUse(request.path.operation_route_id, request, services);
      const command = { ...deletionOf(request), users };
      return noContent((await submitInOrganization(request, services, command)).more);
    },
  }),
];

type Creation = Readonly<{
  path: Readonly<{ organization_id: Uuid }>;
  body: CreateOperationRouteBody;
}>;
type Addressed = Readonly<{
  path: Readonly<{ organization_id: Uuid; operation_route_id: Uuid }>;
}>;

/** Rule and entries were read by code: src/resources/ledger/operation-route-readers.ts. */
function creationOf({ path, body }: Creation): CreateOperationRoute {
  const { title, description, code, operationType, account, accountingEntries, metadata } = body;
  return {
    type: 'CreateOperationRoute',
    organizationId: path.organization_id,
    fields: {
      title,
      ...(description !== undefined && { description }),
      ...(code !== undefined && { code }),
      operationType,
      ...(account && { account: account as AccountRule }),
      ...(accountingEntries && { accountingEntries: accountingEntries as AccountingEntries }),
      ...(metadata && { metadata }),
    },
  };
}

const updateOf = ({
  path,
  body: { account, accountingEntries, ...changes },
}: Addressed & Readonly<{ body: UpdateOperationRouteBody }>): UpdateOperationRoute => ({
  type: 'UpdateOperationRoute',
  organizationId: path.organization_id,
  operationRouteId: path.operation_route_id,
  changes: {
    ...changes,
    account: account as AccountRule | undefined,
    accountingEntries: accountingEntries as EntriesChanges | undefined,
  },
});

const deletionOf = ({ path }: Addressed): DeleteOperationRoute => ({
  type: 'DeleteOperationRoute',
  organizationId: path.organization_id,
  operationRouteId: path.operation_route_id,
});

function shown({ data }: Submitted['event']): string {
  if (!('operationRoute' in data)) throw new Error('An operation route was asked for');
  return JSON.stringify(operationRouteView(data.operationRoute));
}
