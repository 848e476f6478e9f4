import { expect } from 'chai';
import { feesDecider } from '#commands/fees/fees.ts';
import { journalOfLedger } from '#commands/ledger/journals.ts';
import { ledgerDecider } from '#commands/ledger/ledger.ts';
import type { LedgerCommand } from '#commands/ledger/ledger-commands.ts';
import { settingsDecider } from '#commands/settings/settings.ts';
import { outcomeOf, workbench } from '#test/journal/workbench.ts';
import {
  createAccount,
  createAsset,
  inflow,
  LEDGER,
  openLedger,
} from '#test/support/ledger-samples.ts';

describe('fees whose packages cannot be read', () => {
  it('refuse the transaction, which is never posted without them', async () => {
    const failing = { fees: true };
    const bench = workbench({
      deciders: [ledgerDecider, feesDecider, settingsDecider],
      faults: { readFails: (stream) => failing.fees && stream?.startsWith('fees-') === true },
    });
    const submit = (command: LedgerCommand) =>
      bench.journals.submit(journalOfLedger(LEDGER), {
        command,
        context: { actor: { type: 'anonymous', id: '' }, tenantId: 'default', requestId: 'r' },
      });
    await submit(openLedger());
    await submit(createAsset());
    await submit(createAccount({ alias: '@alice' }));
    const before = bench.events(`ledger-${LEDGER}`).length;

    const paid = { ...inflow('@alice', '5'), fees: 2 as const };
    const refused = submit(paid);
    refused.catch(() => undefined);
    expect(await outcomeOf(refused)).to.equal('FEE_PACKAGES_UNAVAILABLE');
    expect(bench.events(`ledger-${LEDGER}`)).to.have.length(before);
    expect(await outcomeOf(submit(inflow('@alice', '5')))).to.equal('done'); // It asks for no fees.

    failing.fees = false;
    expect(await outcomeOf(submit(paid))).to.equal('done');
  });
});
