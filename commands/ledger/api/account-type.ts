import { created, noContent, ok } from '#src/http/reply.ts';
import { route } from './route.ts';
import {
  createAccountTypeBody,
  accountTypeSchema,
  accountTypeView,
  updateAccountTypeBody,
} from '#src/resources/ledger/account-type.ts';
import { parentsAbsent, submitRecord, submitToLedger } from './in-ledger.ts';

const absent = [...parentsAbsent, 'ACCOUNT_TYPE_NOT_FOUND'] as const;
const PATH = '/v1/organizations/{organization_id}/ledgers/{ledger_id}/account-types';

export const accountTypeWriteRoutes = [
  route({
    operationId: 'createAccountType',
    summary: 'Create an account type in a ledger',
    tag: 'Account types',
    method: 'post',
    path: PATH,
    permission: { namespace: 'routing', resource: 'account-types', action: 'post' },
    entityType: 'AccountType',
    body: createAccountTypeBody,
    replies: { 201: accountTypeSchema },
    refusals: [...parentsAbsent, 'ACCOUNT_TYPE_TAKEN'],

    handle: async (request, services) => {
      const { keyValue, ...fields } = request.body;
      const { data, token } = await submitRecord(request, services, 'AccountTypeCreated', {
        type: 'CreateAccountType',
        fields: { ...fields, keyValue: keyValue.toLowerCase() },
      });
      return created(JSON.stringify(accountTypeView(data.accountType)), { token });
    },
  }),

  route({
    operationId: 'updateAccountType',
    summary: 'Change an account type; accounts that are there stay as they are',
    tag: 'Account types',
    method: 'patch',
    path: `${PATH}/{account_type_id}`,
    permission: { namespace: 'routing', resource: 'account-types', action: 'patch' },
    entityType: 'AccountType',
    body: updateAccountTypeBody,
    replies: { 200: accountTypeSchema },
    refusals: [...absent, 'TOO_LARGE'],

    handle: async (request, services) => {
      const { data, token } = await submitRecord(request, services, 'AccountTypeUpdated', {
        type: 'UpdateAccountType',
        id: request.path.account_type_id,
        changes: request.body,
      });
      return ok(JSON.stringify(accountTypeView(data.accountType)), { token });
    },
  }),

  route({
    operationId: 'deleteAccountType',
    summary: 'Delete an account type; accounts of the type stay as they are',
    tag: 'Account types',
    method: 'delete',
    path: `${PATH}/{account_type_id}`,
    permission: { namespace: 'routing', resource: 'account-types', action: 'delete' },
    entityType: 'AccountType',
    replies: { 204: null },
    refusals: absent,

    handle: async (request, services) => {
      const id = request.path.account_type_id;
      const { token } = await submitToLedger(request, services, {
        type: 'DeleteAccountType',
        id,
      });
      return noContent({ token });
    },
  }),
];
