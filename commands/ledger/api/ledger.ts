import { changedSettings, defaultSettings } from '#src/events/ledger/ledger-settings.ts';
import { created, noContent, ok } from '#src/http/reply.ts';
import { requireOrganization } from './parents.ts';
import { route } from './route.ts';
import { ledgerServices } from './services.ts';
import {
  createLedgerBody,
  ledgerSchema,
  ledgerSchemaV2,
  ledgerView,
  updateLedgerBody,
} from '#src/resources/ledger/ledger.ts';
import { deleteLedger } from '#commands/ledger/processes/close-ledger.ts';
import { journalOfLedger } from '#commands/ledger/journals.ts';
import { openLedger } from '#commands/ledger/processes/open-ledger.ts';
import { changeLedger } from '#commands/ledger/processes/change-ledger.ts';

export const ledgerWriteRoutes = [
  route({
    operationId: 'createLedger',
    summary: 'Create a ledger in an organization',
    description:
      'The name must be unique in the organization, in any letter case; settings that are absent have their ' +
      'defaults. Takes no idempotency key: a repeated request is refused because of the name.',
    tag: 'Ledgers',
    method: 'post',
    path: '/v1/organizations/{organization_id}/ledgers',
    permission: 'ledgers:post',
    entityType: 'Ledger',
    body: createLedgerBody,
    replies: { 201: ledgerSchema },
    repliesV2: { 201: ledgerSchemaV2 },
    refusals: ['ORGANIZATION_NOT_FOUND', 'LEDGER_NAME_TAKEN'],

    handle: async (request, { commands, ids }) => {
      const { name, status, metadata, settings } = request.body;
      const id = ids.next();
      const { ledger, revision } = await openLedger(commands.steps(request).submit, {
        id,
        organizationId: request.path.organization_id,
        name,
        status,
        ...(metadata && { metadata }),
        ...(settings && { settings: changedSettings(defaultSettings, settings) }),
      });
      return created(JSON.stringify(ledgerView(ledger, request.version)), {
        token: { [journalOfLedger(id).name]: revision },
      });
    },
  }),

  route({
    operationId: 'updateLedger',
    summary: 'Change the name, the status or the metadata of a ledger',
    description:
      'Members that are absent stay as they are, and metadata is merged by key. Settings have an operation of their ' +
      'own.',
    tag: 'Ledgers',
    method: 'patch',
    path: '/v1/organizations/{organization_id}/ledgers/{ledger_id}',
    permission: 'ledgers:patch',
    entityType: 'Ledger',
    body: updateLedgerBody,
    replies: { 200: ledgerSchema },
    repliesV2: { 200: ledgerSchemaV2 },
    refusals: ['ORGANIZATION_NOT_FOUND', 'NOT_FOUND', 'LEDGER_NAME_TAKEN', 'TOO_LARGE'],

    handle: async (request, { commands }) => {
      const { organization_id: organizationId, ledger_id: ledgerId } = request.path;
      await requireOrganization(commands, request, organizationId);
      const { ledger, revision } = await changeLedger(
        commands.steps(request).submit,
        { organizationId, ledgerId },
        request.body,
      );
      return ok(JSON.stringify(ledgerView(ledger, request.version)), {
        token: { [journalOfLedger(ledgerId).name]: revision },
      });
    },
  }),

  route({
    operationId: 'deleteLedger',
    summary: 'Delete a ledger with all that is in it',
    description:
      'From then on every path below it is refused with 404, whatever its balances; the log keeps the events. ' +
      'Refused where ENV_NAME is production, and while an account awaits a part of a cross-ledger transaction.',
    tag: 'Ledgers',
    method: 'delete',
    path: '/v1/organizations/{organization_id}/ledgers/{ledger_id}',
    permission: 'ledgers:delete',
    entityType: 'Ledger',
    replies: { 204: null },
    refusals: ['ORGANIZATION_NOT_FOUND', 'NOT_FOUND', 'ACTION_NOT_ALLOWED', 'ACCOUNT_HELD'],

    handle: async (request, services) => {
      const { commands, existence } = services;
      const { inProduction } = ledgerServices(services);
      const { organization_id: organizationId, ledger_id: ledgerId } = request.path;
      await requireOrganization(commands, request, organizationId);
      const { revision } = await deleteLedger(
        commands.steps(request).submit,
        { organizationId, ledgerId },
        inProduction,
      );
      existence.forget(ledgerId);
      return noContent({ token: { [journalOfLedger(ledgerId).name]: revision } });
    },
  }),
];
