import { route } from '#commands/ledger/api/route.ts';
import { finishInstrumentErasure } from '#commands/registry/processes/erase-instrument.ts';
import { registryServices } from '#commands/registry/processes/services.ts';
import { journalOfRegistry } from '#commands/registry/registry.ts';
import { organizationNotFound } from '#src/events/ledger/absent.ts';
import { created, noContent, ok, type Reply } from '#src/http/reply.ts';
import type { Request } from '#src/http/request.ts';
import type { Services } from '#src/http/services.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { organizationJournal } from '#src/kernel/journal-name.ts';
import {
  createInstrumentBody,
  instrumentSchema,
  instrumentView,
  updateInstrumentBody,
} from '#src/resources/registry/instrument.ts';
import {
  changeInstrument,
  deleteRelatedParty,
  type InstrumentRequest,
} from './change-instrument.ts';
import { createInstrument } from './create-instrument.ts';
import { withValues } from './new-metadata.ts';
import { ERASURE_CERTIFICATE, erasureHeaders } from './erasure-header.ts';

const PATH = '/v1/organizations/{organization_id}/holders/{holder_id}/instruments';

const facts = (action: string) => ({
  tag: 'Instruments',
  entityType: 'Instrument',
  permission: { namespace: 'core', resource: 'instruments', action },
  noUniqueMetadata: true as const,
});

const partyRefusals = [
  ...(['RELATED_PARTY_ROLE', 'RELATED_PARTY_DOCUMENT', 'RELATED_PARTY_NAME'] as const),
  ...(['RELATED_PARTY_START', 'RELATED_PARTY_END', 'CLOSED_BEFORE_CREATED'] as const),
];
const keyRefusals = ['KEY_SERVICE_UNAVAILABLE', 'ENCRYPTION_FAILED'] as const;

