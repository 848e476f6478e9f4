import { uniqueKeysIn } from './journal-facts.ts';
import { organizationNotFound } from '#src/events/ledger/absent.ts';
import type { Decision, Facts, Needs, Stamp } from '#src/kernel/decider.ts';
import { refuse } from '#src/events/ledger/refusals.ts';
import type { Revision, Uuid } from '#src/kernel/ids.ts';
import type { LedgerRecord } from '#src/events/ledger/ledger.ts';
import type { OrganizationEvent } from '#src/events/ledger/organization.ts';
import { needsBeforeImages } from './before-image.ts';
import { checkRecordSize } from '#src/kernel/record-size.ts';
import type { Organization } from './organization-state.ts';

type RenameReserved = OrganizationEvent & { type: 'LedgerRenameReserved' };
type MetadataReserved = OrganizationEvent & { type: 'LedgerMetadataReserved' };

/** The organization's part of what is done to its ledgers; each step can be repeated. */
export type LedgerNameCommand =
  /** First of three steps; see open-ledger.ts. */
  | Readonly<{
      type: 'ReserveLedgerName';
      ledger: Omit<LedgerRecord, 'createdAt' | 'updatedAt' | 'deletedAt'>;
    }>
  | Readonly<{ type: 'SettleLedgerName'; ledgerId: Uuid }>
  /** Answers what reserved the name of a ledger that may not be open yet, if that is so, and where. */
  | Readonly<{ type: 'FindLedgerOpening'; ledgerId: Uuid }>
  /** First of three steps; see change-ledger.ts. Nothing happens while another change of the ledger is open. */
  | (Readonly<{ type: 'ReserveLedgerRename' }> & RenameReserved['data'])
  /** The same where the name stays. */
  | (Readonly<{ type: 'ReserveLedgerMetadata' }> & MetadataReserved['data'])
  /** Answers the open change of a ledger, if there is one, and where it was reserved. */
  | Readonly<{ type: 'FindLedgerChange'; ledgerId: Uuid }>
  /** `ledger`: what it is called now, and has. */
  | Readonly<{
      type: 'SettleLedgerChange';
      ledgerId: Uuid;
      reservedAt: Revision;
      ledger: Pick<LedgerRecord, 'name' | 'metadata'>;
    }>
  /** Second of two steps; see close-ledger.ts. */
  | Readonly<{ type: 'FreeLedgerNames'; ledgerId: Uuid }>;

/** Letter case does not tell two names apart. */
export const folded = (name: string): string => name.toLowerCase();

type Looking = Extract<
  LedgerNameCommand,
  { type: 'FindLedgerOpening' | 'FindLedgerChange' | 'SettleLedgerChange' }
>;

export function needsLedgerName(
  { renames, shown }: Organization,
  { type, ledgerId }: Looking,
  facts: Facts,
): Needs | undefined {
  const open = renames.get(ledgerId);
  if (type === 'SettleLedgerChange') {
    return open?.metadata && facts.settings() === undefined ? { settings: true } : undefined;
  }
  const at = type === 'FindLedgerChange' ? open?.revision : shown.get(ledgerId);
  return at === undefined ? undefined : needsBeforeImages(facts, at);
}

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
    case 'ReserveLedgerMetadata':
      return reserveMetadata(organization, command);
    case 'FindLedgerOpening':
      return findOpening(organization, command.ledgerId, facts);
    case 'FindLedgerChange':
      return findChange(organization, command.ledgerId, facts);
    case 'SettleLedgerName':
      return organization.unsettled.has(command.ledgerId)
        ? [{ type: 'LedgerNameSettled', data: { ledgerId: command.ledgerId } }]
        : [];
    case 'SettleLedgerChange':
      return settleChange(organization, command, facts);
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
  checkRecordSize(ledger);
  return [{ type: 'LedgerNameReserved', data: { ledger, holderId: organization.holderId } }];
}

function reserveRename(
  organization: Organization,
  { ledgerId, name, changes }: RenameReserved['data'],
): OrganizationEvent[] {
  if (isBeingChanged(organization, ledgerId)) return [];
  const owner = organization.ledgerNames.get(folded(name));
  if (owner === ledgerId) return [];
  if (owner !== undefined) throw taken(name);
  return [{ type: 'LedgerRenameReserved', data: { ledgerId, name, changes } }];
}

/** Nobody else changes what of it must be unique until that is settled. */
function reserveMetadata(
  organization: Organization,
  { ledgerId, changes }: MetadataReserved['data'],
): OrganizationEvent[] {
  if (isBeingChanged(organization, ledgerId)) return [];
  return [{ type: 'LedgerMetadataReserved', data: { ledgerId, changes } }];
}

/** A ledger has one reservation at most. Errors: ORGANIZATION_NOT_FOUND; NOT_FOUND when there is no such ledger. */
function isBeingChanged(organization: Organization, ledgerId: Uuid): boolean {
  if (organization.is !== 'live') throw organizationNotFound();
  if (organization.renames.has(ledgerId)) return true;
  if (namesOf(organization, ledgerId).length === 0) throw noSuchLedger();
  return false;
}

function findOpening(
  { unsettled, shown }: Organization,
  ledgerId: Uuid,
  facts: Facts,
): Decision<OrganizationEvent> {
  const at = shown.get(ledgerId);
  if (at === undefined || !unsettled.has(ledgerId)) return [];
  const event = facts.event(at) as OrganizationEvent | undefined;
  // What has been changed is open.
  return event?.type === 'LedgerNameReserved' ? { unchanged: event, at } : [];
}

function findChange(
  { renames }: Organization,
  ledgerId: Uuid,
  facts: Facts,
): Decision<OrganizationEvent> {
  const at = renames.get(ledgerId)?.revision;
  if (at === undefined) return [];
  const event = facts.event(at) as OrganizationEvent | undefined;
  if (event?.type !== 'LedgerRenameReserved' && event?.type !== 'LedgerMetadataReserved') {
    throw new Error(`No change of a ledger at ${String(at)}`);
  }
  return { unchanged: event, at };
}

/**
 * One name too many goes: the old one, or the new one if the ledger did not take it. So do values: the ledger has those
 * that are shown, which matters while any must be unique, and ends what was not about a name.
 */
function settleChange(
  organization: Organization,
  { ledgerId, reservedAt, ledger }: LedgerNameCommand & { type: 'SettleLedgerChange' },
  facts: Facts,
): OrganizationEvent[] {
  const open = organization.renames.get(ledgerId);
  if (open?.revision !== reservedAt) return [];
  const freed = namesOf(organization, ledgerId)
    .filter((held) => held !== folded(ledger.name))
    .map((held): OrganizationEvent => {
      return { type: 'LedgerNameFreed', data: { ledgerId, name: held } };
    });
  const isShown = open.metadata && uniqueKeysIn(facts)?.has('ledger');
  if (freed.length > 0 && !isShown) return freed;
  const { metadata } = ledger;
  const data = { ledger: { id: ledgerId, ...(metadata && { metadata }) } };
  return [...freed, { type: 'LedgerMetadataSettled', data }];
}

const namesOf = ({ ledgerNames }: Organization, ledgerId: Uuid): string[] =>
  [...ledgerNames].filter(([, owner]) => owner === ledgerId).map(([name]) => name);

export const noSuchLedger = () => refuse('NOT_FOUND', 'There is no such ledger.');

const taken = (name: string) =>
  refuse('LEDGER_NAME_TAKEN', `The organization has a ledger named ${name}.`, {
    findings: [{ location: 'name', message: 'is taken', value: name }],
  });
