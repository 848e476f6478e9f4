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
    description:
      'Transactions that debit, credit or hold on one of its balances are refused from then on, and so are commits; ' +
      'pending ones can be canceled. Repeating it has no effect. External accounts are refused.',
    path: `/v1/${BELOW}/block`,
    replies: { 200: accountSchema },
    refusals: refused,
    handle: (request, services) => changeAccount(request, services, { blocked: true }),
  }),

  route({
    ...action,
    operationId: 'unblockAccount',
    summary: 'Let a blocked account move again',
    description:
      'Transactions can move its balances from then on. Repeating it has no effect. External accounts are refused.',
    path: `/v1/${BELOW}/unblock`,
    replies: { 200: accountSchema },
    refusals: refused,
    handle: (request, services) => changeAccount(request, services, { blocked: false }),
  }),

  route({
    ...action,
    operationId: 'closeAccountV2',
    summary: 'Close an empty account for good; it can still be read',
    description:
      'Requires balances of zero, without holds and open fee debts. A closed account cannot be opened again: every ' +
      'later movement is refused, and so is a second closing (409).',
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
