import { absent, submitRecord, submitToLedger } from './in-ledger.ts';
import { journalOfLedger } from '#commands/ledger/journals.ts';
import type { AccountRecord } from '#src/events/ledger/account.ts';
import { refuse } from '#src/events/ledger/refusals.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { created, noContent, ok, type ConsistencyToken, type Reply } from '#src/http/reply.ts';
import type { Request } from '#src/http/request.ts';
import { requireOrganization } from './parents.ts';
import { route } from './route.ts';
import type { Services } from '#src/http/services.ts';
import {
  accountSchema,
  accountView,
  createAccountBody,
  updateAccountBody,
  type CreateAccountBody,
} from '#src/resources/ledger/account.ts';
import type { CreateAccount } from '#commands/ledger/account/open-account.ts';
import { EXTERNAL } from '#commands/ledger/account/account-opened.ts';
import type { UpdateAccount } from '#commands/ledger/account/update.ts';

const PATH = '/v1/organizations/{organization_id}/ledgers/{ledger_id}/accounts';

/** The refusals of an account that names its holder. */
export const openingRefusals = [
  ...(['ORGANIZATION_NOT_FOUND', 'LEDGER_NOT_FOUND', 'ASSET_NOT_FOUND'] as const),
  ...(['ACCOUNT_TYPE_UNKNOWN', 'PORTFOLIO_NOT_FOUND', 'SEGMENT_NOT_FOUND'] as const),
  ...(['PARENT_ACCOUNT_INVALID', 'PARENT_ACCOUNT_ASSET', 'HOLDER_NOT_FOUND'] as const),
  ...(['SKIP_NOT_PERMITTED', 'ALIAS_TAKEN', 'ALIAS_INVALID'] as const),
];

export const accountWriteRoutes = [
  route({
    operationId: 'createAccount',
    summary: 'Create an account in a ledger',
    description:
      'Opens the default balance, with zero, in the same step; without an alias, the id of the account is its ' +
      'alias. Takes no idempotency key: choose an alias, so that a repeated request is refused with 409.',
    tag: 'Accounts',
    method: 'post',
    path: PATH,
    permission: 'accounts:post',
    entityType: 'Account',
    body: createAccountBody,
    replies: { 201: accountSchema },
    refusals: [...openingRefusals, 'HOLDER_REQUIRED'],

    handle: async (request, services) => {
      const { account, token } = await openAccount(request, services, request.body);
      return created(JSON.stringify(accountView(account)), { token });
    },
  }),

  route({
    operationId: 'updateAccount',
    summary: 'Change an account, block it or let it move again',
    description:
      'Members that are absent stay as they are, metadata is merged by key, and type, alias, asset and holder ' +
      'cannot be changed. A block binds the next transaction; external accounts are refused.',
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
    description:
      'Account and balances are deleted together. Refused while a balance has funds available or on hold, a fee ' +
      'debt is open or a cross-ledger transaction awaits the account, and for external accounts.',
    tag: 'Accounts',
    method: 'delete',
    path: `${PATH}/{account_id}`,
    permission: 'accounts:delete',
    entityType: 'Account',
    replies: { 204: null },
    refusals: [
      ...absent,
      'EXTERNAL_PROTECTED',
      'ACCOUNT_HELD',
      'BALANCE_BLOCKS_DELETION',
      'FEE_DEBT_OPEN',
    ],

    handle: async (request, services) => {
      const accountId = request.path.account_id;
      const { token } = await submitToLedger(request, services, {
        type: 'DeleteAccount',
        accountId,
      });
      return noContent({ token });
    },
  }),
];

export type OpenedAccount = Readonly<{
  account: AccountRecord;
  token: ConsistencyToken;
  replayed: boolean;
}>;

/**
 * Opens an account as this body describes it; if the request has an idempotency key, under that key, for this body.
 * Errors: Refusal, Unavailable.
 */
export async function openAccount(
  request: Request<Readonly<{ organization_id: Uuid; ledger_id: Uuid }>>,
  { commands }: Pick<Services, 'commands'>,
  body: CreateAccountBody,
): Promise<OpenedAccount> {
  const { organization_id: organizationId, ledger_id } = request.path;
  await requireOrganization(commands, request, organizationId);
  const journal = journalOfLedger(ledger_id);
  const { events, revision, replayed } = await commands.submit(
    { ...request, body },
    journal,
    { type: 'CreateAccount', organizationId, fields: fieldsOf(body) },
    request.idempotency && 'keyed',
  );
  const event = events.find(({ type }) => type === 'AccountOpened');
  if (event?.type !== 'AccountOpened') throw new Error('An opening is one event');
  return { account: event.data.account, token: { [journal.name]: revision }, replayed };
}

/** Changes an account and shows all of its members. */
export async function changeAccount(
  request: Request<Readonly<Record<'organization_id' | 'ledger_id' | 'account_id', Uuid>>>,
  services: Services,
  changes: UpdateAccount['changes'],
): Promise<Reply> {
  const { data, token } = await submitRecord(request, services, 'AccountUpdated', {
    type: 'UpdateAccount',
    accountId: request.path.account_id,
    changes,
  });
  return ok(JSON.stringify(accountView(data.account)), { token });
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
