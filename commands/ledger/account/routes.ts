import { journalOfLedger } from '#commands/ledger/journals.ts';
import { refuse } from '#src/domain/errors.ts';
import type { Uuid } from '#src/domain/ids.ts';
import { created, noContent, ok, type Reply } from '#src/http/reply.ts';
import type { Request } from '#src/http/request.ts';
import { route } from '#src/http/route.ts';
import type { Services } from '#src/http/services.ts';
import {
  accountSchema,
  accountView,
  createAccountBody,
  updateAccountBody,
  type CreateAccountBody,
} from '#src/resources/account.ts';
import type { CreateAccount } from './decider.ts';
import { EXTERNAL } from './open.ts';
import type { UpdateAccount } from './update.ts';

const PATH = '/v1/organizations/{organization_id}/ledgers/{ledger_id}/accounts';
const absent = ['ORGANIZATION_NOT_FOUND', 'LEDGER_NOT_FOUND', 'NOT_FOUND'] as const;

export const accountWriteRoutes = [
  route({
    operationId: 'createAccount',
    summary: 'Create an account in a ledger',
    tag: 'Accounts',
    method: 'post',
    path: PATH,
    permission: 'accounts:post',
    entityType: 'Account',
    body: createAccountBody,
    replies: { 201: accountSchema },
    refusals: [
      'ORGANIZATION_NOT_FOUND',
      'LEDGER_NOT_FOUND',
      'ASSET_NOT_FOUND',
      'PORTFOLIO_NOT_FOUND',
      'SEGMENT_NOT_FOUND',
      'PARENT_ACCOUNT_INVALID',
      'PARENT_ACCOUNT_ASSET',
      'HOLDER_NOT_FOUND',
      'SKIP_NOT_PERMITTED',
      'ALIAS_TAKEN',
      'ALIAS_INVALID',
    ],

    handle: async (request, { commands }) => {
      const { organization_id: organizationId, ledger_id: ledgerId } = request.path;
      const fields = fieldsOf(request.body);
      await commands.requireOrganization(request, organizationId);
      const journal = journalOfLedger(ledgerId);
      const { events, revision } = await commands.submit(request, journal, {
        type: 'CreateAccount',
        organizationId,
        fields,
      });
      const [event] = events;
      if (event?.type !== 'AccountOpened') throw new Error('An account is one event');
      return created(JSON.stringify(accountView(event.data.account)), {
        token: { [journal.name]: revision },
      });
    },
  }),

  route({
    operationId: 'updateAccount',
    summary: 'Change an account, block it or let it move again',
    tag: 'Accounts',
    method: 'patch',
    path: `${PATH}/{account_id}`,
    permission: 'accounts:patch',
    entityType: 'Account',
    body: updateAccountBody,
    replies: { 200: accountSchema },
    refusals: [
      ...absent,
      'EXTERNAL_PROTECTED',
      'PORTFOLIO_NOT_FOUND',
      'SEGMENT_NOT_FOUND',
      'TOO_LARGE',
    ],

    handle: (request, services) => changeAccount(request, services, request.body),
  }),

  route({
    operationId: 'deleteAccount',
    summary: 'Delete an account whose balances are empty, and with it the balances',
    tag: 'Accounts',
    method: 'delete',
    path: `${PATH}/{account_id}`,
    permission: 'accounts:delete',
    entityType: 'Account',
    replies: { 204: null },
    refusals: [...absent, 'EXTERNAL_PROTECTED', 'ACCOUNT_HELD', 'BALANCE_BLOCKS_DELETION'],

    handle: async (request, { commands }) => {
      const { organization_id: organizationId, ledger_id, account_id: accountId } = request.path;
      await commands.requireOrganization(request, organizationId);
      const journal = journalOfLedger(ledger_id);
      const command = { type: 'DeleteAccount', organizationId, accountId } as const;
      const { revision } = await commands.submit(request, journal, command);
      return noContent({ token: { [journal.name]: revision } });
    },
  }),
];

/** Changes an account, and shows it whole. */
export async function changeAccount(
  request: Request<Readonly<Record<'organization_id' | 'ledger_id' | 'account_id', Uuid>>>,
  { commands }: Services,
  changes: UpdateAccount['changes'],
): Promise<Reply> {
  const { organization_id: organizationId, ledger_id, account_id: accountId } = request.path;
  await commands.requireOrganization(request, organizationId);
  const journal = journalOfLedger(ledger_id);
  const command = { type: 'UpdateAccount', organizationId, accountId, changes } as const;
  const { events, revision } = await commands.submit(request, journal, command);
  const [event] = events;
  if (event?.type !== 'AccountUpdated') throw new Error('A change is one event');
  return ok(JSON.stringify(accountView(event.data.account)), {
    token: { [journal.name]: revision },
  });
}

function fieldsOf(body: CreateAccountBody): CreateAccount['fields'] {
  const type = body.type.toLowerCase();
  if (type === EXTERNAL && body.alias === undefined) {
    throw refuse('REQUIRED_FIELDS', 'An external account needs an alias of its own.', {
      findings: [{ location: 'alias', message: 'is required for an external account' }],
    });
  }
  return {
    assetCode: body.assetCode,
    type,
    status: body.status,
    blocked: body.blocked,
    skipHolder: body.skip?.holder === true,
    name: body.name === '' ? undefined : body.name,
    alias: body.alias,
    parentAccountId: body.parentAccountId ?? undefined,
    entityId: body.entityId ?? undefined,
    holderId: body.holderId ?? undefined,
    portfolioId: body.portfolioId ?? undefined,
    segmentId: body.segmentId ?? undefined,
    metadata: body.metadata,
  };
}
