import { accountProjection } from '#projections/ledger/account.ts';
import { pageReply } from '#queries/paging.ts';
import { beginning, equal, notFound } from '#queries/reading.ts';
import { accountText } from './renderers.ts';
import { refuse } from '#src/events/ledger/refusals.ts';
import { externalAlias } from '#src/kernel/external-alias.ts';
import { ok } from '#src/http/reply.ts';
import { route } from '#src/http/route.ts';
import type { Condition } from '#src/ports/read-store.ts';
import { accountSchema } from '#src/resources/ledger/account.ts';
import { pageOf } from '#src/kernel/schema-fragments.ts';
import type { Filtered, Filters } from '#src/kernel/filters.ts';
import { rowInLedger, rowsInLedger } from './in-ledger.ts';

const accountFilters = {
  portfolio_id: { type: 'string', format: 'uuid' },
  segment_id: { type: 'string', format: 'uuid' },
  parent_account_id: { type: 'string', format: 'uuid' },
  status: { type: 'string', enum: ['ACTIVE', 'INACTIVE', 'BLOCKED'], anyCase: true },
  type: { type: 'string', description: 'In any letter case' },
  asset_code: { type: 'string' },
  entity_id: { type: 'string' },
  holder_id: { type: 'string' },
  blocked: { type: 'boolean' },
  name: { type: 'string', description: 'How the name begins' },
  alias: { type: 'string', description: 'How the alias begins' },
} as const satisfies Filters;

export const accountReadRoutes = [
  route({
    operationId: 'listAccounts',
    summary: 'List the accounts of a ledger, external ones included',
    description:
      'Returns the accounts that are not deleted, closed ones included, in the order of their creation. They must ' +
      'match every filter that is sent.',
    tag: 'Accounts',
    method: 'get',
    path: '/v1/organizations/{organization_id}/ledgers/{ledger_id}/accounts',
    permission: 'accounts:get',
    entityType: 'Account',
    paging: 'page',
    filters: accountFilters,
    replies: { 200: pageOf(accountSchema) },
    refusals: ['ORGANIZATION_NOT_FOUND', 'LEDGER_NOT_FOUND'],

    handle: async (request, services) => {
      const { query, page } = request;
      return pageReply(
        await rowsInLedger(request, services, accountProjection, conditionsOf(query)),
        page,
      );
    },
  }),

  route({
    operationId: 'getAccount',
    summary: 'Retrieve an account',
    description:
      'Balances have lists of their own. A closed account is returned, with `closedAt`; a deleted one is refused ' +
      'with 404.',
    tag: 'Accounts',
    method: 'get',
    path: '/v1/organizations/{organization_id}/ledgers/{ledger_id}/accounts/{account_id}',
    permission: 'accounts:get',
    entityType: 'Account',
    replies: { 200: accountSchema },
    refusals: ['ORGANIZATION_NOT_FOUND', 'LEDGER_NOT_FOUND', 'NOT_FOUND'],

    handle: async (request, services) => {
      const row = await rowInLedger(request, services, accountProjection, {
        id: request.path.account_id,
      });
      if (row === undefined) throw notFound('account');
      return ok(accountText(row));
    },
  }),

  route({
    operationId: 'getAccountByAlias',
    summary: 'Retrieve an account by its alias',
    description: 'Letter case matters. An alias that no live account has is refused with 404.',
    tag: 'Accounts',
    method: 'get',
    path: '/v1/organizations/{organization_id}/ledgers/{ledger_id}/accounts/alias/{alias}',
    permission: 'accounts:get',
    entityType: 'Account',
    replies: { 200: accountSchema },
    refusals: ['ORGANIZATION_NOT_FOUND', 'LEDGER_NOT_FOUND', 'ALIAS_NOT_FOUND'],

    handle: async (request, services) => {
      const row = await rowInLedger(request, services, accountProjection, {
        alias: request.path.alias,
      });
      if (row === undefined) throw aliasNotFound(request.path.alias);
      return ok(accountText(row));
    },
  }),

  route({
    operationId: 'getExternalAccount',
    summary: 'Retrieve the external account of an asset',
    description:
      'Looks up the alias `@external/` followed by the code as it is sent, so a code in lower case is refused with ' +
      '404.',
    tag: 'Accounts',
    method: 'get',
    path: '/v1/organizations/{organization_id}/ledgers/{ledger_id}/accounts/external/{asset_code}',
    permission: 'accounts:get',
    entityType: 'Account',
    replies: { 200: accountSchema },
    refusals: ['ORGANIZATION_NOT_FOUND', 'LEDGER_NOT_FOUND', 'ALIAS_NOT_FOUND'],

    handle: async (request, services) => {
      const alias = externalAlias(request.path.asset_code);
      const row = await rowInLedger(request, services, accountProjection, { alias });
      if (row === undefined) throw aliasNotFound(alias);
      return ok(accountText(row));
    },
  }),
];

const conditionsOf = (query: Filtered<typeof accountFilters>): Condition[] => [
  ...equal('portfolioId', query.portfolio_id),
  ...equal('segmentId', query.segment_id),
  ...equal('parentAccountId', query.parent_account_id),
  ...equal('status', query.status),
  ...equal('type', query.type?.toLowerCase()),
  ...equal('assetCode', query.asset_code),
  ...equal('entityId', query.entity_id),
  ...equal('holderId', query.holder_id?.toLowerCase()),
  ...equal('blocked', query.blocked === undefined ? undefined : Number(query.blocked)),
  ...beginning('nameLower', query.name),
  ...beginning('aliasLower', query.alias),
];

const aliasNotFound = (alias: string) =>
  refuse('ALIAS_NOT_FOUND', `No account of the ledger has the alias ${alias}.`);
