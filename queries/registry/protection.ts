import { protectionAuditProjection } from '#projections/registry/protection-audit.ts';
import { requireOrganization } from '#queries/ledger/parents.ts';
import { cursorReply, pageFilters } from '#queries/paging.ts';
import { equal, readLast, readRows } from '#queries/reading.ts';
import { ok, type Reply } from '#src/http/reply.ts';
import { route } from '#src/http/route.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { registryJournal } from '#src/kernel/journal-name.ts';
import {
  encryptionStatusSchema,
  protectionAuditSchema,
} from '#src/resources/registry/protection.ts';

/** Contract registry-and-fees §A10. */
export const protectionRoutes = [
  route({
    operationId: 'getEncryptionStatus',
    summary: 'Tell whether the encryption of personal data is set up',
    description:
      'It is set up by its own operation, or by the first record of the organization that has personal data.',
    tag: 'Protection',
    method: 'get',
    entityType: 'Encryption',
    permission: 'encryption:get',
    path: '/v1/organizations/{organization_id}/encryption/status',
    only: 'path',
    replies: { 200: encryptionStatusSchema },
    refusals: ['ORGANIZATION_NOT_FOUND'],
    async handle(request, services) {
      const { organization_id: organizationId } = request.path;
      await requireOrganization(services, request, organizationId);
      const row = await readLast(services, request, {
        of: protectionAuditProjection,
        after: registryJournal(organizationId),
        where: { organizationId },
      });
      const isActive = row !== undefined && (JSON.parse(row.body) as Last).toStatus === 'active';
      const status = isActive
        ? { organization_id: organizationId, status: 'active', provisioned: true }
        : { organization_id: organizationId, provisioned: false };
      return ok(JSON.stringify(status));
    },
  }),

  route({
    operationId: 'listProtectionAudit',
    summary: 'List the attempts to set up the encryption of personal data',
    description:
      'The latest come first unless `sort_order` is asc. Attempts that failed, or found it set up, are included; ' +
      'entries are never removed, and either date may be sent alone.',
    tag: 'Protection',
    method: 'get',
    entityType: 'ProtectionAudit',
    permission: 'protection:get',
    path: '/v1/organizations/{organization_id}/protection/audit',
    only: 'path',
    paging: 'cursor',
    loneDates: true,
    noMetadata: true,
    filters: {
      action: { type: 'string' },
      actor: { type: 'string' },
      outcome: { type: 'string', enum: ['success', 'failure', 'already_exists'] },
    },
    replies: { 200: protectionAuditSchema },
    refusals: ['ORGANIZATION_NOT_FOUND'],
    async handle(request, services) {
      const { query, page } = request;
      const { organization_id: organizationId } = request.path;
      await requireOrganization(services, request, organizationId);
      const sequence = await readRows(services, request, {
        of: protectionAuditProjection,
        after: registryJournal(organizationId),
        where: { organizationId },
        filters: [
          ...equal('action', query.action),
          ...equal('actor', query.actor),
          ...equal('outcome', query.outcome),
          ...pageFilters(page),
        ],
      });
      const newestFirst = page.cursor === undefined ? (page.sortOrder ?? 'desc') : page.sortOrder;
      return inOrganization(
        organizationId,
        await cursorReply(sequence, { ...page, sortOrder: newestFirst }),
      );
    },
  }),
];

type Last = Readonly<{ toStatus: string }>;

/** Puts the id of the organization in front of the members of a list. */
function inOrganization(id: Uuid, { body = '{}', ...reply }: Reply): Reply {
  const text = typeof body === 'string' ? body : Buffer.concat(body).toString();
  return { ...reply, body: `{"organization_id":"${id}",${text.slice(1)}` };
}
