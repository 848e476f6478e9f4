import { absent, submitToLedger } from './in-ledger.ts';
import { noContent } from '#src/http/reply.ts';
import { route } from './route.ts';
import { accountSchema } from '#src/resources/ledger/account.ts';
import { changeAccount } from './account.ts';

const BELOW = 'organizations/{organization_id}/ledgers/{ledger_id}/accounts/{account_id}';

const action = {
  tag: 'Accounts',
  method: 'post',
  permission: 'accounts:post',
  entityType: 'Account',
} as const;

const refused = [...absent, 'EXTERNAL_PROTECTED'] as const;

/** Closing accounts, and block exceptions. */
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
    refusals: [
      ...refused,
      'CLOSED_ALREADY',
      'ACCOUNT_HELD',
      'BALANCE_LEFT',
      'HOLDS_PENDING',
      'FEE_DEBT_OPEN',
    ],

    handle: async (request, services) => {
      const accountId = request.path.account_id;
      const { token } = await submitToLedger(request, services, {
        type: 'CloseAccount',
        accountId,
      });
      return noContent({ token });
    },
  }),
];
