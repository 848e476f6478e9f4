import { expect } from 'chai';
import { ledgerDecider } from '#commands/ledger/ledger.ts';
import type { JournalOf } from '#src/domain/decider.ts';
import { ledgerJournal } from '#src/domain/journal-name.ts';
import type { LedgerEvent } from '#src/events/ledger.ts';
import {
  createAccount,
  createAsset,
  inflow,
  LEDGER,
  openLedger,
  ORGANIZATION,
  postTransaction,
} from '#test/support/ledger-samples.ts';
import { outcomeOf, quiet, workbench, type Workbench } from './workbench.ts';

const JOURNAL: JournalOf<unknown, LedgerEvent> = { name: ledgerJournal(LEDGER) };
const context = { actor: { type: 'anonymous', id: '' }, tenantId: 'default', requestId: 'r' };
const ask = ({ journals }: Workbench, command: object) =>
  journals.submit(JOURNAL, { command, context });

describe('the journal writer: overtaken by another process', () => {
  it('takes what the index found from the log, not for what it meant to write there', async () => {
    const one = workbench({ deciders: [ledgerDecider], exclusive: false });
    const opening = [openLedger(), createAsset(), createAccount({ alias: '@alice' })];
    for (const command of [...opening, createAccount({ alias: '@bob' }), inflow('@alice', '9')]) {
      await ask(one, command);
    }
    const two = workbench({ deciders: [ledgerDecider], exclusive: false, over: one });
    await ask(two, inflow('@bob', '1'));

    const { request, ...post } = postTransaction({ from: '@alice', to: '@bob', amount: '4' });
    two.hold();
    const overtaken = ask(two, inflow('@bob', '2'));
    await quiet();
    const held = await ask(one, { ...post, request: { ...request, pending: true } });
    await one.catchUp();
    const transaction = (held.events[0]?.data as { transaction: { id: string } }).transaction;
    const commit = { type: 'CommitTransaction', organizationId: ORGANIZATION };
    const committed = ask(two, { ...commit, transactionId: transaction.id });
    await quiet();
    two.letGo();
    expect([await outcomeOf(committed), await outcomeOf(overtaken)]).to.deep.equal([
      'done',
      'done',
    ]);
    const types = one.events(JOURNAL.name).map(({ type }) => type);
    expect(types.slice(-3).sort()).to.deep.equal([
      'TransactionCommitted',
      'TransactionHeld',
      'TransactionPosted',
    ]);
  });
});
