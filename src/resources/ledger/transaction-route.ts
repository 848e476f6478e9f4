import type { OperationRouteRecord, TransactionRouteRecord } from '#src/events/ledger/routes.ts';
import {
  changedMetadata,
  changedName,
  metadataView,
  name,
  newMetadata,
  record,
  recordView,
  text,
  uuid,
} from '#src/kernel/schema-fragments.ts';
import { operationRouteSchema } from './operation-route.ts';
import { viewBy, type WrittenResource } from '#src/kernel/record-resource.ts';
import type { Schema } from '#src/kernel/schema.ts';

const operationRoutes = <const Least extends number>(least: Least) =>
  ({
    type: 'array',
    items: { ...uuid, refusal: 'BODY_UNREADABLE' },
    allOf: [
      { minItems: least, refusal: 'TOO_FEW_OPERATION_ROUTES' },
      { maxItems: 100, refusal: 'TOO_MANY_OPERATION_ROUTES' },
    ],
  }) as const;

/** Contract ledger §6.2. */
const createBody = record(
  {
    title: name(255),
    description: text(250),
    operationRoutes: operationRoutes(1),
    metadata: newMetadata,
  },
  ['title', 'operationRoutes'],
) satisfies Schema;

/** The operation routes in a request replace the existing ones. */
const updateBody = record(
  {
    title: changedName(255),
    description: text(250),
    operationRoutes: { ...operationRoutes(2), neverNull: true },
    metadata: changedMetadata,
  },
  [],
) satisfies Schema;

export const transactionRouteSchema = recordView(
  'TransactionRoute',
  ['organizationId', 'ledgerId'],
  {
    title: { type: 'string' },
    description: { type: 'string' },
    operationRoutes: { type: 'array', items: operationRouteSchema },
    metadata: metadataView,
  },
  ['ledgerId', 'description', 'metadata'],
);

const ofOperationRoutes = [
  'OPERATION_ROUTE_NOT_FOUND',
  'NO_SOURCE_ROUTE',
  'NO_DESTINATION_ROUTE',
] as const;

/** Its lists and rows are written by hand, because a transaction route is shown with its operation routes in full. */
export const transactionRouteResource = {
  name: 'TransactionRoute',
  nouns: ['a transaction route', 'transaction routes'],
  tag: 'Transaction routes',
  path: 'transaction-routes',
  namespace: 'routing',
  create: createBody,
  update: updateBody,
  view: transactionRouteSchema,
  notes: {
    update: 'operation routes are replaced',
    delete: 'its operation routes stay',
  },
  remarks: {
    create:
      'Needs at least one source and one destination among its operation routes; a bidirectional one counts as both.',
    update: 'A list of operation routes needs at least two, with a source and a destination.',
  },
  refusals: {
    notFound: 'TRANSACTION_ROUTE_NOT_FOUND',
    create: ofOperationRoutes,
    update: ofOperationRoutes,
  },
} as const satisfies WrittenResource;

/** Shows the current operation routes in full. */
export const transactionRouteView = (
  route: TransactionRouteRecord,
  operationRoutes: readonly OperationRouteRecord[],
) => ({
  id: route.id,
  organizationId: route.organizationId,
  ledgerId: route.ledgerId,
  title: route.title,
  description: route.description,
  operationRoutes: operationRoutes.map(viewBy(operationRouteSchema)),
  metadata: route.metadata,
  createdAt: route.createdAt,
  updatedAt: route.updatedAt,
  deletedAt: route.deletedAt,
});
