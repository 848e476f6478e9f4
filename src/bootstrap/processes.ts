import { ledgerChangeProcess } from '#commands/ledger/processes/change-ledger.ts';
import { ledgerClosingProcess } from '#commands/ledger/processes/close-ledger.ts';
import { crossLedgerProcess } from '#commands/ledger/processes/finish-group.ts';
import { ledgerOpeningProcess } from '#commands/ledger/processes/open-ledger.ts';
import { indexBuildProcess } from '#commands/settings/processes/build-index.ts';
import type { Process } from '#src/journal/process.ts';

export const ledgerProcesses: readonly Process[] = [
  ledgerOpeningProcess,
  ledgerChangeProcess,
  ledgerClosingProcess,
  crossLedgerProcess,
];
export const settingsProcesses: readonly Process[] = [indexBuildProcess];

/** Every process that this program resumes when it was interrupted. */
export const processes: readonly Process[] = [...ledgerProcesses, ...settingsProcesses];
