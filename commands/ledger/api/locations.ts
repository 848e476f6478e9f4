import type { RequestLocations } from '#commands/ledger/transaction/locations.ts';

/** Bodies with a `send`, and scripts, which stand for such bodies. */
export const sendBodyLocations: RequestLocations = {
  asset: 'send.asset',
  value: 'send.value',
  route: 'route',
  routeId: 'routeId',
  transactionDate: 'transactionDate',
  skip: { fees: 'skip.fees', tracer: 'skip.tracer' },
  lists: { debit: 'send.source.from', credit: 'send.distribute.to' },
  leg: {
    accountAlias: 'accountAlias',
    balanceKey: 'balanceKey',
    asset: 'amount.asset',
    value: 'amount.value',
    route: 'route',
    routeId: 'routeId',
    metadata: 'metadata',
  },
};

/** Bodies of version 2 with `debits` and `credits`. */
export const flatBodyLocations: RequestLocations = {
  ...sendBodyLocations,
  asset: 'asset',
  value: 'amount',
  lists: { debit: 'debits', credit: 'credits' },
  leg: { ...sendBodyLocations.leg, accountAlias: 'alias', value: 'amount' },
};
