import { route } from '#commands/ledger/api/route.ts';
import { closeHolder } from '#commands/registry/processes/close-holder.ts';
import { finishErasure } from '#commands/registry/processes/erase-holder.ts';
import { registryServices } from '#commands/registry/processes/services.ts';
import { changedPerson } from '#commands/registry/person.ts';
import { journalOfRegistry } from '#commands/registry/registry.ts';
import { organizationNotFound } from '#src/events/ledger/absent.ts';
import { OWN_HOLDERS } from '#src/events/registry/own-holder.ts';
import { refuse } from '#src/events/registry/refusals.ts';
import type { HolderDeletion, RegistryEvent } from '#src/events/registry/registry.ts';
import { created, noContent, ok, type Reply } from '#src/http/reply.ts';
import type { Request } from '#src/http/request.ts';
import type { Services } from '#src/http/services.ts';
import type { Outcome } from '#src/journal/batch.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { organizationJournal } from '#src/kernel/journal-name.ts';
import {
  createHolderBody,
  holderSchema,
  holderView,
  updateHolderBody,
} from '#src/resources/registry/holder.ts';
import { changeHolder } from './change-holder.ts';
import { createHolder } from './create-holder.ts';
import { withValues } from './new-metadata.ts';
import { ERASURE_CERTIFICATE, erasureHeaders } from './erasure-header.ts';

const PATH = '/v1/organizations/{organization_id}/holders';

const facts = (action: string) => ({
  tag: 'Holders',
  entityType: 'Holder',
  permission: { namespace: 'core', resource: 'holders', action },
  noUniqueMetadata: true as const,
});

/** Contract registry-and-fees §A3, §A5 and §A6. */
export const holderWriteRoutes = [
  route({
    ...facts('post'),
    operationId: 'createHolder',
    summary: 'Register a holder, a person who may own accounts',
    description:
      'The name, the document and everything else that tells who the person is are encrypted with a key of the record ' +
      'before anything is stored. Do not put personal data in `externalId` or `metadata`, which are not. A document ' +
      'can be registered again once its holder is deleted.',
    method: 'post',
    path: PATH,
    body: createHolderBody,
    idempotent: true,
    replies: { 201: holderSchema },
    refusals: [
      ...(['ORGANIZATION_NOT_FOUND', 'HOLDER_NOT_FOUND', 'DOCUMENT_TAKEN'] as const),
      ...(['IDEMPOTENCY_KEY_IN_USE', 'KEY_SERVICE_UNAVAILABLE', 'ENCRYPTION_FAILED'] as const),
    ],
    async handle(request, services) {
      const { externalId, type, metadata, ...sent } = request.body;
      const person = changedPerson({}, sent);
      const members = {
        type,
        ...(typeof externalId === 'string' && { externalId }),
        ...(metadata && withValues(metadata)),
      };
      const { holder, revision, replayed } = await createHolder(request, services, members, person);
      const text = JSON.stringify(holderView(holder, person));
      return created(text, { token: tokenOf(request, revision), replayed });
    },
  }),

  route({
    ...facts('patch'),
    operationId: 'updateHolder',
    summary: 'Change a holder; type and document stay as they are',
    description:
      'Members that are absent stay as they are, null clears a member, and nested objects are merged member by member.',
    method: 'patch',
    path: `${PATH}/{holder_id}`,
    body: updateHolderBody,
    replies: { 200: holderSchema },
    refusals: [
      ...(['ORGANIZATION_NOT_FOUND', 'HOLDER_NOT_FOUND', 'OWN_HOLDER'] as const),
      ...(['KEY_SERVICE_UNAVAILABLE', 'ENCRYPTION_FAILED'] as const),
    ],
    async handle(request, services) {
      await mustBeOthers(request, services);
      const { holder, person, revision } = await changeHolder(request, services, request.body);
      const token = tokenOf(request, revision);
      return ok(JSON.stringify(holderView(holder, person)), { token });
    },
  }),

  route({
    ...facts('delete'),
    operationId: 'deleteHolder',
    summary: 'Delete a holder, or erase it for good',
    description:
      'A holder that owns accounts or has instruments is not deleted: delete those first. A deleted holder is hidden, and ' +
      'its document can be registered again. With `hard_delete=true`, also of a deleted holder, the key of the record is ' +
      'destroyed: no backup and no event tells who the person was; deleted instruments are erased with the holder. The header ' +
      '`X-Erasure-Certificate` has the id of the certificate.',
    method: 'delete',
    path: `${PATH}/{holder_id}`,
    filters: { hard_delete: { type: 'string', description: '`true` erases the holder for good' } },
    replies: { 204: null },
    replyHeaders: erasureHeaders,
    refusals: [
      ...(['ORGANIZATION_NOT_FOUND', 'HOLDER_NOT_FOUND', 'OWN_HOLDER'] as const),
      ...(['HOLDER_HAS_INSTRUMENTS', 'HOLDER_OWNS_ACCOUNTS', 'KEY_SERVICE_UNAVAILABLE'] as const),
    ],
    async handle(request, services) {
      await mustBeOthers(request, services);
      if (request.query.hard_delete?.toLowerCase() === 'true') return erased(request, services);
      const { revision } = await closed(request, services, 'soft');
      return noContent({ token: tokenOf(request, revision) });
    },
  }),
];

type HolderRequest = Request<Readonly<{ organization_id: Uuid; holder_id: Uuid }>>;

/** Errors: HOLDER_NOT_FOUND, HOLDER_OWNS_ACCOUNTS. */
async function closed(
  request: HolderRequest,
  { commands, components }: Services,
  deletion: HolderDeletion,
): Promise<Outcome<RegistryEvent>> {
  const { organization_id: organizationId, holder_id: holderId } = request.path;
  const { submit, tenantId } = commands.steps(request);
  const { accounts } = registryServices(components);
  const holder = { tenantId, organizationId, holderId };
  const ownsAccounts = await accounts.ownsAccounts(holder, request.consistencyToken);
  return closeHolder(submit, accounts, holder, { deletion, ownsAccounts });
}

/**
 * After the closing, two steps with the destruction of the key in between; a repeated request continues where an earlier
 * one ended.
 */
async function erased(request: HolderRequest, services: Services): Promise<Reply> {
  const { organization_id: organizationId, holder_id: id } = request.path;
  const [begun] = (await closed(request, services, 'hard')).events;
  const { submit, tenantId } = services.commands.steps(request);
  if (begun?.type !== 'HolderErasureBegun') throw new Error('An erasure has its first event');
  const { keys } = registryServices(services.components);
  const revision = await finishErasure(submit, keys, { tenantId, organizationId, recordId: id });
  const { certificateId } = begun.data.erasure;
  return noContent({
    token: tokenOf(request, revision),
    headers: { [ERASURE_CERTIFICATE]: certificateId },
  });
}

/** Errors: ORGANIZATION_NOT_FOUND; OWN_HOLDER for the organization's own holder, which only mirrors it. */
async function mustBeOthers(request: HolderRequest, { commands, ids }: Services): Promise<void> {
  const { organization_id: organizationId, holder_id: id } = request.path;
  const organization = await commands.fact(request, organizationJournal(organizationId));
  if (organization?.live !== true) throw organizationNotFound();
  if (id !== ids.named(OWN_HOLDERS, organizationId)) return;
  throw refuse('OWN_HOLDER', 'This holder is the organization itself: change the organization.');
}

const tokenOf = ({ path }: Request<Readonly<{ organization_id: Uuid }>>, revision: number) => ({
  [journalOfRegistry(path.organization_id).name]: revision,
});
