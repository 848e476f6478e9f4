import type { RefusalName } from '#src/domain/errors.ts';
import type { TransactionRecord } from '#src/events/transaction.ts';
import type { BookedLedger } from './booked.ts';
import type { Command } from './request.ts';
import { requestsOf } from './transaction-justice.ts';

/** Whether a new transaction did not follow its route, or it was not there yet. Undefined, or what speaks against it. */
export function justifiedByRoutes(
  refusal: RefusalName,
  command: Command,
  { routed, routes }: BookedLedger,
  head: number,
): string | undefined {
  const requests = requestsOf(command);
  const some = (holds: (request: (typeof requests)[number]) => boolean): string | undefined =>
    routed && requests.some(holds) ? undefined : 'it followed its route';
  switch (refusal) {
    case 'TRANSACTION_ROUTE_REQUIRED':
      return some(({ routeId }) => routeId === undefined);
    case 'TRANSACTION_ROUTE_NOT_FOUND':
      return some(
        ({ routeId = '' }) => (routes.templates.get(routeId)?.revision ?? Infinity) > head,
      );
    case 'ROUTE_LEGS_DIFFER':
    case 'OUTSIDE_TEMPLATE':
      return some(({ send: { source, distribute } }) =>
        [...source.from, ...distribute.to].some(({ routeId }) => routeId === undefined),
      );
    case 'NO_ROUTE_FOR_ACTION': {
      const as = command.type === 'PostTransaction' ? command.as : undefined;
      const isMove = as === 'block' || as === 'unblock';
      return isMove
        ? some(({ routeId = '' }) => isPair(routes, routeId))
        : 'it has an entry for that';
    }
    default:
      return 'not by routes';
  }
}

const isPair = ({ templates }: BookedLedger['routes'], id: string): boolean =>
  (templates.get(id)?.operationRoutes.length ?? 0) > 1;

/** Booked by routes for one side each. */
export const isOneWay = ({ routes }: BookedLedger, { operations }: TransactionRecord): boolean =>
  operations.some(({ routeId = '' }) => routes.operationRoutes.get(routeId) !== 'bidirectional');
