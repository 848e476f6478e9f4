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

/** The organization's part of commands about its ledgers; each step can be repeated. */
export type LedgerNameCommand =
  /** The first of three steps; see open-ledger.ts. */
  | Readonly<{
      type: 'ReserveLedgerName';
      ledger: Omit<LedgerRecord, 'createdAt' | 'updatedAt' | 'deletedAt'>;
    }>
  | Readonly<{ type: 'SettleLedgerName'; ledgerId: Uuid }>
  /** Returns the event, with its revision, that reserved the name of a ledger whose journal may not be open yet. */
  | Readonly<{ type: 'FindLedgerOpening'; ledgerId: Uuid }>
  /** The first of three steps; see change-ledger.ts. It has no effect while another change of the ledger is open. */
  | (Readonly<{ type: 'ReserveLedgerRename' }> & RenameReserved['data'])
  /** Like ReserveLedgerRename, for a change that keeps the name. */
  | (Readonly<{ type: 'ReserveLedgerMetadata' }> & MetadataReserved['data'])
  /** Returns the open change of a ledger, if there is one, with the revision that reserved it. */
  | Readonly<{ type: 'FindLedgerChange'; ledgerId: Uuid }>
  /** `ledger` is the ledger's current record. */
  | Readonly<{
      type: 'SettleLedgerChange';
      ledgerId: Uuid;
      reservedAt: Revision;
      ledger: Pick<LedgerRecord, 'name' | 'metadata'>;
    }>
  /** The second of two steps; see close-ledger.ts. */
  | Readonly<{ type: 'FreeLedgerNames'; ledgerId: Uuid }>;

/** Ledger names are compared without letter case. */
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

/** Reserves metadata; nobody else can change the ledger's unique values until the reservation is settled. */
function reserveMetadata(
  organization: Organization,
  { ledgerId, changes }: MetadataReserved['data'],
): OrganizationEvent[] {
  if (isBeingChanged(organization, ledgerId)) return [];
  return [{ type: 'LedgerMetadataReserved', data: { ledgerId, changes } }];
}

/** A ledger has at most one reservation. Errors: ORGANIZATION_NOT_FOUND; NOT_FOUND if there is no such ledger. */
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
  // A ledger that was changed has been opened.
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
 * Frees the name that the ledger does not have: the old one, or the new one if the ledger refused it. Also records the
 * ledger's metadata if any of it must be unique, or if no name is freed, to end the reservation.
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
