import { recordProjection } from '#projections/record.ts';
import { recordReadRoutes } from '#queries/record.ts';
import { operationRouteResource } from '#src/resources/ledger/operation-route.ts';
import { recordsInLedger, recordsInOrganization } from './in-ledger.ts';

/** Operation routes of ledgers and of organizations, by the id of their owner. */
export const operationRouteProjection = recordProjection(operationRouteResource);

export const operationRouteReadRoutes = [
  ...recordReadRoutes(operationRouteResource, recordsInLedger),
  ...recordReadRoutes(operationRouteResource, recordsInOrganization),
];
