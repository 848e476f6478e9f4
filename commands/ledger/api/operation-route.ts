import type { Uuid } from '#src/kernel/ids.ts';
import { recordWriteRoutes, type RecordHome } from '#src/http/record-routes.ts';
import { operationRouteResource } from '#src/resources/ledger/operation-route.ts';
import { recordsInLedger, recordsInOrganization } from './in-ledger.ts';
import { ledgersThatMayUse } from './users-of-routes.ts';

/** Ledgers may use the operation routes of their organization, so a deletion asks the ledgers that may. */
const inOrganization: RecordHome = {
  ...recordsInOrganization,
  async submit(request, services, command) {
    if (command.type !== 'DeleteOperationRoute') {
      return recordsInOrganization.submit(request, services, command);
    }
    const { operation_route_id: id } = request.path as Readonly<{ operation_route_id: Uuid }>;
    const users = await ledgersThatMayUse(id, request, services);
    const deletion = { ...command, users };
    return recordsInOrganization.submit(request, services, deletion);
  },
};

export const operationRouteWriteRoutes = [
  ...recordWriteRoutes(operationRouteResource, recordsInLedger),
  ...recordWriteRoutes(operationRouteResource, inOrganization),
];
