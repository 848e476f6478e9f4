import type { TransactionRequest } from '#commands/ledger/transaction/commands.ts';
import type { Uuid } from '#src/domain/ids.ts';
import type { AccountingEntries, OperationType } from '#src/domain/routes.ts';
import type { BookedLedger } from './booked.ts';
import { inLedger, orgOf } from './cast.ts';
import type { Chance } from './chance.ts';
import type { Wish } from './request.ts';

/** An operation route, or a transaction route of those there are: from one side to the other, or one for both. */
export function routeWish(chance: Chance, of: BookedLedger): Wish {
  const { operationRoutes } = of.routes;
  const organizationId = orgOf(of);
  const idsOf = (type: OperationType): Uuid[] =>
    [...operationRoutes].flatMap(([id, one]) => (one === type ? [id as Uuid] : []));
  const [sources, destinations, both] = TYPES.map(idsOf) as [Uuid[], Uuid[], Uuid[]];
  const missing = TYPES.filter((type) => idsOf(type).length === 0);
  if (missing.length > 0 && (operationRoutes.size === 0 || chance.oneIn(2))) {
    const operationType = chance.pick(missing);
    const fields = {
      title: operationType,
      operationType,
      accountingEntries: ENTRIES[operationType],
    };
    return inLedger('route', of, { type: 'CreateOperationRoute', organizationId, fields });
  }
  const pairs = sources.length > 0 && destinations.length > 0;
  const pair = pairs && (both.length === 0 || chance.oneIn(2));
  const named = pair ? [chance.pick(sources), chance.pick(destinations)] : both.slice(0, 1);
  if (named.length === 0) {
    const fields = {
      title: 'lone',
      operationType: 'source',
      accountingEntries: ENTRIES.source,
    } as const;
    return inLedger('route', of, { type: 'CreateOperationRoute', organizationId, fields });
  }
  const fields = { title: 'Payment', operationRoutes: named };
  return inLedger('route', of, { type: 'CreateTransactionRoute', organizationId, fields });
}

/** The same request along a route, if there is one; now and then a leg goes its own way. */
export function along(
  chance: Chance,
  { routes: { operationRoutes, templates } }: BookedLedger,
  request: TransactionRequest,
): TransactionRequest {
  if (templates.size === 0) return request;
  const [routeId, template] = chance.pick([...templates]);
  const on = (side: 'source' | 'destination'): Uuid | undefined => {
    const fits = (id: string): boolean =>
      operationRoutes.get(id) === side || operationRoutes.get(id) === 'bidirectional';
    return template.operationRoutes.find(fits) as Uuid | undefined;
  };
  const { source, distribute, ...send } = request.send;
  const astray = chance.oneIn(20);
  return {
    ...request,
    routeId: routeId as Uuid,
    send: {
      ...send,
      source: { from: source.from.map((leg) => ({ ...leg, routeId: on('source') })) },
      distribute: {
        to: distribute.to.map((leg) => (astray ? leg : { ...leg, routeId: on('destination') })),
      },
    },
  };
}

const TYPES = ['source', 'destination', 'bidirectional'] as const;

const both = { debit: { code: 'D' }, credit: { code: 'C' } };
const debit = { ...both, credit: null };
const credit = { ...both, debit: null };
const hold = { hold: both, cancel: both, overdraft: both };
const ENTRIES: Readonly<Record<OperationType, AccountingEntries>> = {
  source: { direct: debit, commit: debit, ...hold },
  destination: { direct: credit, commit: credit },
  bidirectional: { direct: both, commit: both, ...hold, revert: both, block: both, unblock: both },
};
