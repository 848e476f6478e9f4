import { organizationNotFound } from '#src/domain/absent.ts';
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
  /** Ledgers whose name is reserved and whose journal may not be open yet. */
  readonly unsettled: Set<Uuid>;
};

export const organizationDecider: Decider<Organization, OrganizationCommand, OrganizationEvent> = {
  category: 'organization',
  snapshotVersion: 1,

  initialState: () => ({
    is: 'absent',
    revision: -1,
    holderId: undefined,
    ledgerNames: new Map(),
    unsettled: new Set(),
  }),

  needs(_, command, facts) {
    if (command.type !== 'CreateOrganization') return undefined;
    const { parentOrganizationId: parent } = command.organization;
    if (parent === null || facts.journal(organizationJournal(parent)) !== undefined)
      return undefined;
    return { journals: [organizationJournal(parent)] };
  },

  decide(organization, command, facts, stamp) {
    if (command.type === 'CreateOrganization') return create(organization, command, facts, stamp);

    if (organization.is !== 'live') throw organizationNotFound();
    switch (command.type) {
      case 'ReserveLedgerName':
        return reserve(organization, command.ledger, stamp);
      case 'SettleLedgerName':
        return settle(organization, command.ledgerId);
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
        organization.unsettled.add(event.data.ledger.id);
        break;
      case 'LedgerNameSettled':
        organization.unsettled.delete(event.data.ledgerId);
        break; // The name stays taken.
      default:
        unreachable(event);
    }
  },

  fact: (organization) => (organization.is === 'absent' ? undefined : { live: true }),

  freeze: ({ ledgerNames, unsettled, ...rest }) => [
    JSON.stringify({ ...rest, ledgerNames: [...ledgerNames], unsettled: [...unsettled] }),
  ],
  thaw(chunks) {
    const [chunk = ''] = chunks;
    const { ledgerNames, unsettled, ...rest } = JSON.parse(chunk) as Frozen;
    return { ...rest, ledgerNames: new Map(ledgerNames), unsettled: new Set(unsettled) };
  },
};

type Frozen = Omit<Organization, 'ledgerNames' | 'unsettled'> & {
  ledgerNames: [string, Uuid][];
  unsettled: Uuid[];
};

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

/** A step taken already leaves no second event, so that it can be repeated after a crash. */
const settle = ({ unsettled }: Organization, ledgerId: Uuid): OrganizationEvent[] =>
  unsettled.has(ledgerId) ? [{ type: 'LedgerNameSettled', data: { ledgerId } }] : [];

const folded = (name: string): string => name.toLowerCase();
