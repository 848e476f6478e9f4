import { holderProjection, type HolderRow } from '#projections/registry/holder.ts';
import { requireOrganization } from '#queries/ledger/parents.ts';
import { pageFilters, pageReply } from '#queries/paging.ts';
import { equal, readRow, readRows } from '#queries/reading.ts';
import { holderNotFound } from '#src/events/registry/absent.ts';
import { OWN_HOLDERS } from '#src/events/registry/own-holder.ts';
import { ok } from '#src/http/reply.ts';
import type { Request } from '#src/http/request.ts';
import { route } from '#src/http/route.ts';
import type { Services } from '#src/http/services.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { organizationJournal, registryJournal } from '#src/kernel/journal-name.ts';
import { pageOf } from '#src/kernel/schema-fragments.ts';
import type { Condition } from '#src/ports/read-store.ts';
import { holderSchema } from '#src/resources/registry/holder.ts';
import { holderText, readOrganization, type InOrganization } from './holder-text.ts';
import { includeDeleted, isTrue, mustBeSearchable, opened } from './sealed-rows.ts';
import { registryServices } from './services.ts';

const PATH = '/v1/organizations/{organization_id}/holders';

const facts = {
  tag: 'Holders',
  method: 'get',
  entityType: 'Holder',
  permission: { namespace: 'core', resource: 'holders', action: 'get' },
} as const;

export const holderReadRoutes = [
  route({
    ...facts,
    operationId: 'listHolders',
    summary: 'List the holders of an organization',
    description:
      'The organization itself is its first holder. A document is found by its exact text; nothing that is encrypted ' +
      'can be searched by a part of it.',
    path: PATH,
    paging: 'page',
    filters: {
      external_id: { type: 'string' },
      document: { type: 'string' },
      include_deleted: includeDeleted,
    },
    replies: { 200: pageOf(holderSchema) },
    refusals: [
      ...(['ORGANIZATION_NOT_FOUND', 'KEY_SERVICE_UNAVAILABLE', 'ENCRYPTION_FAILED'] as const),
      ...(['METADATA_FILTERS', 'METADATA_FILTER_KEY', 'METADATA_FILTER_OPERATOR'] as const),
    ],
    async handle(request, services) {
      const { page, query } = request;
      const { organization_id: organizationId } = request.path;
      mustBeSearchable(page);
      await reachable(request, services);
      const sequence = await readRows(services, request, {
        of: holderProjection,
        after: registryJournal(organizationId),
        where: { organizationId },
        filters: [
          ...equal('externalId', query.external_id),
          ...(isTrue(query.include_deleted) ? [] : equal('isDeleted', 0)),
          ...(query.document === undefined
            ? []
            : await withDocument(request, services, query.document)),
          ...pageFilters(page),
        ],
      });
      const rows = opened(sequence, (row) => holderText(request, services, row as HolderRow));
      return pageReply(rows, page);
    },
  }),

  route({
    ...facts,
    operationId: 'getHolder',
    summary: 'Retrieve a holder',
    description:
      'Decrypts the personal data, which needs the key service. A deleted holder is refused with 404 unless ' +
      '`include_deleted` is true, and an erased one in any case.',
    path: `${PATH}/{holder_id}`,
    filters: { include_deleted: includeDeleted },
    replies: { 200: holderSchema },
    refusals: [
      ...(['ORGANIZATION_NOT_FOUND', 'HOLDER_NOT_FOUND'] as const),
      ...(['KEY_SERVICE_UNAVAILABLE', 'ENCRYPTION_FAILED'] as const),
    ],
    async handle(request, services) {
      const withDeleted = isTrue(request.query.include_deleted);
      const holder = await readHolder(request, services, withDeleted);
      const text = holder && (await holderText(request, services, holder));
      if (text === undefined) throw holderNotFound();
      return ok(text);
    },
  }),
];

/** Reads the holder in the path; undefined if there is none. Errors: ORGANIZATION_NOT_FOUND, as readRow. */
export async function readHolder(
  request: Request<Readonly<{ organization_id: Uuid; holder_id: Uuid }>>,
  services: Services,
  withDeleted: boolean,
): Promise<HolderRow | undefined> {
  const { organization_id: organizationId, holder_id: id } = request.path;
  await reachable(request, services);
  const row = await readRow(services, request, {
    of: holderProjection,
    after: registryJournal(organizationId),
    where: { id, organizationId },
  });
  const holder = row && (JSON.parse(row.body) as HolderRow);
  if (holder === undefined || 'own' in holder || withDeleted) return holder;
  return holder.deletedAt === null ? holder : undefined;
}

/** Requires the organization, and that its own holder is shown as soon as it is. */
async function reachable(request: InOrganization, services: Services): Promise<void> {
  const { organization_id: id } = request.path;
  await requireOrganization(services, request, id);
  const { name } = holderProjection.collection;
  await services.progress.reached(name, organizationJournal(id), request.consistencyToken);
}

/** Finds holders by the token of a document, and the organization's own by its plain one. */
async function withDocument(
  request: InOrganization,
  services: Services,
  document: string,
): Promise<readonly Condition[]> {
  const { organization_id: organizationId } = request.path;
  const scope = { tenantId: request.context.tenantId, organizationId };
  const found = await registryServices(services).find(scope, 'document', document);
  const organization = await readOrganization(request, services);
  const own =
    organization?.legalDocument === document
      ? [services.ids.named(OWN_HOLDERS, organizationId)]
      : [];
  return [{ key: 'holderId', in: [...found, ...own] }];
}
