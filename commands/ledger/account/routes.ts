import { journalOfLedger } from '#commands/ledger/journals.ts';
import { refuse } from '#src/domain/errors.ts';
import { created } from '#src/http/reply.ts';
import { route } from '#src/http/route.ts';
import {
  accountSchema,
  accountView,
  createAccountBody,
  type CreateAccountBody,
} from '#src/resources/account.ts';
import type { CreateAccount } from './decider.ts';
import { EXTERNAL } from './open.ts';

export const accountWriteRoutes = [
  route({
    operationId: 'createAccount',
    summary: 'Create an account in a ledger',
    tag: 'Accounts',
    method: 'post',
    path: '/v1/organizations/{organization_id}/ledgers/{ledger_id}/accounts',
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
];

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
