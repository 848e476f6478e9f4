import { expect } from 'chai';
import {
  debtsFromSnapshot,
  debtsToSnapshot,
  type DebtsChunk,
} from '#commands/ledger/state/debts-snapshot.ts';
import { ledgerDecider } from '#commands/ledger/ledger.ts';
import type { LedgerCommand } from '#commands/ledger/ledger-commands.ts';
import type { Ledger } from '#commands/ledger/state/ledger-state.ts';
import { OpenDebts } from '#commands/ledger/state/open-debts.ts';
import { Refusal } from '#src/kernel/errors.ts';
import { NO_FACTS } from '#test/support/decider-spec.ts';
import { feeDebt } from '#test/support/fee-debt-samples.ts';
import { accountId, idOf, ledgerWith, ORGANIZATION } from '#test/support/ledger-samples.ts';
import { stampAt } from '#test/support/stamps.ts';

describe('fees that an account owes', () => {
  const ledger = ledgerDecider.initialState();
  for (const [revision, event] of ledgerWith('BRL', '@alice', '@bob').entries()) {
    ledgerDecider.evolve(ledger, event, revision);
  }
  const debts = new OpenDebts();
  debts.put(feeDebt());
  const indebted: Ledger = { ...ledger, debts };

  /** Why an account may not go; without images no decision gets any further. */
  function refusalOf(type: 'CloseAccount' | 'DeleteAccount', alias: string): string | undefined {
    const command: LedgerCommand = {
      type,
      organizationId: ORGANIZATION,
      accountId: accountId(alias),
    };
    try {
      ledgerDecider.decide(indebted, command, NO_FACTS, stampAt());
    } catch (error) {
      return error instanceof Refusal ? error.refusal : undefined;
    }
    return undefined;
  }

  it('keep it from being closed or deleted, and no other', () => {
    for (const type of ['CloseAccount', 'DeleteAccount'] as const) {
      expect(refusalOf(type, '@alice'), type).to.equal('FEE_DEBT_OPEN');
      expect(refusalOf(type, '@bob'), type).to.equal(undefined);
    }
  });
});

describe('open fee debts', () => {
  const seqsOf = (debts: OpenDebts) => debts.of(accountId('@alice')).map(({ seq }) => seq);
  const numbered = (seq: number, remaining = '10') =>
    feeDebt({ seq, originTransactionId: idOf(`origin ${String(seq)}`), remaining });

  it('are kept in the order in which they were opened, also when one is open again', () => {
    const debts = new OpenDebts();
    for (const seq of [1, 2, 3]) debts.put(numbered(seq));
    debts.put(numbered(2, '0'));
    debts.put(numbered(1, '4'));
    expect(seqsOf(debts)).to.deep.equal([1, 3]);
    debts.put(numbered(2, '1'));
    expect(seqsOf(debts)).to.deep.equal([1, 2, 3]);
    expect(debts.of(accountId('@alice'))[0]?.remaining).to.equal('4');
  });

  it('are forgotten when they are paid, but not how many there were', () => {
    const debts = new OpenDebts();
    debts.put(numbered(7));
    debts.put(numbered(7, '0'));
    expect([debts.isEmpty, debts.lastSeq]).to.deep.equal([true, 7]);
    debts.put(numbered(3, '0'));
    expect([debts.isEmpty, debts.lastSeq]).to.deep.equal([true, 7]);
  });

  it('survive a snapshot in chunks of bounded size', () => {
    const debts = new OpenDebts();
    for (let seq = 1; seq <= 1200; seq += 1) debts.put(numbered(seq));
    const chunks = [...debtsToSnapshot(debts)];
    expect(chunks).to.have.length(3);
    expect(Math.max(...chunks.map(({ length }) => length))).to.be.below(1_000_000);
    const again = new OpenDebts();
    for (const chunk of chunks) debtsFromSnapshot(again, JSON.parse(chunk) as DebtsChunk);
    expect([...again.all()]).to.deep.equal([...debts.all()]);

    const paid = new OpenDebts();
    paid.put(numbered(7, '0'));
    for (const chunk of debtsToSnapshot(paid)) {
      const known = new OpenDebts();
      debtsFromSnapshot(known, JSON.parse(chunk) as DebtsChunk);
      expect([known.isEmpty, known.lastSeq]).to.deep.equal([true, 7]);
    }
    expect([...debtsToSnapshot(new OpenDebts())]).to.deep.equal([]);
  });
});
