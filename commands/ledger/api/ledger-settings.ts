import { ok } from '#src/http/reply.ts';
import { requireOrganization } from './parents.ts';
import { route } from './route.ts';
import {
  ledgerSettingsBody,
  ledgerSettingsSchema,
  ledgerSettingsSchemaV2,
  ledgerSettingsView,
  SETTINGS_LIMIT,
} from '#src/resources/ledger/ledger-settings.ts';
import { journalOfLedger } from '#commands/ledger/journals.ts';

export const ledgerSettingsWriteRoutes = [
  route({
    operationId: 'updateLedgerSettings',
    summary: 'Change what a ledger demands of its accounts and transactions',
    description:
      'Groups and members that are absent stay as they are, and the response has all settings. Existing ' +
      'transactions are not touched: a pending one is settled by the rules under which it was created.',
    tag: 'Ledgers',
    method: 'patch',
    path: '/v1/organizations/{organization_id}/ledgers/{ledger_id}/settings',
    permission: 'ledgers:patch',
    entityType: 'LedgerSettings',
    body: ledgerSettingsBody,
    bodyLimit: SETTINGS_LIMIT,
    tooLargeStatus: 400,
    replies: { 200: ledgerSettingsSchema },
    repliesV2: { 200: ledgerSettingsSchemaV2 },
    refusals: ['ORGANIZATION_NOT_FOUND', 'NOT_FOUND'],

    handle: async (request, { commands }) => {
      const { organization_id: organizationId, ledger_id: ledgerId } = request.path;
      await requireOrganization(commands, request, organizationId);
      const journal = journalOfLedger(ledgerId);
      const { events, revision } = await commands.submit(request, journal, {
        type: 'ChangeLedgerSettings',
        organizationId,
        changes: request.body,
      });
      const [event] = events;
      if (event?.type !== 'LedgerSettingsChanged') throw new Error('A change is one event');
      return ok(JSON.stringify(ledgerSettingsView(event.data.ledger, request.version)), {
        token: { [journal.name]: revision },
      });
    },
  }),
];
