import { accountTypeProjection } from '#projections/ledger/account-type.ts';
import { unionReply } from '#queries/paging.ts';
import { equal } from '#queries/reading.ts';
import { accountTypeText } from './renderers.ts';
import { refuse } from '#src/events/ledger/refusals.ts';
import { ok } from '#src/http/reply.ts';
import { route } from '#src/http/route.ts';
import { cursorListOf } from '#src/kernel/schema-fragments.ts';
import { accountTypeSchema } from '#src/resources/ledger/account-type.ts';
import { rowInLedger, rowsInLedger } from './in-ledger.ts';

export const accountTypeReadRoutes = [
  route({
    operationId: 'listAccountTypes',
    summary: 'List the account types of a ledger',
    tag: 'Account types',
    method: 'get',
    path: '/v1/organizations/{organization_id}/ledgers/{ledger_id}/account-types',
    permission: { namespace: 'routing', resource: 'account-types', action: 'get' },
    entityType: 'AccountType',
    paging: 'union',
    filters: { key_value: { type: 'string', description: 'In any letter case' } },
    replies: { 200: cursorListOf(accountTypeSchema) },
    refusals: ['ORGANIZATION_NOT_FOUND', 'LEDGER_NOT_FOUND'],

    handle: async (request, services) => {
      const { query, page } = request;
      const filters = equal('keyValue', query.key_value?.toLowerCase());
      const sequence = await rowsInLedger(request, services, accountTypeProjection, filters);
      return unionReply(sequence, { ...page, page: page.page ?? 1 }); // Shown always (§1.7).
    },
  }),

  route({
    operationId: 'getAccountType',
    summary: 'Retrieve an account type',
    tag: 'Account types',
    method: 'get',
    path: '/v1/organizations/{organization_id}/ledgers/{ledger_id}/account-types/{account_type_id}',
    permission: { namespace: 'routing', resource: 'account-types', action: 'get' },
    entityType: 'AccountType',
    replies: { 200: accountTypeSchema },
    refusals: ['ORGANIZATION_NOT_FOUND', 'LEDGER_NOT_FOUND', 'ACCOUNT_TYPE_NOT_FOUND'],

    handle: async (request, services) => {
      const where = { id: request.path.account_type_id };
      const row = await rowInLedger(request, services, accountTypeProjection, where);
      if (row === undefined) {
        throw refuse('ACCOUNT_TYPE_NOT_FOUND', 'There is no such account type.');
      }
      return ok(accountTypeText(row));
    },
  }),
];
