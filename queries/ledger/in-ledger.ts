import { pageFilters, type Sequence } from '#queries/paging.ts';
import { readRow, readRows } from '#queries/reading.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { ledgerJournal, organizationJournal } from '#src/kernel/journal-name.ts';
import type { RecordShelf } from '#queries/record.ts';
import type { PageRequest, Request } from '#src/http/request.ts';
import type { Services } from '#src/http/services.ts';
import type { Projection } from '#src/ports/projection.ts';
import type { Condition, KeyValue, Row } from '#src/ports/read-store.ts';
import { requireLedger, requireOrganization } from './parents.ts';

type InLedger = Readonly<{ organization_id: Uuid; ledger_id: Uuid }>;

/** Reads the rows of the ledger in the path that match these filters and those of every list. Errors: as readRows. */
export async function rowsInLedger(
  request: Request<InLedger, unknown, unknown, PageRequest>,
  services: Services,
  of: Projection,
  filters: readonly Condition[] = [],
): Promise<Sequence> {
  const { organization_id: organizationId, ledger_id: ledgerId } = request.path;
  await requireLedger(services, request, organizationId, ledgerId);
  return readRows(services, request, {
    of,
    after: ledgerJournal(ledgerId),
    where: { ledgerId },
    filters: [...filters, ...pageFilters(request.page)],
  });
}

/** The records of the ledger in the path. */
export const recordsInLedger: RecordShelf = {
  path: '/v1/organizations/{organization_id}/ledgers/{ledger_id}',
  owner: 'a ledger',
  refusals: ['ORGANIZATION_NOT_FOUND', 'LEDGER_NOT_FOUND'],
  async open(request, services) {
    const { organization_id: organizationId, ledger_id: ledgerId } = request.path as InLedger;
    await requireLedger(services, request, organizationId, ledgerId);
    return { parentId: ledgerId, after: ledgerJournal(ledgerId) };
  },
};

/** The records that the organization in the path has for all its ledgers. */
export const recordsInOrganization: RecordShelf = {
  path: '/v2/organizations/{organization_id}',
  owner: 'an organization',
  operationId: (action, name) => `${action}Organization${name}V2`,
  refusals: ['ORGANIZATION_NOT_FOUND'],
  async open(request, services) {
    const { organization_id: id } = request.path as InLedger;
    await requireOrganization(services, request, id);
    return { parentId: id, after: organizationJournal(id) };
  },
};

/** Reads a row of the ledger in the path; undefined if there is none. Errors: as readRow. */
export async function rowInLedger(
  request: Request<InLedger>,
  services: Services,
  of: Projection,
  where: Readonly<Record<string, KeyValue>>,
): Promise<Row | undefined> {
  const { organization_id: organizationId, ledger_id: ledgerId } = request.path;
  await requireLedger(services, request, organizationId, ledgerId);
  return readRow(services, request, {
    of,
    after: ledgerJournal(ledgerId),
    where: { ...where, ledgerId },
  });
}
