import { ledgerChangeProcess } from '#commands/ledger/processes/change-ledger.ts';
import { ledgerClosingProcess } from '#commands/ledger/processes/close-ledger.ts';
import { crossLedgerProcess } from '#commands/ledger/processes/finish-group.ts';
import { ledgerOpeningProcess } from '#commands/ledger/processes/open-ledger.ts';

export const processes = [
  ledgerOpeningProcess,
  ledgerChangeProcess,
  ledgerClosingProcess,
  crossLedgerProcess,
];
