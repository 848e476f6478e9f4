import type { Revision } from '#src/kernel/ids.ts';
import type { LedgerEvent } from '#src/events/ledger/ledger.ts';
import { ledgerClosing } from '#src/events/ledger/open-processes.ts';
import type { Process } from '#src/journal/process.ts';
import { journalOfLedger, journalOfOrganization } from '#commands/ledger/journals.ts';
import { noSuchLedger } from '#commands/ledger/state/ledger-names.ts';
import type { LedgerPath } from './change-ledger.ts';
import type { Submit } from '#src/journal/steps.ts';

/**
 * Deletes a ledger in two journals: its own closes, then its organization frees its names. The second step is repeated
 * with the request, or when the deletion is resumed.
 */
export async function deleteLedger(
  submit: Submit,
  { organizationId, ledgerId }: LedgerPath,
  inProduction: boolean,
): Promise<Readonly<{ revision: Revision }>> {
  const command = { type: 'DeleteLedger', organizationId, inProduction } as const;
  const { events, revision } = await submit(journalOfLedger(ledgerId), command);
  await freeNames(submit, { organizationId, ledgerId });
  if (events.length === 0) throw noSuchLedger(); // It had been deleted before.
  return { revision };
}

async function freeNames(submit: Submit, { organizationId, ledgerId }: LedgerPath): Promise<void> {
  const organization = journalOfOrganization(organizationId);
  await submit(organization, { type: 'FreeLedgerNames', ledgerId });
}

export const ledgerClosingProcess: Process<LedgerEvent & { type: 'LedgerClosed' }> = {
  open: ledgerClosing,
  abandonedAfterMs: 15_000,
  resume({ submit }, { event }) {
    const { id, organizationId } = event.data.ledger;
    return freeNames(submit, { organizationId, ledgerId: id });
  },
};
