import {
  erasureCertificateProjection,
  type CertificateRow,
} from '#projections/registry/erasure-certificate.ts';
import { requireOrganization } from '#queries/ledger/parents.ts';
import { readRow } from '#queries/reading.ts';
import { refuse } from '#src/events/registry/refusals.ts';
import { ok } from '#src/http/reply.ts';
import { route } from '#src/http/route.ts';
import type { Services } from '#src/http/services.ts';
import { hashOf } from '#src/kernel/event-hash.ts';
import type { Revision } from '#src/kernel/ids.ts';
import { registryJournal, type JournalName } from '#src/kernel/journal-name.ts';
import { erasureCertificateSchema } from '#src/resources/registry/protection.ts';

/** Contract registry-and-fees §A6. */
export const erasureCertificateRoutes = [
  route({
    operationId: 'getErasureCertificate',
    summary: 'Retrieve the certificate of an erasure',
    description:
      'The hash is that of the event that recorded the erasure. It chains that event to all earlier ones of the ' +
      'organization’s registry, and `quipu verify` confirms it.',
    tag: 'Holders',
    method: 'get',
    entityType: 'ErasureCertificate',
    permission: 'holders:get',
    path: '/v1/organizations/{organization_id}/erasure-certificates/{erasure_certificate_id}',
    replies: { 200: erasureCertificateSchema },
    refusals: ['ORGANIZATION_NOT_FOUND', 'CERTIFICATE_NOT_FOUND'],
    async handle(request, services) {
      const { organization_id: organizationId, erasure_certificate_id: id } = request.path;
      await requireOrganization(services, request, organizationId);
      const journal = registryJournal(organizationId);
      const row = await readRow(services, request, {
        of: erasureCertificateProjection,
        after: journal,
        where: { id, organizationId },
      });
      if (row === undefined) {
        throw refuse('CERTIFICATE_NOT_FOUND', 'There is no such erasure certificate.');
      }
      const certificate = JSON.parse(row.body) as CertificateRow;
      const { entityType, entityId, keyId, destroyedAt, firstRevision, revision } = certificate;
      const [first, last] = await Promise.all([
        eventAt(services, journal, firstRevision),
        eventAt(services, journal, revision),
      ]);
      return ok(
        JSON.stringify({
          ...{ id, entityType, entityId, keyId, destroyedAt },
          positions: { first: first.position, last: last.position },
          hash: hashOf(last.metadata),
        }),
      );
    },
  }),
];

async function eventAt({ log }: Services, journal: JournalName, revision: Revision) {
  const [event] = await log.read(journal, revision, 1);
  if (event === undefined) throw new Error(`${journal} lacks revision ${String(revision)}`);
  return event;
}
