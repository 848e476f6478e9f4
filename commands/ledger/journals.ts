import type { Uuid } from '#src/kernel/ids.ts';
import { ledgerJournal, organizationJournal } from '#src/kernel/journal-name.ts';
import type { LedgerJournal } from './ledger-commands.ts';
import type { OrganizationJournal } from './organization-commands.ts';

export const journalOfOrganization = (id: Uuid): OrganizationJournal => ({
  name: organizationJournal(id),
});

export const journalOfLedger = (id: Uuid): LedgerJournal => ({ name: ledgerJournal(id) });
