import { expect } from 'chai';
import { ledgerDecider } from '#commands/ledger/ledger.ts';
import type { JournalOf } from '#src/kernel/decider.ts';
import { ledgerJournal } from '#src/kernel/journal-name.ts';
import type { Outcome } from '#src/journal/batch.ts';
import type { LedgerEvent } from '#src/events/ledger/ledger.ts';
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

/** Two processes on one ledger, in which @alice owns 9. */
async function twoProcesses(): Promise<Readonly<{ one: Workbench; two: Workbench }>> {
  const one = workbench({ deciders: [ledgerDecider], exclusive: false });
  const opening = [openLedger(), createAsset(), createAccount({ alias: '@alice' })];
  for (const command of [...opening, createAccount({ alias: '@bob' }), inflow('@alice', '9')]) {
    await ask(one, command);
  }
  return { one, two: workbench({ deciders: [ledgerDecider], exclusive: false, over: one }) };
}

const pending = (amount: string): object => {
  const { request, ...post } = postTransaction({ from: '@alice', to: '@bob', amount });
  return { ...post, request: { ...request, pending: true } };
};

const commitOf = ({ events: [held] }: Outcome<LedgerEvent>): object => ({
  ...{ type: 'CommitTransaction', organizationId: ORGANIZATION },
  transactionId: (held as Extract<LedgerEvent, { type: 'TransactionHeld' }>).data.transaction.id,
});

describe('the journal writer: overtaken by another process', () => {
  it('takes what the index found from the log, not for what it meant to write there', async () => {
    const { one, two } = await twoProcesses();
    await ask(two, inflow('@bob', '1'));

    two.hold();
    const overtaken = ask(two, inflow('@bob', '2'));
    await quiet();
    const held = await ask(one, pending('4'));
    await one.catchUp();
    const committed = ask(two, commitOf(held));
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

  it('remembers what it means to write, however far the index has come by what others wrote', async () => {
    const { one, two } = await twoProcesses();
    const held = await ask(one, pending('4'));
    await ask(two, inflow('@bob', '1'));

    two.hold();
    const first = ask(two, commitOf(held));
    await quiet();
    await ask(one, inflow('@bob', '2'));
    await two.catchUp();
    const second = ask(two, commitOf(held));
    await quiet();
    two.letGo();
    expect([await outcomeOf(first), await outcomeOf(second)]).to.deep.equal([
      'done',
      'STATUS_NOT_ALLOWED',
    ]);
  });

  it('takes no key of a lost append for one that the index lacks', async () => {
    const one = workbench({ exclusive: false });
    await one.ask({ type: 'Put', coins: 1 });
    const two = workbench({ exclusive: false, over: one });
    await two.ask({ type: 'Put', coins: 1 });

    two.hold();
    const first = two.ask({ type: 'Put', coins: 1 }, { key: 'k' });
    await quiet();
    await one.ask({ type: 'Put', coins: 1 });
    await two.catchUp();
    const second = two.ask({ type: 'Put', coins: 1 }, { key: 'k' });
    await quiet();
    two.letGo();
    expect([(await first).replayed, (await second).replayed]).to.deep.equal([false, true]);
    expect(two.told.doubted).to.deep.equal([]);
  });
});
