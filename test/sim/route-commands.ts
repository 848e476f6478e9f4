import type { GroupRequest } from '#commands/ledger/cross-ledger/request.ts';
import { journalOfOrganization } from '#commands/ledger/journals.ts';
import type { RouteCommand } from '#commands/ledger/routing/decide.ts';
import type { TransactionRequest } from '#commands/ledger/transaction/commands.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { AccountingEntries, OperationType } from '#src/events/ledger/route-rules.ts';
import type { BookedLedger, BookedRoutes } from './booked.ts';
import { inLedger, orgOf } from './fixtures.ts';
import type { Random } from './random.ts';
import type { CommandWish } from './request.ts';

/** A route of a ledger; see newRoute. */
export const routeCommand = (random: Random, of: BookedLedger): CommandWish =>
  inLedger('route', of, newRoute(random, orgOf(of), of.routes));

/** The same for all ledgers of an organization, which groups may follow. */
export function sharedRouteCommand(random: Random, id: Uuid, routes: BookedRoutes): CommandWish {
  const command = random.oneIn(2) ? newBridge(random, id, routes) : newRoute(random, id, routes);
  return {
    kind: 'route',
    journal: { name: journalOfOrganization(id).name },
    command: () => command,
  };
}

/** An operation route, or a transaction route of those there are: from one side to the other, or one for both. */
function newRoute(
  random: Random,
  organizationId: Uuid,
  { operationRoutes }: BookedRoutes,
): RouteCommand {
  const idsOf = (type: OperationType): Uuid[] =>
    [...operationRoutes].flatMap(([id, one]) => (one.type === type ? [id as Uuid] : []));
  const [sources, destinations, both] = TYPES.map(idsOf) as [Uuid[], Uuid[], Uuid[]];
  const missing = TYPES.filter((type) => idsOf(type).length === 0);
  const single = (operationType: OperationType, title: string): RouteCommand => {
    const fields = { title, operationType, accountingEntries: ENTRIES[operationType] };
    return { type: 'CreateOperationRoute', organizationId, fields };
  };
  if (missing.length > 0 && (operationRoutes.size === 0 || random.oneIn(2))) {
    const operationType = random.pick(missing);
    return single(operationType, operationType);
  }
  const pairs = sources.length > 0 && destinations.length > 0;
  const pair = pairs && (both.length === 0 || random.oneIn(2));
  const named = pair ? [random.pick(sources), random.pick(destinations)] : both.slice(0, 1);
  if (named.length === 0) return single('source', 'lone');
  const fields = { title: 'Payment', operationRoutes: named };
  return { type: 'CreateTransactionRoute', organizationId, fields };
}

/** An end that crosses no border, or two of those with another one for that; seldom one that needs none. */
function newBridge(
  random: Random,
  organizationId: Uuid,
  { operationRoutes }: BookedRoutes,
): RouteCommand {
  const idsOf = (type: OperationType, crosses: boolean): Uuid[] =>
    [...operationRoutes].flatMap(([id, one]) =>
      one.type === type && one.crosses === crosses ? [id as Uuid] : [],
    );
  const bridges = idsOf('bidirectional', true);
  const sources = idsOf('source', random.oneIn(8));
  const destinations = idsOf('destination', false);
  const isWhole = bridges.length > 0 && sources.length > 0 && destinations.length > 0;
  if (isWhole) {
    const operationRoutes = [sources, destinations, bridges].map((all) => random.pick(all));
    return {
      type: 'CreateTransactionRoute',
      organizationId,
      fields: { title: 'Bridged', operationRoutes },
    };
  }
  const operationType = random.pick(TYPES);
  const { crossLedger, ...entries } = ENTRIES[operationType];
  const accountingEntries = {
    ...entries,
    ...(operationType === 'bidirectional' && { crossLedger }),
  };
  const fields = { title: 'end', operationType, accountingEntries };
  return { type: 'CreateOperationRoute', organizationId, fields };
}

/** The same request along a route, if there is one; now and then a leg goes its own way. */
export function along(
  random: Random,
  { routes }: BookedLedger,
  request: TransactionRequest,
): TransactionRequest {
  const route = someRoute(random, [routes]);
  if (route === undefined) return request;
  const { source, distribute, ...send } = request.send;
  const astray = random.oneIn(20);
  const from = { routeId: route.on('source') };
  const to = astray ? {} : { routeId: route.on('destination') };
  return {
    ...request,
    routeId: route.id,
    send: {
      ...send,
      source: { from: source.from.map((leg) => ({ ...leg, ...from })) },
      distribute: { to: distribute.to.map((leg) => ({ ...leg, ...to })) },
    },
  };
}

/** The same of a transaction over several ledgers. */
export function groupAlong(
  random: Random,
  routes: readonly BookedRoutes[],
  request: GroupRequest,
): GroupRequest {
  const route = someRoute(random, routes);
  if (route === undefined) return request;
  const astray = random.oneIn(20);
  const [from, to] = [route.on('source'), route.on('destination')];
  return {
    ...request,
    routeId: route.id,
    debits: request.debits.map((leg) => ({ ...leg, operationRouteId: from })),
    credits: request.credits.map((leg, n) =>
      astray && n === 0 ? leg : { ...leg, operationRouteId: to },
    ),
  };
}

type Route = Readonly<{
  id: Uuid;
  /** The operation route for legs of a side. */
  on: (side: 'source' | 'destination') => Uuid | undefined;
}>;

function someRoute(random: Random, places: readonly BookedRoutes[]): Route | undefined {
  const all = places.flatMap(({ operationRoutes, templates }) =>
    [...templates].map(([id, template]) => ({ id: id as Uuid, operationRoutes, template })),
  );
  if (all.length === 0) return undefined;
  const { id, operationRoutes, template } = random.pick(all);
  const on: Route['on'] = (side) => {
    const fits = (one: string): boolean => {
      const type = operationRoutes.get(one)?.type;
      return type === side || type === 'bidirectional';
    };
    return template.operationRoutes.find(fits) as Uuid | undefined;
  };
  return { id, on };
}

const TYPES = ['source', 'destination', 'bidirectional'] as const;

const both = { debit: { code: 'D' }, credit: { code: 'C' } };
const debit = { ...both, credit: null };
const credit = { ...both, debit: null };
const hold = { hold: both, cancel: both, overdraft: both };
/** What crosses a border does so by the route of its side. */
const ENTRIES: Readonly<Record<OperationType, AccountingEntries>> = {
  source: { direct: debit, commit: debit, ...hold, crossLedger: debit },
  destination: { direct: credit, commit: credit, crossLedger: credit },
  bidirectional: {
    ...{ direct: both, commit: both, ...hold, revert: both, block: both, unblock: both },
    crossLedger: both,
  },
};
