import { refuse } from '#src/events/ledger/refusals.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { AccountRule, EntryName, OperationRouteRule } from '#src/events/ledger/route-rules.ts';
import type { Side } from '#src/events/shared.ts';
import { nameOf, refusedLeg, type Leg, type RoutedEntries } from './legs.ts';
import { legLocation } from './locations.ts';
import { routeIdOf, type RouteTemplate } from './route-lookup.ts';

/** The accounting entries that a transaction can follow as a whole. */
export type RouteAction = Exclude<EntryName, 'overdraft' | 'crossLedger'>;

type RulesById = ReadonlyMap<Uuid, OperationRouteRule>;

type RoutingScope = Readonly<{
  /** The sides whose legs are checked; both by default. */
  sides?: readonly Side[];
  /** The routes that legs in other ledgers of the group name. */
  elsewhere?: NamedRoutes;
}>;

/** Operation routes by the side on which legs name them. */
export type NamedRoutes = Readonly<Record<Side, ReadonlySet<Uuid>>>;

/**
 * Checks that legs follow the template, rule by rule in the order of contract ledger §7.8, and copies the accounting
 * entries onto them. The destinations of a hold are checked against the entry of its commit. Errors:
 * NO_ROUTE_FOR_ACTION, ROUTE_LEGS_DIFFER, OUTSIDE_TEMPLATE, COUNTERPART_MISSING, ACCOUNT_RULE_DAMAGED, ALIAS_RULE,
 * ACCOUNT_TYPE_RULE.
 */
export function routedLegs(
  legs: readonly Leg[],
  action: RouteAction,
  template: RouteTemplate,
  { sides = BOTH, elsewhere }: RoutingScope = {},
): Leg[] {
  const actions = { debit: actionOn('debit', action), credit: actionOn('credit', action) };
  const rules = {
    debit: rulesFor(actions.debit, template),
    credit: rulesFor(actions.credit, template),
  };
  for (const side of sides) {
    if (rules[side].size === 0) throw noRoute(actions[side]);
  }
  const whole = legs.map((leg) => (leg.details.implied === true ? withOnlyRoute(leg, rules) : leg));
  const checkedLegs = whole.filter(({ direction }) => sides.includes(direction));
  const named = {
    debit: namedOn('debit', checkedLegs, elsewhere?.debit),
    credit: namedOn('credit', checkedLegs, elsewhere?.credit),
  };
  checkNumbers(named, rules, sides);
  for (const leg of checkedLegs) checkRoute(leg, ruleOf(leg, rules));
  if (sides.length === BOTH.length) checkCounterparts(named, rules);
  for (const leg of checkedLegs) checkAccount(leg, ruleOf(leg, rules));
  return whole.map((leg) => withRule(leg, actions[leg.direction], ruleOf(leg, rules)));
}

/** Copies the operation route's accounting entry onto the leg; a deleted route leaves the leg as it is. */
export function withRoute(leg: Leg, action: RouteAction, { operationRoutes }: RouteTemplate): Leg {
  const id = routeIdOf(leg.details);
  return withRule(
    leg,
    action,
    operationRoutes.find((rule) => rule.id === id),
  );
}

/** Copies an accounting entry of the rule onto the leg, if the rule has one of that name. */
export function withRule(leg: Leg, action: EntryName, rule: OperationRouteRule | undefined): Leg {
  const entry = rule?.accountingEntries?.[action];
  if (rule === undefined || entry === undefined) return leg;
  const routed: RoutedEntries = { entry, overdraft: rule.accountingEntries?.overdraft };
  return { ...leg, details: { ...leg.details, routeId: rule.id }, routed };
}

/** The details of an operation on the companion balance, which follows the entry for overdrafts. */
export const companionDetails = ({ details, routed }: Leg): Pick<Leg, 'details' | 'routed'> =>
  routed?.overdraft === undefined
    ? { details: {} }
    : { details: { routeId: details.routeId }, routed: { ...routed, entry: routed.overdraft } };

/** Checks that every operation route that legs name is bidirectional. Errors: ROUTE_NOT_BIDIRECTIONAL. */
export function checkBidirectional(legs: readonly Leg[], { operationRoutes }: RouteTemplate): void {
  for (const leg of legs) {
    const id = routeIdOf(leg.details);
    const rule = operationRoutes.find((one) => one.id === id);
    if (rule === undefined || rule.operationType === 'bidirectional') continue;
    const detail = `The operation route of ${nameOf(leg)} is not bidirectional.`;
    throw refuse('ROUTE_NOT_BIDIRECTIONAL', detail);
  }
}

/** The entry that a leg of the side is checked against. */
export const actionOn = (side: Side, action: RouteAction): RouteAction =>
  side === 'credit' && action === 'hold' ? 'commit' : action;

/** The operation routes that have an entry for the action. */
const rulesFor = (action: RouteAction, { operationRoutes }: RouteTemplate): RulesById =>
  new Map(
    operationRoutes
      .filter(({ accountingEntries }) => accountingEntries?.[action] !== undefined)
      .map((rule) => [rule.id, rule]),
  );

type RulesBySide = Readonly<Record<Side, RulesById>>;

