import { ledgerProjection } from '#projections/ledger/ledger.ts';
import { notFound, readRow } from '#queries/reading.ts';
import { ledgerJournal } from '#src/kernel/journal-name.ts';
import type { LedgerRecord } from '#src/events/ledger/ledger.ts';
import { ok } from '#src/http/reply.ts';
import { route } from '#src/http/route.ts';
import {
  ledgerSettingsSchema,
  ledgerSettingsSchemaV2,
  ledgerSettingsView,
} from '#src/resources/ledger/ledger-settings.ts';
import { requireOrganization } from './parents.ts';

export const ledgerSettingsReadRoutes = [
  route({
    operationId: 'getLedgerSettings',
    summary: 'Retrieve the settings of a ledger, complete',
    description: 'Settings that were never changed have their defaults.',
    tag: 'Ledgers',
    method: 'get',
    path: '/v1/organizations/{organization_id}/ledgers/{ledger_id}/settings',
    permission: 'ledgers:get',
    entityType: 'LedgerSettings',
    replies: { 200: ledgerSettingsSchema },
    repliesV2: { 200: ledgerSettingsSchemaV2 },
    refusals: ['ORGANIZATION_NOT_FOUND', 'NOT_FOUND'],

    handle: async (request, services) => {
      const { organization_id: organizationId, ledger_id: id } = request.path;
      await requireOrganization(services, request, organizationId);
      const row = await readRow(services, request, {
        of: ledgerProjection,
        after: ledgerJournal(id),
        where: { id, organizationId },
      });
      if (row === undefined) throw notFound('ledger');
      const ledger = JSON.parse(row.body) as LedgerRecord;
      return ok(JSON.stringify(ledgerSettingsView(ledger, request.version)));
    },
  }),
];
