import { journalOfLedger } from '#commands/ledger/journals.ts';
import type { RefusalName } from '#src/domain/errors.ts';
import { noContent } from '#src/http/reply.ts';
import { route } from '#src/http/route.ts';
import { accountSchema } from '#src/resources/account.ts';
import { changeAccount } from './routes.ts';

const BELOW = 'organizations/{organization_id}/ledgers/{ledger_id}/accounts/{account_id}';

const action = {
  tag: 'Accounts',
  method: 'post',
  permission: 'accounts:post',
  entityType: 'Account',
} as const;

const refused = [
  'ORGANIZATION_NOT_FOUND',
  'LEDGER_NOT_FOUND',
  'NOT_FOUND',
  'EXTERNAL_PROTECTED',
] as const satisfies readonly RefusalName[];

/** What stops an account's movements, and what lets them go on. */
export const accountLifeRoutes = [
  route({
    ...action,
    operationId: 'blockAccount',
    summary: 'Block an account: nothing moves it until it is unblocked',
    path: `/v1/${BELOW}/block`,
    replies: { 200: accountSchema },
    refusals: refused,
    handle: (request, services) => changeAccount(request, services, { blocked: true }),
  }),

  route({
    ...action,
    operationId: 'unblockAccount',
    summary: 'Let a blocked account move again',
    path: `/v1/${BELOW}/unblock`,
    replies: { 200: accountSchema },
    refusals: refused,
    handle: (request, services) => changeAccount(request, services, { blocked: false }),
  }),

  route({
    ...action,
    operationId: 'closeAccountV2',
    summary: 'Close an empty account for good; it can still be read',
    path: `/v2/${BELOW}/close`,
    replies: { 204: null },
    refusals: [...refused, 'CLOSED_ALREADY', 'ACCOUNT_HELD', 'BALANCE_LEFT', 'HOLDS_PENDING'],

    handle: async (request, { commands }) => {
      const { organization_id: organizationId, ledger_id, account_id: accountId } = request.path;
      await commands.requireOrganization(request, organizationId);
      const journal = journalOfLedger(ledger_id);
      const command = { type: 'CloseAccount', organizationId, accountId } as const;
      const { revision } = await commands.submit(request, journal, command);
      return noContent({ token: { [journal.name]: revision } });
    },
  }),
];
