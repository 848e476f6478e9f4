import { ledgerIndexed } from '#src/events/ledger/indexed.ts';
import { settingsIndexed } from '#src/events/settings/indexed.ts';
import { indexTable as fold } from '#src/kernel/index-table.ts';

/** What the journal index holds of every event of this program. */
export const indexTable = fold([ledgerIndexed, settingsIndexed]);