/** Contract registry-and-fees §A4, §A5 and §A6. */
export const instrumentWriteRoutes = [
  route({
    ...facts('post'),
    operationId: 'createInstrument',
    summary: 'Register an account of a holder',
    description:
      'An instrument connects a holder with an account of a ledger, which has one live instrument at most. Version 1 by ' +
      'header calls it an alias account. Document, account number, IBAN and the related parties are encrypted with a ' +
      'key of the record before anything is stored.',
    method: 'post',
    path: PATH,
    body: createInstrumentBody,
    idempotent: true,
    replies: { 201: instrumentSchema },
    refusals: [
      ...(['ORGANIZATION_NOT_FOUND', 'HOLDER_NOT_FOUND', 'INSTRUMENT_NOT_FOUND'] as const),
      ...(['INSTRUMENT_LEDGER_NOT_FOUND', 'INSTRUMENT_ACCOUNT_NOT_FOUND'] as const),
      ...(['ACCOUNT_LINKED', 'IDEMPOTENCY_KEY_IN_USE', ...partyRefusals, ...keyRefusals] as const),
    ],
    async handle(request, services) {
      const { ledgerId, accountId, metadata, ...details } = request.body;
      const link = { holderId: request.path.holder_id, ledgerId, accountId };
      const members = { ...details, ...(metadata && withValues(metadata)) };
      const made = await createInstrument(request, services, link, members);
      const { instrument, opened, revision, replayed } = made;
      const text = JSON.stringify(instrumentView(instrument, opened));
      return created(text, { token: tokenOf(request, revision), replayed });
    },
  }),

  route({
    ...facts('patch'),
    operationId: 'updateInstrument',
    summary: 'Change an instrument; its ledger and account stay as they are',
    description:
      'Members that are absent stay as they are, null clears a member, and nested objects are merged member by member. ' +
      'Related parties are added to those there are.',
    method: 'patch',
    path: `${PATH}/{instrument_id}`,
    body: updateInstrumentBody,
    replies: { 200: instrumentSchema },
    refusals: [
      ...(['ORGANIZATION_NOT_FOUND', 'INSTRUMENT_NOT_FOUND'] as const),
      ...([...partyRefusals, ...keyRefusals] as const),
    ],
    async handle(request, services) {
      await mustHaveOrganization(request, services);
      const changed = await changeInstrument(request, services, request.body);
      const { instrument, opened, revision } = changed;
      const token = tokenOf(request, revision);
      return ok(JSON.stringify(instrumentView(instrument, opened)), { token });
    },
  }),

  route({
    ...facts('delete'),
    operationId: 'deleteInstrument',
    summary: 'Delete an instrument, or erase it for good',
    description:
      'The account stays as it is, and may have another instrument. With `hard_delete=true`, also of a deleted ' +
      'instrument, the key of the record is destroyed. The header `X-Erasure-Certificate` has the id of the certificate.',
    method: 'delete',
    path: `${PATH}/{instrument_id}`,
    filters: {
      hard_delete: { type: 'string', description: '`true` erases the instrument for good' },
    },
    replies: { 204: null },
    replyHeaders: erasureHeaders,
    refusals: ['ORGANIZATION_NOT_FOUND', 'INSTRUMENT_NOT_FOUND', 'KEY_SERVICE_UNAVAILABLE'],
    async handle(request, services) {
      await mustHaveOrganization(request, services);
      if (request.query.hard_delete?.toLowerCase() === 'true') return erased(request, services);
      const { holder_id: holderId, instrument_id: id } = request.path;
      const journal = journalOfRegistry(request.path.organization_id);
      const command = { type: 'DeleteInstrument', holderId, id } as const;
      const { revision } = await services.commands.submit(request, journal, command);
      return noContent({ token: { [journal.name]: revision } });
    },
  }),

  route({
    ...facts('delete'),
    operationId: 'deleteRelatedParty',
    summary: 'Remove a related party from an instrument',
    description:
      'The party is not shown or found any more. Its encrypted members stay in earlier events of the log until the ' +
      'instrument is erased.',
    method: 'delete',
    path: `${PATH}/{instrument_id}/related-parties/{related_party_id}`,
    replies: { 204: null },
    refusals: [
      ...(['ORGANIZATION_NOT_FOUND', 'INSTRUMENT_NOT_FOUND', 'RELATED_PARTY_NOT_FOUND'] as const),
      ...keyRefusals,
    ],
    async handle(request, services) {
      await mustHaveOrganization(request, services);
      const revision = await deleteRelatedParty(request, services);
      return noContent({ token: tokenOf(request, revision) });
    },
  }),
];

/** As for a holder: a repeated request continues where an earlier one ended. */
async function erased(
  request: InstrumentRequest,
  { commands, components }: Services,
): Promise<Reply> {
  const { organization_id: organizationId, holder_id: holderId, instrument_id: id } = request.path;
  const { submit, tenantId } = commands.steps(request);
  const journal = journalOfRegistry(organizationId);
  const begin = { type: 'BeginInstrumentErasure', organizationId, holderId, id } as const;
  const [begun] = (await submit(journal, begin)).events;
  if (begun?.type !== 'InstrumentErasureBegun') throw new Error('An erasure has its first event');
  const { keys } = registryServices(components);
  const record = { tenantId, organizationId, recordId: id };
  const revision = await finishInstrumentErasure(submit, keys, record);
  return noContent({
    token: { [journal.name]: revision },
    headers: { [ERASURE_CERTIFICATE]: begun.data.erasure.certificateId },
  });
}

/** Errors: ORGANIZATION_NOT_FOUND. */
async function mustHaveOrganization(
  request: InstrumentRequest,
  { commands }: Services,
): Promise<void> {
  const { organization_id: id } = request.path;
  const organization = await commands.fact(request, organizationJournal(id));
  if (organization?.live !== true) throw organizationNotFound();
}

const tokenOf = ({ path }: Request<Readonly<{ organization_id: Uuid }>>, revision: number) => ({
  [journalOfRegistry(path.organization_id).name]: revision,
});
