import type { Decision, Facts, Needs, Stamp } from '#src/kernel/decider.ts';
import { refuse } from '#src/events/ledger/refusals.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { organizationJournal } from '#src/kernel/journal-name.ts';
import {
  ifChanged,
  mergedMetadata,
  patched,
  patchedStatus,
  type MetadataChanges,
  type StatusChanges,
} from '#src/kernel/patch.ts';
import type { OrganizationEvent, OrganizationRecord } from '#src/events/ledger/organization.ts';
import type { Address } from '#src/events/shared.ts';
import { beforeImage, needsBeforeImages } from '#commands/ledger/state/before-image.ts';
import { checkRecordSize } from '#src/kernel/record-size.ts';
import type { Organization } from '#commands/ledger/state/organization-state.ts';

export type CreateOrganization = Readonly<{
  type: 'CreateOrganization';
  organization: Omit<OrganizationRecord, 'createdAt' | 'updatedAt' | 'deletedAt'>;
  /** The organization's own holder, derived from its id. */
  holderId: Uuid;
}>;

/** An absent member stays as it is; an address is replaced as a whole, metadata is merged. */
export type UpdateOrganization = Readonly<{
  type: 'UpdateOrganization';
  changes: Readonly<{
    parentOrganizationId?: Uuid | undefined;
    legalName?: string | undefined;
    doingBusinessAs?: string | undefined;
    address?: Address | undefined;
    status?: StatusChanges | undefined;
    metadata?: MetadataChanges | undefined;
  }>;
}>;

export type DeleteOrganization = Readonly<{ type: 'DeleteOrganization'; inProduction: boolean }>;

export type OrganizationRecordCommand =
  CreateOrganization | UpdateOrganization | DeleteOrganization;

export function needsOrganization(
  organization: Organization,
  command: OrganizationRecordCommand,
  facts: Facts,
): Needs | undefined {
  const before =
    organization.is === 'live' ? needsBeforeImages(facts, organization.revision) : undefined;
  const parent = parentIn(command);
  if (parent === undefined || parent === organization.id) return before;
  const journal = organizationJournal(parent);
  return facts.journal(journal) !== undefined ? before : { ...before, journals: [journal] };
}

function parentIn(command: OrganizationRecordCommand): Uuid | undefined {
  switch (command.type) {
    case 'CreateOrganization':
      return command.organization.parentOrganizationId ?? undefined;
    case 'UpdateOrganization':
      return command.changes.parentOrganizationId;
    case 'DeleteOrganization':
      return undefined;
  }
}

export function createOrganization(
  organization: Organization,
  { organization: fields, holderId }: CreateOrganization,
  facts: Facts,
  { instant }: Stamp,
): OrganizationEvent[] {
  if (organization.is !== 'absent') throw new Error(`Organization ${fields.id} exists`);
  if (fields.parentOrganizationId !== null) checkParent(fields.parentOrganizationId, facts);
  const record = { ...fields, createdAt: instant, updatedAt: instant, deletedAt: null };
  checkRecordSize(record);
  return [{ type: 'OrganizationCreated', data: { organization: record, holderId } }];
}

export function updateOrganization(
  { is, id, revision }: Organization,
  { changes }: UpdateOrganization,
  facts: Facts,
  { instant }: Stamp,
): Decision<OrganizationEvent> {
  if (is !== 'live') throw notFound();
  const { parentOrganizationId, legalName, doingBusinessAs, address, status, metadata } = changes;
  if (parentOrganizationId === id) {
    const findings = [{ location: 'parentOrganizationId', message: 'is its own id', value: id }];
    throw refuse('OWN_PARENT', 'An organization cannot be its own parent.', { findings });
  }
  if (parentOrganizationId !== undefined) checkParent(parentOrganizationId, facts);

  const before = beforeImage('organization', revision, facts);
  const patch = {
    ...(parentOrganizationId !== undefined && { parentOrganizationId }),
    ...(legalName !== undefined && { legalName }),
    ...(doingBusinessAs !== undefined && { doingBusinessAs }),
    ...(address !== undefined && { address }),
    status: patchedStatus(before.status, status),
    metadata: mergedMetadata(before.metadata, metadata),
  };
  const { record: organization, changed } = patched<OrganizationRecord>(before, patch, instant);
  checkRecordSize(organization);
  return ifChanged({ type: 'OrganizationUpdated', data: { organization, changed } });
}

/** The records below the organization stay as they are, but are no longer found. */
export function deleteOrganization(
  { is, revision }: Organization,
  { inProduction }: DeleteOrganization,
  facts: Facts,
  { instant }: Stamp,
): OrganizationEvent[] {
  if (is !== 'live') throw notFound();
  if (inProduction) throw notInProduction('Organizations');
  const before = beforeImage('organization', revision, facts);
  const organization = { ...before, updatedAt: instant, deletedAt: instant };
  return [{ type: 'OrganizationDeleted', data: { organization } }];
}

export const notInProduction = (what: string) =>
  refuse('ACTION_NOT_ALLOWED', `${what} cannot be deleted in a production environment.`);

function checkParent(id: Uuid, facts: Facts): void {
  if (facts.journal(organizationJournal(id))?.live === true) return;
  const findings = [
    { location: 'parentOrganizationId', message: 'names no organization', value: id },
  ];
  const detail = 'There is no organization with the id of the parent.';
  throw refuse('PARENT_ORGANIZATION_NOT_FOUND', detail, { findings });
}

const notFound = () => refuse('NOT_FOUND', 'There is no such organization.');
