import { operationRouteProjection } from '#projections/ledger/operation-route.ts';
import { cursorReply, pageFilters } from '#queries/paging.ts';
import { readRow, readRows } from '#queries/reading.ts';
import { operationRouteText } from './renderers.ts';
import { refuse } from '#src/events/ledger/refusals.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { ledgerJournal, organizationJournal, type JournalName } from '#src/kernel/journal-name.ts';
import { ok, type Reply } from '#src/http/reply.ts';
import type { PageRequest, Request } from '#src/http/request.ts';
import { route } from '#src/http/route.ts';
import type { Services } from '#src/http/services.ts';
import { cursorListOf } from '#src/kernel/schema-fragments.ts';
import { operationRouteSchema } from '#src/resources/ledger/operation-route.ts';
import { requireLedger, requireOrganization } from './parents.ts';

const facts = {
  tag: 'Operation routes',
  method: 'get',
  permission: { namespace: 'routing', resource: 'operation-routes', action: 'get' },
  entityType: 'OperationRoute',
} as const;

const IN_LEDGER = '/v1/organizations/{organization_id}/ledgers/{ledger_id}/operation-routes';
const IN_ORGANIZATION = '/v2/organizations/{organization_id}/operation-routes';

export const operationRouteReadRoutes = [
  route({
    ...facts,
    operationId: 'listOperationRoutes',
    summary: 'List the operation routes of a ledger',
    path: IN_LEDGER,
    paging: 'cursor',
    replies: { 200: cursorListOf(operationRouteSchema) },
    refusals: ['ORGANIZATION_NOT_FOUND', 'LEDGER_NOT_FOUND'],
    handle: async (request, services) => {
      const { organization_id: organizationId, ledger_id: ledgerId } = request.path;
      await requireLedger(services, request, organizationId, ledgerId);
      return list(request, services, ledgerId, ledgerJournal(ledgerId));
    },
  }),

  route({
    ...facts,
    operationId: 'getOperationRoute',
    summary: 'Retrieve an operation route of a ledger',
    path: `${IN_LEDGER}/{operation_route_id}`,
    replies: { 200: operationRouteSchema },
    refusals: ['ORGANIZATION_NOT_FOUND', 'LEDGER_NOT_FOUND', 'OPERATION_ROUTE_NOT_FOUND'],
    handle: async (request, services) => {
      const { organization_id: organizationId, ledger_id: ledgerId } = request.path;
      await requireLedger(services, request, organizationId, ledgerId);
      return one(request, services, ledgerId, ledgerJournal(ledgerId));
    },
  }),

  route({
    ...facts,
    operationId: 'listOrganizationOperationRoutesV2',
    summary: 'List the operation routes of an organization itself',
    path: IN_ORGANIZATION,
    paging: 'cursor',
    replies: { 200: cursorListOf(operationRouteSchema) },
    refusals: ['ORGANIZATION_NOT_FOUND'],
    handle: async (request, services) => {
      const { organization_id: organizationId } = request.path;
      await requireOrganization(services, request, organizationId);
      return list(request, services, organizationId, organizationJournal(organizationId));
    },
  }),

  route({
    ...facts,
    operationId: 'getOrganizationOperationRouteV2',
    summary: 'Retrieve an operation route of an organization itself',
    path: `${IN_ORGANIZATION}/{operation_route_id}`,
    replies: { 200: operationRouteSchema },
    refusals: ['ORGANIZATION_NOT_FOUND', 'OPERATION_ROUTE_NOT_FOUND'],
    handle: async (request, services) => {
      const { organization_id: organizationId } = request.path;
      await requireOrganization(services, request, organizationId);
      return one(request, services, organizationId, organizationJournal(organizationId));
    },
  }),
];

async function list(
  request: Request<unknown, unknown, unknown, PageRequest>,
  services: Services,
  ownerId: Uuid,
  after: JournalName,
): Promise<Reply> {
  const sequence = await readRows(services, request, {
    of: operationRouteProjection,
    after,
    where: { ownerId },
    filters: pageFilters(request.page),
  });
  return cursorReply(sequence, request.page);
}

async function one(
  request: Request<Readonly<{ operation_route_id: Uuid }>>,
  services: Services,
  ownerId: Uuid,
  after: JournalName,
): Promise<Reply> {
  const where = { id: request.path.operation_route_id, ownerId };
  const row = await readRow(services, request, { of: operationRouteProjection, after, where });
  if (row === undefined) {
    throw refuse('OPERATION_ROUTE_NOT_FOUND', 'There is no such operation route.');
  }
  return ok(operationRouteText(row));
}
