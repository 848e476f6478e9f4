import { organizationNotFound } from '#src/domain/absent.ts';
import type { Decision, Facts, Stamp } from '#src/domain/decider.ts';
import { refuse } from '#src/domain/errors.ts';
import type { Revision, Uuid } from '#src/domain/ids.ts';
import type { LedgerRecord } from '#src/events/ledger.ts';
import type { OrganizationEvent } from '#src/events/organization.ts';
import { checkRoom } from './images.ts';
import type { Organization } from './organization-state.ts';

type RenameReserved = OrganizationEvent & { type: 'LedgerRenameReserved' };

/** The organization's part of what is done to its ledgers; each step can be repeated. */
export type LedgerNameCommand =
  /** First of three steps; see open-ledger.ts. */
  | Readonly<{
      type: 'ReserveLedgerName';
      ledger: Omit<LedgerRecord, 'createdAt' | 'updatedAt' | 'deletedAt'>;
    }>
  | Readonly<{ type: 'SettleLedgerName'; ledgerId: Uuid }>
  /** First of three steps; see rename-ledger.ts. Nothing happens while another rename of the ledger is open. */
  | (Readonly<{ type: 'ReserveLedgerRename' }> & RenameReserved['data'])
  /** Answers the open rename of a ledger, if there is one, and where it was reserved. */
  | Readonly<{ type: 'FindLedgerRename'; ledgerId: Uuid }>
  /** `name`: what the ledger is called now. */
  | Readonly<{ type: 'SettleLedgerRename'; ledgerId: Uuid; reservedAt: Revision; name: string }>
  /** Second of two steps; see close-ledger.ts. */
  | Readonly<{ type: 'FreeLedgerNames'; ledgerId: Uuid }>;

/** Letter case does not tell two names apart. */
export const folded = (name: string): string => name.toLowerCase();

export function decideLedgerName(
  organization: Organization,
  command: LedgerNameCommand,
  facts: Facts,
  stamp: Stamp,
): Decision<OrganizationEvent> {
  switch (command.type) {
    case 'ReserveLedgerName':
      return reserve(organization, command.ledger, stamp);
    case 'ReserveLedgerRename':
      return reserveRename(organization, command);
    case 'FindLedgerRename':
      return findRename(organization, command.ledgerId, facts);
    case 'SettleLedgerName':
      return organization.unsettled.has(command.ledgerId)
        ? [{ type: 'LedgerNameSettled', data: { ledgerId: command.ledgerId } }]
        : [];
    case 'SettleLedgerRename':
      return settleRename(organization, command);
    case 'FreeLedgerNames':
      return namesOf(organization, command.ledgerId).map((name) => {
        const data = { ledgerId: command.ledgerId, name, closed: true } as const;
        return { type: 'LedgerNameFreed', data };
      });
  }
}

function reserve(
  organization: Organization,
  fields: (LedgerNameCommand & { type: 'ReserveLedgerName' })['ledger'],
  { instant }: Stamp,
): OrganizationEvent[] {
  if (organization.is !== 'live') throw organizationNotFound();
  if (organization.ledgerNames.has(folded(fields.name))) throw taken(fields.name);
  if (organization.holderId === undefined) throw new Error('An organization has its own holder');
  const ledger = { ...fields, createdAt: instant, updatedAt: instant, deletedAt: null };
  checkRoom(ledger);
  return [{ type: 'LedgerNameReserved', data: { ledger, holderId: organization.holderId } }];
}

function reserveRename(
  organization: Organization,
  { ledgerId, name, changes }: RenameReserved['data'],
): OrganizationEvent[] {
  if (organization.is !== 'live') throw organizationNotFound();
  if (organization.renames.has(ledgerId)) return [];
  if (namesOf(organization, ledgerId).length === 0) {
    throw noSuchLedger();
  }
  const owner = organization.ledgerNames.get(folded(name));
  if (owner === ledgerId) return [];
  if (owner !== undefined) throw taken(name);
  return [{ type: 'LedgerRenameReserved', data: { ledgerId, name, changes } }];
}

function findRename(
  { renames }: Organization,
  ledgerId: Uuid,
  facts: Facts,
): Decision<OrganizationEvent> {
  const at = renames.get(ledgerId)?.revision;
  if (at === undefined) return [];
  const event = facts.event(at) as OrganizationEvent | undefined;
  if (event?.type !== 'LedgerRenameReserved') throw new Error(`No rename at ${String(at)}`);
  return { unchanged: event, at };
}

/** One name too many goes: the old one, or the new one if the ledger did not take it. */
function settleRename(
  organization: Organization,
  { ledgerId, reservedAt, name }: LedgerNameCommand & { type: 'SettleLedgerRename' },
): OrganizationEvent[] {
  if (organization.renames.get(ledgerId)?.revision !== reservedAt) return [];
  return namesOf(organization, ledgerId)
    .filter((held) => held !== folded(name))
    .map((held) => ({ type: 'LedgerNameFreed', data: { ledgerId, name: held } }));
}

const namesOf = ({ ledgerNames }: Organization, ledgerId: Uuid): string[] =>
  [...ledgerNames].filter(([, owner]) => owner === ledgerId).map(([name]) => name);

export const noSuchLedger = () => refuse('NOT_FOUND', 'There is no such ledger.');

const taken = (name: string) =>
  refuse('LEDGER_NAME_TAKEN', `The organization has a ledger named ${name}.`, {
    findings: [{ location: 'name', message: 'is taken', value: name }],
  });
