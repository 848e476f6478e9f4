import type { OperationRouteRecord, TransactionRouteRecord } from '#src/events/ledger/routes.ts';
import {
  changedMetadata,
  changedName,
  instant,
  instantOrNull,
  metadataView,
  name,
  newMetadata,
  record,
  text,
  uuid,
} from '#src/kernel/schema-fragments.ts';
import { operationRouteSchema } from './operation-route.ts';
import { viewBy } from '#src/kernel/record-resource.ts';
import type { Schema, Shaped } from '#src/kernel/schema.ts';

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
export const createTransactionRouteBody = record(
  {
    title: name(255),
    description: text(250),
    operationRoutes: operationRoutes(1),
    metadata: newMetadata,
  },
  ['title', 'operationRoutes'],
) satisfies Schema;

export type CreateTransactionRouteBody = Shaped<typeof createTransactionRouteBody>;

/** Operation routes that are sent replace those there are. */
export const updateTransactionRouteBody = record(
  {
    title: changedName(255),
    description: text(250),
    operationRoutes: { ...operationRoutes(2), neverNull: true },
    metadata: changedMetadata,
  },
  [],
) satisfies Schema;

export type UpdateTransactionRouteBody = Shaped<typeof updateTransactionRouteBody>;

export const transactionRouteSchema = {
  title: 'TransactionRoute',
  ...record(
    {
      id: uuid,
      organizationId: uuid,
      ledgerId: uuid,
      title: { type: 'string' },
      description: { type: 'string' },
      operationRoutes: { type: 'array', items: operationRouteSchema },
      metadata: metadataView,
      createdAt: instant,
      updatedAt: instant,
      deletedAt: instantOrNull,
    },
    ['id', 'organizationId', 'title', 'operationRoutes', 'createdAt', 'updatedAt', 'deletedAt'],
  ),
} as const satisfies Schema;

/** With its operation routes in full, as they are now. */
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
