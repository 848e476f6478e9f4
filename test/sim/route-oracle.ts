import type { GroupRequest } from '#commands/ledger/cross-ledger/request.ts';
import type { RefusalName } from '#src/kernel/errors.ts';
import type { OperationType } from '#src/events/ledger/route-rules.ts';
import type { TransactionRecord } from '#src/events/ledger/transaction.ts';
import type { BookedLedger, BookedOrganization, BookedRoute } from './booked.ts';
import type { AskedLine } from './lines.ts';
import type { Command } from './request.ts';
import { requestsOf } from './transaction-oracle.ts';

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
export const isOneWay = (
  { routes }: BookedLedger,
  { operations }: TransactionRecord,
  above?: BookedOrganization,
): boolean =>
  operations.some(({ routeId = '' }) => {
    const route = routes.operationRoutes.get(routeId) ?? above?.routes.operationRoutes.get(routeId);
    return route?.type !== 'bidirectional';
  });

/** A part of a group: its ledger, what the ledger had when it was asked, and the member there is. */
type Part = Readonly<{
  ledger: BookedLedger;
  head: number;
  lines: readonly AskedLine[];
  member?: TransactionRecord | undefined;
}>;

/**
 * The same of a group, new or old; `request`: of a new one. What an organization has may be known as it was five seconds
 * ago.
 */
export function justifiedByGroupRoutes(
  refusal: RefusalName,
  parts: readonly Part[],
  request: GroupRequest | undefined,
  organizations: ReadonlyMap<string, BookedOrganization>,
  startedMs: number,
): string | undefined {
  const asking = parts.filter(({ ledger }) => ledger.routed);
  const some = (holds: (part: Part) => boolean): string | undefined =>
    asking.some(holds) ? undefined : 'it followed its route';
  const above = ({ ledger }: Part) => organizations.get(ledger.organizationId);
  const wasThere = (part: Part, id: string): boolean => {
    const own = part.ledger.routes.templates.get(id);
    if (own !== undefined) return own.revision <= part.head;
    const shared = above(part)?.routes.templates.get(id);
    return shared !== undefined && shared.bookedMs < startedMs - FOLLOWED_MS_MAX;
  };
  const routesOf = (part: Part): readonly BookedRoute[] => {
    const [own, shared] = [part.ledger.routes, above(part)?.routes];
    const id = request?.routeId ?? '';
    const template = own.templates.get(id) ?? shared?.templates.get(id);
    return (template?.operationRoutes ?? []).flatMap(
      (one) => own.operationRoutes.get(one) ?? shared?.operationRoutes.get(one) ?? [],
    );
  };
  const crosses = parts.some(({ lines }) =>
    lines.some(({ alias }) => alias.startsWith('@external')),
  );
  switch (refusal) {
    case 'GROUP_ORGANIZATIONS': {
      const several = new Set(parts.map(({ ledger }) => ledger.organizationId)).size > 1;
      return several ? some(() => true) : 'it is of one organization';
    }
    case 'TRANSACTION_ROUTE_REQUIRED':
      return request?.routeId === undefined ? some(() => true) : 'it names one';
    case 'TRANSACTION_ROUTE_NOT_FOUND':
      return some((part) => {
        const id = request === undefined ? part.member?.routeId : request.routeId;
        return id !== undefined && !wasThere(part, id);
      });
    case 'ROUTE_LEGS_DIFFER':
    case 'OUTSIDE_TEMPLATE': {
      const legs = [...(request?.debits ?? []), ...(request?.credits ?? [])];
      const astray = legs.some(({ operationRouteId }) => operationRouteId === undefined);
      const isIdle = (part: Part): boolean => !crosses && routesOf(part).length > 2;
      return astray ? some(() => true) : some(isIdle);
    }
    case 'BRIDGE_ROUTE_MISSING':
      return some((part) => SIDES.some((side) => bridgesOn(side, routesOf(part)) === 0));
    case 'BRIDGE_ROUTE_AMBIGUOUS':
      return some((part) => SIDES.some((side) => bridgesOn(side, routesOf(part)) > 1));
    case 'ROUTE_NOT_BIDIRECTIONAL':
      return some(
        (part) => part.member !== undefined && isOneWay(part.ledger, part.member, above(part)),
      );
    default:
      return 'not by routes';
  }
}

const bridgesOn = (side: OperationType, routes: readonly BookedRoute[]): number =>
  routes.filter(({ type, crosses }) => crosses && (type === side || type === 'bidirectional'))
    .length;
const SIDES = ['source', 'destination'] as const;

/** Another process's journal may be known as it was this long ago (design §1). */
export const FOLLOWED_MS_MAX = 5_000;
