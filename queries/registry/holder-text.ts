import { organizationProjection } from '#projections/ledger/organization.ts';
import type { HolderRow } from '#projections/registry/holder.ts';
import { readRow } from '#queries/reading.ts';
import type { OrganizationRecord } from '#src/events/ledger/organization.ts';
import type { HolderRecord, Person } from '#src/events/registry/holder.ts';
import type { Request } from '#src/http/request.ts';
import type { Services } from '#src/http/services.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { organizationJournal } from '#src/kernel/journal-name.ts';
import { holderView } from '#src/resources/registry/holder.ts';
import { openedPerson } from '#src/resources/registry/person.ts';
import { registryServices } from './services.ts';

export type InOrganization = Request<Readonly<{ organization_id: Uuid }>>;

/**
 * Renders a row with its person in plain text, which is done here because no other thread has keys. Undefined if the
 * holder is being erased.
 */
export async function holderText(
  request: InOrganization,
  services: Services,
  row: HolderRow,
): Promise<string | undefined> {
  if ('own' in row) return ownHolderText(request, services, row.id);
  const { tenantId } = request.context;
  const { organizationId, id: recordId } = row;
  const key = await registryServices(services).keys.open({ tenantId, organizationId, recordId });
  return key && JSON.stringify(holderView(row, openedPerson(key, row.sealed)));
}

/** An organization's own holder shows what the organization is. */
async function ownHolderText(
  request: InOrganization,
  services: Services,
  id: Uuid,
): Promise<string | undefined> {
  const organization = await readOrganization(request, services);
  if (organization === undefined) return undefined;
  const { id: organizationId, legalName, legalDocument } = organization;
  const { createdAt, updatedAt, deletedAt } = organization;
  const holder: HolderRecord = {
    ...{ id, organizationId, type: 'LEGAL_PERSON', sealed: {} },
    ...{ createdAt, updatedAt, deletedAt },
  };
  const person: Person = { name: legalName, document: legalDocument };
  return JSON.stringify(holderView(holder, person));
}

export async function readOrganization(
  request: InOrganization,
  services: Services,
): Promise<OrganizationRecord | undefined> {
  const id = request.path.organization_id;
  const reading = { of: organizationProjection, after: organizationJournal(id), where: { id } };
  const row = await readRow(services, request, reading);
  return row && (JSON.parse(row.body) as OrganizationRecord);
}
