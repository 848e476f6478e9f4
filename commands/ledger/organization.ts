import type { Decider, Facts, JournalOf, Stamp } from '#src/domain/decider.ts';
import { refuse } from '#src/domain/errors.ts';
import type { Revision, Uuid } from '#src/domain/ids.ts';
import { organizationJournal } from '#src/domain/journal-name.ts';
import { unreachable } from '#src/domain/unreachable.ts';
import type { LedgerRecord } from '#src/events/ledger.ts';
import type { OrganizationEvent, OrganizationRecord } from '#src/events/organization.ts';

type Stamped = 'createdAt' | 'updatedAt' | 'deletedAt';

export type OrganizationCommand =
  | Readonly<{
      type: 'CreateOrganization';
      organization: Omit<OrganizationRecord, Stamped>;
      /** The organization's own holder, derived from its id. */
      holderId: Uuid;
    }>
  /** First of three steps; see open-ledger.ts. */
  | Readonly<{ type: 'ReserveLedgerName'; ledger: Omit<LedgerRecord, Stamped> }>
  | Readonly<{ type: 'SettleLedgerName'; ledgerId: Uuid }>;

/** What decisions about an organization need to know. Letter case does not tell two ledger names apart. */
export type Organization = {
  is: 'absent' | 'live';
  revision: Revision;
  holderId: Uuid | undefined;
  readonly ledgerNames: Map<string, Uuid>;
};

export const organizationDecider: Decider<Organization, OrganizationCommand, OrganizationEvent> = {
  category: 'organization',
  snapshotVersion: 1,

  initialState: () => ({ is: 'absent', revision: -1, holderId: undefined, ledgerNames: new Map() }),

  needs: (command) =>
    command.type === 'CreateOrganization' && command.organization.parentOrganizationId !== null
      ? { journals: [organizationJournal(command.organization.parentOrganizationId)] }
      : undefined,

  decide(organization, command, facts, stamp) {
    if (command.type === 'CreateOrganization') return create(organization, command, facts, stamp);

    if (organization.is !== 'live') throw organizationNotFound();
    switch (command.type) {
      case 'ReserveLedgerName':
        return reserve(organization, command.ledger, stamp);
      case 'SettleLedgerName':
        return [{ type: 'LedgerNameSettled', data: { ledgerId: command.ledgerId } }];
      default:
        return unreachable(command);
    }
  },

  evolve(organization, event, revision) {
    switch (event.type) {
      case 'OrganizationCreated':
        organization.is = 'live';
        organization.revision = revision;
        organization.holderId = event.data.holderId;
        break;
      case 'LedgerNameReserved':
        organization.ledgerNames.set(folded(event.data.ledger.name), event.data.ledger.id);
        break;
      case 'LedgerNameSettled':
        break; // The name stays taken.
      default:
        unreachable(event);
    }
  },

  fact: (organization) => (organization.is === 'absent' ? undefined : { live: true }),

  freeze: ({ ledgerNames, ...rest }) => [
    JSON.stringify({ ...rest, ledgerNames: [...ledgerNames] }),
  ],
  thaw(chunks) {
    const [chunk = ''] = chunks;
    const frozen = JSON.parse(chunk) as Organization & { ledgerNames: [string, Uuid][] };
    return { ...frozen, ledgerNames: new Map(frozen.ledgerNames) };
  },
};

export const organizationNotFound = () =>
  refuse('ORGANIZATION_NOT_FOUND', 'There is no such organization.');

export type OrganizationJournal = JournalOf<OrganizationCommand, OrganizationEvent>;

function create(
  organization: Organization,
  { organization: fields, holderId }: OrganizationCommand & { type: 'CreateOrganization' },
  facts: Facts,
  { instant }: Stamp,
): OrganizationEvent[] {
  if (organization.is !== 'absent') throw new Error(`Organization ${fields.id} exists`);
  const parent = fields.parentOrganizationId;
  if (parent !== null && facts.journal(organizationJournal(parent))?.live !== true) {
    throw refuse(
      'PARENT_ORGANIZATION_NOT_FOUND',
      'There is no organization with the id of the parent.',
      {
        findings: [
          { location: 'parentOrganizationId', message: 'names no organization', value: parent },
        ],
      },
    );
  }
  const record = { ...fields, createdAt: instant, updatedAt: instant, deletedAt: null };
  return [{ type: 'OrganizationCreated', data: { organization: record, holderId } }];
}

function reserve(
  organization: Organization,
  fields: Omit<LedgerRecord, Stamped>,
  { instant }: Stamp,
): OrganizationEvent[] {
  if (organization.ledgerNames.has(folded(fields.name))) {
    throw refuse('LEDGER_NAME_TAKEN', `The organization has a ledger named ${fields.name}.`, {
      findings: [{ location: 'name', message: 'is taken', value: fields.name }],
    });
  }
  if (organization.holderId === undefined) throw new Error('An organization has its own holder');
  const ledger = { ...fields, createdAt: instant, updatedAt: instant, deletedAt: null };
  return [{ type: 'LedgerNameReserved', data: { ledger, holderId: organization.holderId } }];
}

const folded = (name: string): string => name.toLowerCase();
