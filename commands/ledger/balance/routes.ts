import { journalOfLedger } from '#commands/ledger/journals.ts';
import { balanceProjection, EMPTY_STATE } from '#projections/ledger/balance.ts';
import { created, noContent, ok } from '#src/http/reply.ts';
import type { Request } from '#src/http/request.ts';
import { route } from '#src/http/route.ts';
import type { Services } from '#src/http/services.ts';
import type { Uuid } from '#src/domain/ids.ts';
import { refuse } from '#src/domain/errors.ts';
import {
  balanceSchema,
  balanceView,
  createBalanceBody,
  updateBalanceBody,
  type BalanceValues,
} from '#src/resources/balance.ts';

const LEDGER = '/v1/organizations/{organization_id}/ledgers/{ledger_id}';
const PATH = `${LEDGER}/balances/{balance_id}` as const;
const absent = ['ORGANIZATION_NOT_FOUND', 'LEDGER_NOT_FOUND', 'NOT_FOUND'] as const;

export const balanceWriteRoutes = [
  route({
    operationId: 'createBalance',
    summary: 'Add a balance to an account, beside its default one',
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
      'DEFAULT_BALANCE_MISSING',
      'ACCOUNT_CLOSED',
      'KEY_RESERVED',
      'KEY_TAKEN',
    ],

    handle: async (request, { commands }) => {
      const { organization_id: organizationId, ledger_id, account_id: accountId } = request.path;
      const { key, ...fields } = request.body;
      await commands.requireOrganization(request, organizationId);
      const journal = journalOfLedger(ledger_id);
      const { events, revision } = await commands.submit(request, journal, {
        type: 'CreateBalance',
        organizationId,
        accountId,
        fields: { key: key.toLowerCase(), ...fields },
      });
      const [event] = events;
      if (event?.type !== 'BalanceCreated') throw new Error('A new balance comes first');
      const { balance } = event.data;
      const values = { ...EMPTY_STATE, updatedAt: balance.updatedAt };
      return created(JSON.stringify(balanceView(balance, values)), {
        token: { [journal.name]: revision },
      });
    },
  }),

  route({
    operationId: 'updateBalance',
    summary: 'Let a balance send and receive, or not',
    tag: 'Balances',
    method: 'patch',
    path: PATH,
    permission: 'balances:patch',
    entityType: 'Balance',
    body: updateBalanceBody,
    replies: { 200: balanceSchema },
    refusals: absent,

    handle: async (request, services) => {
      const { organization_id: organizationId, ledger_id, balance_id: balanceId } = request.path;
      const { commands } = services;
      await commands.requireOrganization(request, organizationId);
      const journal = journalOfLedger(ledger_id);
      const { events, revision } = await commands.submit(request, journal, {
        type: 'UpdateBalance',
        organizationId,
        balanceId,
        changes: request.body,
      });
      const [event] = events;
      if (event?.type !== 'BalanceUpdated') throw new Error('A change is one event');
      const { balance, state, changed } = event.data;
      const values =
        changed.length > 0
          ? { ...state, updatedAt: balance.updatedAt }
          : await valuesRead(request, services, journal.name);
      return ok(JSON.stringify(balanceView(balance, values)), {
        token: { [journal.name]: revision },
      });
    },
  }),

  route({
    operationId: 'deleteBalance',
    summary: 'Delete an empty balance that is not the default one',
    tag: 'Balances',
    method: 'delete',
    path: PATH,
    permission: 'balances:delete',
    entityType: 'Balance',
    replies: { 204: null },
    refusals: [...absent, 'BALANCE_NOT_DELETABLE'],

    handle: async (request, { commands }) => {
      const { organization_id: organizationId, ledger_id, balance_id: balanceId } = request.path;
      await commands.requireOrganization(request, organizationId);
      const journal = journalOfLedger(ledger_id);
      const command = { type: 'DeleteBalance', organizationId, balanceId } as const;
      const { revision } = await commands.submit(request, journal, command);
      return noContent({ token: { [journal.name]: revision } });
    },
  }),
];

/** When the last change was a transaction's, only the read model knows the moment. */
async function valuesRead(
  { path, context: { tenantId } }: Request<Readonly<{ balance_id: Uuid }>>,
  { reads, progress }: Services,
  journal: string,
): Promise<BalanceValues> {
  const { collection } = balanceProjection;
  await progress.reached(collection.name, journal);
  const row = await reads.get(collection, { id: path.balance_id, tenantId });
  if (row === undefined) throw refuse('NOT_FOUND', 'There is no such balance any more.');
  return row.values as BalanceValues;
}
