import type { LedgerEvent, LedgerRecord } from '#src/events/ledger.ts';
import type { OrganizationEvent } from '#src/events/organization.ts';
import { journalOfLedger, journalOfOrganization } from './journals.ts';
import type { LedgerCommand, LedgerJournal } from './ledger.ts';
import type { OrganizationCommand, OrganizationJournal } from './organization.ts';

/** How the steps reach the journals; bound to one request, or to the start of the process. */
export type Submit = {
  (
    journal: OrganizationJournal,
    command: OrganizationCommand,
  ): Promise<Submitted<OrganizationEvent>>;
  (journal: LedgerJournal, command: LedgerCommand): Promise<Submitted<LedgerEvent>>;
};

type Submitted<Event> = Readonly<{
  events: readonly (Event & Readonly<{ revision: number }>)[];
  revision: number;
}>;

type Reserved = OrganizationEvent & { type: 'LedgerNameReserved' };

/**
 * A ledger is created in two journals, as reserve → do → settle: its organization reserves the name, the ledger's
 * own journal opens, the organization notes that it did. Each step can be repeated; `resumeLedger` does so after
 * a crash between them.
 */
export async function openLedger(
  submit: Submit,
  ledger: Extract<OrganizationCommand, { type: 'ReserveLedgerName' }>['ledger'],
): Promise<Readonly<{ ledger: LedgerRecord; revision: number }>> {
  const reserve = { type: 'ReserveLedgerName', ledger } as const;
  const { events } = await submit(journalOfOrganization(ledger.organizationId), reserve);
  const [reserved] = events;
  if (reserved?.type !== 'LedgerNameReserved') throw new Error('A reservation is one event');
  return resumeLedger(submit, reserved, reserved.revision);
}

/** The second and third step, from what the first one recorded. */
export async function resumeLedger(
  submit: Submit,
  { data: { ledger, holderId } }: Reserved,
  reservedAt: number,
): Promise<Readonly<{ ledger: LedgerRecord; revision: number }>> {
  const organization = journalOfOrganization(ledger.organizationId);
  const opened = await submit(journalOfLedger(ledger.id), {
    type: 'OpenLedger',
    ledger,
    holderId,
    reservedAt: { journal: organization.name, revision: reservedAt },
  });
  await submit(organization, { type: 'SettleLedgerName', ledgerId: ledger.id });
  return { ledger, revision: opened.revision };
}