function ruleOf({ direction, details }: Leg, rules: RulesBySide): OperationRouteRule | undefined {
  const id = routeIdOf(details);
  return id === undefined ? undefined : rules[direction].get(id);
}

/**
 * Chooses the route of the leg that an inflow or outflow implies, because no client can name it. The template must be
 * used completely, so it is the only route for the side, or the only bidirectional one. If there are several, no single
 * leg can follow the template and the leg gets none.
 */
function withOnlyRoute(leg: Leg, rules: RulesBySide): Leg {
  const fitting = [...rules[leg.direction].values()].filter((rule) =>
    servesSide(rule, leg.direction),
  );
  const fixed = fitting.filter(({ operationType }) => operationType !== 'bidirectional');
  const [rule, ...more] = fixed.length > 0 ? fixed : fitting;
  if (rule === undefined || more.length > 0) return leg;
  return { ...leg, details: { ...leg.details, routeId: rule.id } };
}

/** A bidirectional route must be named on some side; it never replaces a route that is for one side. */
function checkNumbers(all: NamedRoutes, rules: RulesBySide, sides: readonly Side[]): void {
  for (const side of sides) {
    const own = [...rules[side].values()].filter((rule) => servesSide(rule, side));
    const both = own.filter(({ operationType }) => operationType === 'bidirectional');
    const named = all[side].size;
    const namedBoth = both.filter(({ id }) => all[side].has(id)).length;
    if (named - namedBoth >= own.length - both.length && named <= own.length) continue;
    throw differ(
      `The ${NOUN[side]}s name ${named} operation routes, the transaction route has ` +
        `${own.length} for them.`,
    );
  }
  const isNamed = ({ id }: OperationRouteRule) => sides.some((side) => all[side].has(id));
  for (const rule of sides.flatMap((side) => [...rules[side].values()])) {
    if (rule.operationType !== 'bidirectional' || isNamed(rule)) continue;
    throw differ(`No leg names the operation route ${rule.id} of the transaction route.`);
  }
}

function checkCounterparts(on: NamedRoutes, rules: RulesBySide): void {
  for (const { id, operationType } of [...rules.debit.values(), ...rules.credit.values()]) {
    if (operationType !== 'bidirectional' || on.debit.has(id) === on.credit.has(id)) continue;
    const detail = `The operation route ${id} is bidirectional and stands on one side only.`;
    throw refuse('COUNTERPART_MISSING', detail);
  }
}

/** Errors: OUTSIDE_TEMPLATE for a leg that names no operation route of the template, or one for the other side. */
function checkRoute(leg: Leg, rule: OperationRouteRule | undefined): void {
  if (rule === undefined) throw outside(leg, 'names no operation route of the transaction route');
  if (servesSide(rule, leg.direction)) return;
  throw outside(leg, `names an operation route for a ${rule.operationType}`);
}

/** Account types are stored in lower case. */
function checkAccount(leg: Leg, rule: OperationRouteRule | undefined): void {
  const { account } = leg;
  const stored: AccountRule | undefined = rule?.account;
  if (stored === undefined) return;
  const { ruleType, validIf } = stored;
  if (ruleType === 'alias' && typeof validIf === 'string') {
    if (account.alias === validIf) return;
    throw refusedLeg('ALIAS_RULE', leg, `is not ${validIf}, which its operation route is for`);
  }
  if (ruleType === 'account_type' && Array.isArray(validIf)) {
    if (validIf.some((type: string) => type.toLowerCase() === account.type)) return;
    const problem = `is of type ${account.type}, which its operation route is not for`;
    throw refusedLeg('ACCOUNT_TYPE_RULE', leg, problem);
  }
  const detail = `The account rule of the operation route ${rule?.id ?? ''} cannot be read.`;
  throw refuse('ACCOUNT_RULE_DAMAGED', detail);
}

export const servesSide = ({ operationType }: OperationRouteRule, side: Side): boolean =>
  operationType === 'bidirectional' || operationType === NOUN[side];

/** The distinct routes that legs name, ignoring texts that are not UUIDs. */
const namedOn = (
  side: Side,
  legs: readonly Leg[],
  elsewhere: ReadonlySet<Uuid> = new Set(),
): ReadonlySet<Uuid> =>
  new Set([
    ...legs.flatMap(({ direction, details }) =>
      direction === side ? (routeIdOf(details) ?? []) : [],
    ),
    ...elsewhere,
  ]);

const noRoute = (action: RouteAction) =>
  refuse('NO_ROUTE_FOR_ACTION', `The transaction route has no entry for ${action}.`);

const differ = (detail: string) => refuse('ROUTE_LEGS_DIFFER', detail);

function outside(leg: Leg, message: string) {
  return refuse('OUTSIDE_TEMPLATE', `${nameOf(leg)} ${message}.`, routeFinding(leg, message));
}

function routeFinding({ location, details: { route, routeId } }: Leg, message: string) {
  if (location === undefined) return {};
  const name = routeId === undefined && route !== undefined ? 'route' : 'routeId';
  const value = routeId ?? route;
  const at = legLocation(location, name);
  return { findings: [{ location: at, message, ...(value !== undefined && { value }) }] };
}

const BOTH: readonly Side[] = ['debit', 'credit'];
const NOUN = { debit: 'source', credit: 'destination' } as const;
