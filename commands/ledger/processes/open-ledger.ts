import type { Revision } from '#src/kernel/ids.ts';
import type { LedgerRecord } from '#src/events/ledger/ledger.ts';
import { ledgerOpening } from '#src/events/ledger/open-processes.ts';
import type { OrganizationEvent } from '#src/events/ledger/organization.ts';
import type { Process } from '#src/journal/process.ts';
import type { Submit } from '#src/journal/steps.ts';
import { journalOfLedger, journalOfOrganization } from '#commands/ledger/journals.ts';
import type { OrganizationCommand } from '#commands/ledger/organization-commands.ts';

type NameReserved = OrganizationEvent & { type: 'LedgerNameReserved' };

/**
 * Creates a ledger in two journals: its organization reserves the name, the ledger's own journal opens, and the
 * organization settles the reservation. Each step can be repeated; `resumeLedger` does so after a crash.
 */
export async function openLedger(
  submit: Submit,
  ledger: Extract<OrganizationCommand, { type: 'ReserveLedgerName' }>['ledger'],
): Promise<Readonly<{ ledger: LedgerRecord; revision: Revision }>> {
  const reserve = { type: 'ReserveLedgerName', ledger } as const;
  const { events } = await submit(journalOfOrganization(ledger.organizationId), reserve);
  const [reserved] = events;
  if (reserved?.type !== 'LedgerNameReserved') throw new Error('A reservation is one event');
  return resumeLedger(submit, reserved, reserved.revision);
}

/** Takes the second and third step, from what the first recorded. */
export async function resumeLedger(
  submit: Submit,
  { data: { ledger, holderId } }: NameReserved,
  reservedAt: Revision,
): Promise<Readonly<{ ledger: LedgerRecord; revision: Revision }>> {
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

export const ledgerOpeningProcess: Process<NameReserved> = {
  open: ledgerOpening,
  abandonedAfterMs: 15_000,
  resume: ({ submit }, { event, revision }) => resumeLedger(submit, event, revision),
};
