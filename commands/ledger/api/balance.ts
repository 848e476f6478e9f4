import { absent, submitRecord, submitToLedger } from './in-ledger.ts';
import { balanceProjection, EMPTY_STATE } from '#projections/ledger/balance.ts';
import { created, noContent, ok } from '#src/http/reply.ts';
import type { Request } from '#src/http/request.ts';
import { route } from './route.ts';
import type { Services } from '#src/http/services.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { ledgerJournal } from '#src/kernel/journal-name.ts';
import { refuse } from '#src/events/ledger/refusals.ts';
import {
  balanceSchema,
  balanceView,
  createBalanceBody,
  updateBalanceBody,
  type BalanceValues,
} from '#src/resources/ledger/balance.ts';

import { settingsOf } from '#commands/ledger/balance/settings.ts';

const LEDGER = '/v1/organizations/{organization_id}/ledgers/{ledger_id}';
const PATH = `${LEDGER}/balances/{balance_id}` as const;

export const balanceWriteRoutes = [
  route({
    operationId: 'createBalance',
    summary: 'Add a balance to an account, or its default balance again after that was deleted',
    description:
      'It starts at zero. The account needs its default balance, unless that is the one to be added. External and ' +
      'closed accounts are refused, and keys that the account already has (409).',
    tag: 'Balances',
    method: 'post',
    path: `${LEDGER}/accounts/{account_id}/balances`,
    permission: 'balances:post',
    entityType: 'Balance',
    body: createBalanceBody,
    replies: { 201: balanceSchema },
    refusals: [
      ...absent,
      'EXTERNAL_BALANCES',
      'ACCOUNT_CLOSED',
      'DEFAULT_BALANCE_MISSING',
      'KEY_RESERVED',
      'KEY_TAKEN',
      'BALANCE_SETTINGS',
    ],

    handle: async (request, services) => {
      const { key, settings, ...flags } = request.body;
      const { data, token } = await submitRecord(request, services, 'BalanceCreated', {
        type: 'CreateBalance',
        accountId: request.path.account_id,
        fields: {
          ...flags,
          key: key.toLowerCase(),
          ...(settings && { settings: settingsOf(settings) }),
        },
      });
      const values = { ...EMPTY_STATE, updatedAt: data.balance.updatedAt };
      return created(JSON.stringify(balanceView(data.balance, values)), { token });
    },
  }),

  route({
    operationId: 'updateBalance',
    summary: 'Let a balance send, receive and owe, or not',
    description:
      '`settings` replaces the stored settings as a whole, and the next transaction obeys the change; amounts are ' +
      'changed by transactions only. A limit below the overdraft in use is refused, and so are internal balances.',
    tag: 'Balances',
    method: 'patch',
    path: PATH,
    permission: 'balances:patch',
    entityType: 'Balance',
    body: updateBalanceBody,
    replies: { 200: balanceSchema },
    refusals: [
      ...absent,
      'BALANCE_SETTINGS',
      'INTERNAL_NOT_EDITABLE',
      'LIMIT_BELOW_USAGE',
      'EXTERNAL_BALANCES',
      'ACCOUNT_CLOSED',
    ],

    handle: async (request, services) => {
      const { settings, ...flags } = request.body;
      const { data, token } = await submitRecord(request, services, 'BalanceUpdated', {
        type: 'UpdateBalance',
        balanceId: request.path.balance_id,
        changes: { ...flags, ...(settings && { settings: settingsOf(settings) }) },
      });
      const { balance, state, changed } = data;
      const values =
        changed.length > 0
          ? { ...state, updatedAt: balance.updatedAt }
          : await valuesRead(request, services);
      return ok(JSON.stringify(balanceView(balance, values)), { token });
    },
  }),

  route({
    operationId: 'deleteBalance',
    summary: 'Delete an empty balance; the default one may be created again',
    description:
      'Refused unless available and held amounts are zero, for internal balances, and for those of external ' +
      'accounts.',
    tag: 'Balances',
    method: 'delete',
    path: PATH,
    permission: 'balances:delete',
    entityType: 'Balance',
    replies: { 204: null },
    refusals: [...absent, 'BALANCE_NOT_DELETABLE', 'INTERNAL_NOT_DELETABLE', 'FEE_DEBT_OPEN'],

    handle: async (request, services) => {
      const balanceId = request.path.balance_id;
      const { token } = await submitToLedger(request, services, {
        type: 'DeleteBalance',
        balanceId,
      });
      return noContent({ token });
    },
  }),
];

/** If a transaction made the last change, only the read model knows its time. */
async function valuesRead(
  { path, context: { tenantId } }: Request<Readonly<{ ledger_id: Uuid; balance_id: Uuid }>>,
  { reads, progress }: Services,
): Promise<BalanceValues> {
  const { collection } = balanceProjection;
  await progress.reached(collection.name, ledgerJournal(path.ledger_id));
  const row = await reads.get(collection, { id: path.balance_id, tenantId });
  if (row === undefined) throw refuse('NOT_FOUND', 'There is no such balance any more.');
  return row.values as BalanceValues;
}
