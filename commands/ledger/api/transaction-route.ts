import type {
  OperationRouteRecord,
  RoutePlace,
  TransactionRouteRecord,
} from '#src/events/ledger/routes.ts';
import { recordWriteRoutes } from '#src/http/record-routes.ts';
import type { Services } from '#src/http/services.ts';
import { parseData } from '#src/kernel/event-data.ts';
import {
  transactionRouteResource,
  transactionRouteView,
} from '#src/resources/ledger/transaction-route.ts';
import { recordsInLedger, recordsInOrganization } from './in-ledger.ts';

export const transactionRouteWriteRoutes = [recordsInLedger, recordsInOrganization].flatMap(
  (home) => recordWriteRoutes(transactionRouteResource, { ...home, show }),
);

type TransactionRouteData = Readonly<{
  transactionRoute: TransactionRouteRecord;
  places: readonly RoutePlace[];
}>;

/** The event has the log positions of its operation routes. */
async function show(event: object, { log }: Services): Promise<string> {
  const { transactionRoute, places } = event as TransactionRouteData;
  const read = async ({ id, journal, revision }: RoutePlace): Promise<OperationRouteRecord> => {
    const [stored] = await log.read(journal, revision, 1);
    const { operationRoute } = parseData(stored?.data ?? '{}') as Readonly<{
      operationRoute?: OperationRouteRecord;
    }>;
    if (operationRoute?.id !== id)
      throw new Error(`No operation route ${id} at ${journal}@${revision}`);
    return operationRoute;
  };
  const operationRoutes = await Promise.all(places.map(read));
  return JSON.stringify(transactionRouteView(transactionRoute, operationRoutes));
}
