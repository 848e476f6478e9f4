import type { Decision, Facts, Needs, Stamp } from '#src/kernel/decider.ts';
import { unreachable } from '#src/kernel/unreachable.ts';
import type { RouteEvent } from '#src/events/ledger/routes.ts';
import {
  createOperationRoute,
  deleteOperationRoute,
  needsOperationRoute,
  updateOperationRoute,
  type OperationRouteCommand,
} from './operation-route.ts';
import type { RouteOwner } from './route-owner.ts';
import {
  createTransactionRoute,
  deleteTransactionRoute,
  needsTransactionRoute,
  updateTransactionRoute,
  type TransactionRouteCommand,
} from './transaction-route.ts';

/** The commands about routes, in a ledger and in an organization. */
export type RouteCommand = OperationRouteCommand | TransactionRouteCommand;

export function needsRoute(
  owner: RouteOwner,
  command: RouteCommand,
  facts: Facts,
): Needs | undefined {
  switch (command.type) {
    case 'CreateOperationRoute':
    case 'UpdateOperationRoute':
    case 'DeleteOperationRoute':
      return needsOperationRoute(owner, command, facts);
    default:
      return needsTransactionRoute(owner, command, facts);
  }
}

export function decideRoute(
  owner: RouteOwner,
  command: RouteCommand,
  facts: Facts,
  stamp: Stamp,
): Decision<RouteEvent> {
  switch (command.type) {
    case 'CreateOperationRoute':
      return createOperationRoute(owner, command, stamp);
    case 'UpdateOperationRoute':
      return updateOperationRoute(owner, command, facts, stamp);
    case 'DeleteOperationRoute':
      return deleteOperationRoute(owner, command, facts, stamp);
    case 'CreateTransactionRoute':
      return createTransactionRoute(owner, command, facts, stamp);
    case 'UpdateTransactionRoute':
      return updateTransactionRoute(owner, command, facts, stamp);
    case 'DeleteTransactionRoute':
      return deleteTransactionRoute(owner, command, facts, stamp);
    default:
      return unreachable(command);
  }
}
