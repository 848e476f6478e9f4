import type { Ledger } from '#commands/ledger/state/ledger-state.ts';
import { isTwoStepHold } from '#commands/ledger/transaction/two-step-hold.ts';
import { DEFAULT_KEY } from '#commands/ledger/state/book.ts';
import type { Leg } from '#commands/ledger/transaction/legs.ts';
import {
  actionOn,
  servesSide,
  routedLegs,
  withRoute,
  withRule,
  type RouteAction,
  type NamedRoutes,
} from '#commands/ledger/transaction/routing.ts';
import type { RouteTemplate } from '#commands/ledger/transaction/route-lookup.ts';
import { ZERO, type Amount } from '#src/kernel/amount.ts';
import { refuse } from '#src/events/ledger/refusals.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { OperationRouteRule } from '#src/events/ledger/route-rules.ts';
import type { Side } from '#src/events/shared.ts';
import type { TransactionRecord } from '#src/events/ledger/transaction.ts';

/** The operation routes of the other ledgers of a group, for rules that look at a whole side of the transaction. */
export type SiblingRoutes = Readonly<{
  /** The routes that legs of the group name in any ledger, without the bridges. */
  named: NamedRoutes;
  /** True if any amount crosses the border of a ledger. */
  crosses: boolean;
}>;

type PartCrossing = SiblingRoutes &
  Readonly<{
    /** The amount that leaves the ledger; negative if it enters. */
    bridge: Amount;
    /** The sides whose legs are checked; the bridge always is. */
    sides?: readonly Side[];
  }>;

/**
 * Checks the legs of a part against their operation routes, each side seen over the whole group, and copies the
 * accounting entries onto them. The bridge comes last and follows the bridge route (contract ledger §5.4, §7.8).
 * Errors: BRIDGE_ROUTE_MISSING, BRIDGE_ROUTE_AMBIGUOUS, and those of routedLegs.
 */
export function routePart(
  legs: readonly Leg[],
  action: RouteAction,
  template: RouteTemplate,
  { bridge: amount, named, crosses, sides = BOTH }: PartCrossing,
): Leg[] {
  const bridge = bridgeIn(legs, amount);
  const rule = bridge && onlyBridgeRoute(template, bridge.direction);
  const bridged = (side: Side): readonly Uuid[] =>
    crosses ? idsIn(bridgeRoutes(template, side), actionOn(side, action)) : [];
  const elsewhere = {
    debit: new Set([...named.debit, ...bridged('debit')]),
    credit: new Set([...named.credit, ...bridged('credit')]),
  };
  const own = ownLegs(legs, amount);
  const routed = routedLegs(own, action, template, { sides, elsewhere });
  return bridge === undefined ? routed : [...routed, withRule(bridge, 'crossLedger', rule)];
}

/** Copies accounting entries as far as routes still exist, for a part that can no longer be refused. */
export function withRoutes(
  legs: readonly Leg[],
  action: RouteAction,
  template: RouteTemplate,
  amount: Amount,
): Leg[] {
  const bridge = bridgeIn(legs, amount);
  return legs.map((leg) => {
    if (leg !== bridge) return withRoute(leg, action, template);
    const routes = bridgeRoutes(template, leg.direction);
    return withRule(leg, 'crossLedger', routes.length === 1 ? routes[0] : undefined);
  });
}

/** Returns true if routes were validated when the part was prepared, as its hold or its bridge shows. */
export function wasRouted(
  { settings }: Ledger,
  { operations }: TransactionRecord,
  legs: readonly Leg[],
  { bridge: amount, isHold }: Readonly<{ bridge: Amount; isHold: boolean }>,
): boolean {
  if (operations.length > 0 && isHold) return isTwoStepHold(operations);
  const bridge = bridgeIn(legs, amount);
  if (bridge === undefined) return settings.accounting.validateRoutes;
  return bridge.details.routeId !== undefined;
}

/** The legs that the request names: all but the bridge. */
export function ownLegs(legs: readonly Leg[], amount: Amount): readonly Leg[] {
  const bridge = bridgeIn(legs, amount);
  return legs.filter((leg) => leg !== bridge);
}

/** The bridge is the last leg of its side on the external account; a request may name that account as well. */
const bridgeIn = (legs: readonly Leg[], amount: Amount): Leg | undefined =>
  bridgeAmong(
    legs,
    amount,
    ({ account, balance }) => account.external && balance.key === DEFAULT_KEY,
  );

/** Finds the bridge among legs, operations or awaiting legs. */
export function bridgeAmong<Item extends Readonly<{ direction: Side }>>(
  items: readonly Item[],
  amount: Amount,
  isOutside: (item: Item) => boolean,
): Item | undefined {
  if (amount === ZERO) return undefined;
  const side = amount > ZERO ? 'credit' : 'debit';
  return items.findLast((item) => item.direction === side && isOutside(item));
}

/** The operation routes of a side that have an entry for amounts that cross the border of a ledger. */
const bridgeRoutes = (
  { operationRoutes }: RouteTemplate,
  side: Side,
): readonly OperationRouteRule[] =>
  operationRoutes.filter(
    (rule) =>
      servesSide(rule, side) && (rule.accountingEntries?.crossLedger?.[side] ?? null) !== null,
  );

function onlyBridgeRoute(template: RouteTemplate, side: Side): OperationRouteRule {
  const [route, ...others] = bridgeRoutes(template, side);
  if (route === undefined) {
    const detail = `The transaction route has no operation route with crossLedger.${side}.`;
    throw refuse('BRIDGE_ROUTE_MISSING', detail);
  }
  if (others.length > 0) {
    const count = others.length + 1;
    const detail = `The transaction route has ${count} operation routes with crossLedger.${side}.`;
    throw refuse('BRIDGE_ROUTE_AMBIGUOUS', detail);
  }
  return route;
}

/** Bridge routes with an entry for the action count as named. */
const idsIn = (routes: readonly OperationRouteRule[], action: RouteAction): readonly Uuid[] =>
  routes.flatMap(({ id, accountingEntries }) => (accountingEntries?.[action] ? [id] : []));

const BOTH: readonly Side[] = ['debit', 'credit'];
