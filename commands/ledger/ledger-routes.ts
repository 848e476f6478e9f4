import { created } from '#src/http/reply.ts';
import { route } from '#src/http/route.ts';
import { createLedgerBody, ledgerSchema, ledgerView } from '#src/resources/ledger.ts';
import { journalOfLedger } from './journals.ts';
import { openLedger } from './open-ledger.ts';

export const ledgerWriteRoutes = [
  route({
    operationId: 'createLedger',
    summary: 'Create a ledger in an organization',
    tag: 'Ledgers',
    method: 'post',
    path: '/v1/organizations/{organization_id}/ledgers',
    permission: 'ledgers:post',
    entityType: 'Ledger',
    body: createLedgerBody,
    replies: { 201: ledgerSchema },
    refusals: ['ORGANIZATION_NOT_FOUND', 'LEDGER_NAME_TAKEN'],

    handle: async (request, { commands, ids }) => {
      const { name, status, metadata } = request.body;
      const id = ids.next();
      const { ledger, revision } = await openLedger(
        (journal, command) => commands.submit(request, journal, command),
        {
          id,
          organizationId: request.path.organization_id,
          name,
          status,
          ...(metadata && { metadata }),
        },
      );
      return created(JSON.stringify(ledgerView(ledger)), {
        token: { [journalOfLedger(id).name]: revision },
      });
    },
  }),
];
