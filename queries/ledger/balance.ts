import { balanceProjection } from '#projections/ledger/balance.ts';
import {
  cursorReply,
  pageFilters,
  unionReply,
  wholeOrUnionReply,
  type Sequence,
} from '#queries/paging.ts';
import { notFound, readRow, readRows } from '#queries/reading.ts';
import { balanceText } from './renderers.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { externalAlias } from '#src/kernel/external-alias.ts';
import { ledgerJournal } from '#src/kernel/journal-name.ts';
import { ok } from '#src/http/reply.ts';
import type { PageRequest, Request } from '#src/http/request.ts';
import { route } from '#src/http/route.ts';
import type { Services } from '#src/http/services.ts';
import type { KeyValue } from '#src/ports/read-store.ts';
import { balanceSchema } from '#src/resources/ledger/balance.ts';
import { cursorListOf } from '#src/kernel/schema-fragments.ts';
import { requireLedger } from './parents.ts';

const listed = { 200: cursorListOf(balanceSchema) } as const;

export const balanceReadRoutes = [
  route({
    operationId: 'listBalances',
    summary: 'List the balances of a ledger',
    description:
      'Returns the balances of all accounts in the order of their creation, those for overdrafts included.',
    tag: 'Balances',
    method: 'get',
    path: '/v1/organizations/{organization_id}/ledgers/{ledger_id}/balances',
    permission: 'balances:get',
    entityType: 'Balance',
    paging: 'cursor',
    noMetadata: true,
    replies: listed,
    refusals: ['ORGANIZATION_NOT_FOUND', 'LEDGER_NOT_FOUND'],

    handle: async (request, services) =>
      cursorReply(await balancesOf(request, services, {}), request.page),
  }),

  route({
    operationId: 'getBalance',
    summary: 'Retrieve a balance',
    description:
      '`version` counts the operations that the balance has had, which tells whether its amounts changed since you last read ' +
      'it.',
    tag: 'Balances',
    method: 'get',
    path: '/v1/organizations/{organization_id}/ledgers/{ledger_id}/balances/{balance_id}',
    permission: 'balances:get',
    entityType: 'Balance',
    replies: { 200: balanceSchema },
    refusals: ['ORGANIZATION_NOT_FOUND', 'LEDGER_NOT_FOUND', 'NOT_FOUND'],

    handle: async (request, services) => {
      const { organization_id: organizationId, ledger_id: ledgerId, balance_id: id } = request.path;
      await requireLedger(services, request, organizationId, ledgerId);
      const row = await readRow(services, request, {
        of: balanceProjection,
        after: ledgerJournal(ledgerId),
        where: { id, ledgerId },
      });
      if (row === undefined) throw notFound('balance');
      return ok(balanceText(row));
    },
  }),

  // An account that does not exist has no balances: the response is an empty list (contract ledger §4.3).
  route({
    operationId: 'listBalancesOfAccount',
    summary: 'List the balances of an account',
    description: 'Includes the one for overdrafts. The list is empty if there is no such account.',
    tag: 'Balances',
    method: 'get',
    path: '/v1/organizations/{organization_id}/ledgers/{ledger_id}/accounts/{account_id}/balances',
    permission: 'balances:get',
    entityType: 'Balance',
    paging: 'union',
    noMetadata: true,
    replies: listed,
    refusals: ['ORGANIZATION_NOT_FOUND', 'LEDGER_NOT_FOUND'],

    handle: async (request, services) => {
      const accountId = request.path.account_id;
      return unionReply(await balancesOf(request, services, { accountId }), request.page);
    },
  }),

  route({
    operationId: 'listBalancesByAlias',
    summary: 'List the balances of an account by its alias; without parameters, all of them',
    description:
      'Includes the one for overdrafts. The list is empty if no live account has the alias; with any parameter it ' +
      'is a page.',
    tag: 'Balances',
    method: 'get',
    path: '/v1/organizations/{organization_id}/ledgers/{ledger_id}/accounts/alias/{alias}/balances',
    permission: 'balances:get',
    entityType: 'Balance',
    paging: 'union',
    noMetadata: true,
    replies: listed,
    refusals: ['ORGANIZATION_NOT_FOUND', 'LEDGER_NOT_FOUND'],

    handle: async (request, services) => {
      const { alias } = request.path;
      const found = await balancesOf(request, services, { alias });
      return wholeOrUnionReply(found, request.page, BALANCES_MAX);
    },
  }),

  route({
    operationId: 'listBalancesOfExternalAccount',
    summary: 'List the balances of the external account of an asset',
    description:
      'The list is empty if the ledger has no such asset. The code is looked up as it is sent.',
    tag: 'Balances',
    method: 'get',
    path: '/v1/organizations/{organization_id}/ledgers/{ledger_id}/accounts/external/{asset_code}/balances',
    permission: 'balances:get',
    entityType: 'Balance',
    paging: 'union',
    noMetadata: true,
    replies: listed,
    refusals: ['ORGANIZATION_NOT_FOUND', 'LEDGER_NOT_FOUND'],

    handle: async (request, services) => {
      const alias = externalAlias(request.path.asset_code);
      return unionReply(await balancesOf(request, services, { alias }), request.page);
    },
  }),
];

/** More than an account can have, because one event deletes an account with all its balances. */
export const BALANCES_MAX = 1000;

type BalanceListRequest = Request<
  Readonly<{ organization_id: Uuid; ledger_id: Uuid }>,
  unknown,
  unknown,
  PageRequest
>;

async function balancesOf(
  request: BalanceListRequest,
  services: Services,
  where: Readonly<Record<string, KeyValue>>,
): Promise<Sequence> {
  const { organization_id: organizationId, ledger_id: ledgerId } = request.path;
  await requireLedger(services, request, organizationId, ledgerId);
  return readRows(services, request, {
    of: balanceProjection,
    after: ledgerJournal(ledgerId),
    where: { ledgerId, ...where },
    filters: pageFilters(request.page),
  });
}
