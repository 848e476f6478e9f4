import { expect } from 'chai';
import fc from 'fast-check';
import { ledgerDecider } from '#commands/ledger/ledger.ts';
import type { PostTransaction } from '#commands/ledger/transaction/commands.ts';
import { compactPosting } from '#src/kernel/compact-posting.ts';
import { storedData } from '#src/kernel/event-data.ts';
import type { LedgerEvent } from '#src/events/ledger/ledger.ts';
import type { Left, Move } from '#src/events/ledger/posted-parts.ts';
import { ordinalOf } from '#src/kernel/ids.ts';
import { parsedCompactPosted } from '#src/events/ledger/compact-posted.ts';
import { scannedPosted } from '#src/events/ledger/scanned-posted.ts';
import { balancesLeft, parsed, readPosted, scanned } from '#src/events/ledger/posted.ts';
import { inflow, ledgerWith, leg, postTransaction } from '#test/support/ledger-samples.ts';
import { NO_SETTINGS } from '#test/support/decider-spec.ts';
import { stampAt } from '#test/support/stamps.ts';
import { anyTransaction, anyTransactionIn, unescaped } from '#test/support/any-transaction.ts';
import { funded, transactionPosted } from '#test/support/transaction-samples.ts';

/** What the rules of a ledger make of a command. */
function decidedBy(command: PostTransaction) {
  const ledger = ledgerDecider.initialState();
  for (const [revision, event] of ledgerWith('BRL', '@alice', '@bob').entries()) {
    ledgerDecider.evolve(ledger, event, revision);
  }
  const decision = ledgerDecider.decide(ledger, command, NO_SETTINGS, stampAt());
  if ('unchanged' in decision) throw new Error('A transaction is posted');
  return decision[0]!;
}

/** Returns the balance as a move leaves it, for folding. */
const leftBy = ({ accountId, balanceId, balanceAfter }: Move): Left => {
  return { accountId, ordinal: ordinalOf(balanceId), balanceAfter };
};

function compactFunding(description: string): string {
  const { data } = funded('@alice') as Extract<LedgerEvent, { type: 'TransactionPosted' }>;
  const { id, organizationId, ledgerId, ...others } = data.transaction;
  const transaction = { id, organizationId, ledgerId, description, ...others };
  return compactPosting({ transaction })!;
}

const textOf = ({ data }: { data: object }): string => JSON.stringify(data);
const FORMS = {
  'its JSON': textOf,
  'its stored form': (event: LedgerEvent) => storedData(event).data,
};

describe('a posted transaction read from its text', () => {
  it('is what parsing finds, whatever clients wrote into it', () =>
    fc.assert(
      fc.property(anyTransaction, (transaction) => {
        const text = textOf(transactionPosted(transaction));
        expect(readPosted(text)).to.deep.equal(parsed(text));
        const found = scanned(text);
        if (found !== undefined) expect(found).to.deep.equal(parsed(text));
      }),
      { numRuns: 300 },
    ));

  it('leaves the balances that parsing finds', () =>
    fc.assert(
      fc.property(anyTransaction, (transaction) => {
        const text = textOf(transactionPosted(transaction));
        const left = balancesLeft(text);
        const found = scanned(text);
        expect(left !== undefined).to.equal(found !== undefined && found.groupId === undefined);
        const moves = left && parsed(text).moves;
        expect(left).to.deep.equal(moves?.map(leftBy));
      }),
      { numRuns: 300 },
    ));

  it('is what parsing finds in its compact form, too', () => {
    let made = 0;
    fc.assert(
      fc.property(anyTransactionIn(unescaped), (transaction) => {
        const compact = compactPosting({ transaction });
        if (compact === undefined) return;
        made += 1;
        const whole = parsed(JSON.stringify({ transaction }));
        expect(readPosted(compact)).to.deep.equal(whole);
        expect(balancesLeft(compact)).to.deep.equal(whole.moves.map(leftBy));
      }),
      { numRuns: 600 },
    );
    expect(made).to.be.above(0);
  });

  it('is scanned in its usual compact form, and never read as what parsing does not find', () => {
    let read = 0;
    const pieces = ['"', '\\', ',', '[', ']', '}', '0', 'D', '"more":', ''];
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', '}', ']', ',', '[', '1'), maxLength: 8 }),
        fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
        fc.nat({ max: 2 }),
        fc.constantFrom(...pieces),
        (description, part, length, piece) => {
          const text = compactFunding(description);
          expect(scannedPosted(text)).to.deep.equal(parsedCompactPosted(text));
          const at = Math.floor(part * text.length);
          const changed = text.slice(0, at) + piece + text.slice(at + length);
          const found = scannedPosted(changed);
          if (found === undefined) return;
          read += 1;
          expect(found).to.deep.equal(parsedCompactPosted(changed));
        },
      ),
      { numRuns: 2000 },
    );
    expect(read).to.be.above(0);
  });

  for (const [form, text] of Object.entries(FORMS)) {
    it(`folds a ledger from ${form} as its parsed event does`, () => {
      const [opened, parsedOne] = [0, 1].map(() => {
        const ledger = ledgerDecider.initialState();
        for (const [revision, event] of ledgerWith('BRL', '@alice', '@bob').entries()) {
          ledgerDecider.evolve(ledger, event, revision);
        }
        return ledger;
      });
      const event = decidedBy(inflow('@alice', '500'));
      expect(ledgerDecider.evolveText?.(opened!, event.type, text(event))).to.equal(true);
      ledgerDecider.evolve(parsedOne!, event, 9);
      expect(opened).to.deep.equal(parsedOne);
      expect(ledgerDecider.evolveText?.(opened!, 'TransactionHeld', text(event))).to.equal(false);
    });
  }

  it('is scanned in the form in which it is decided', () => {
    const decided = [
      inflow('@alice', '500'),
      postTransaction({
        from: '@external/BRL',
        to: ['@alice 30%', '@bob'],
        amount: '1.25',
        description: 'a "b"',
        chartOfAccountsGroupName: 'F',
        code: 'c',
        route: 'r',
        metadata: { operations: '[', n: 1 },
      }),
      postTransaction({
        from: '@external/BRL',
        to: [leg('@alice', 'BRL', { description: 'd', route: 'r', metadata: { n: 1 } })],
        amount: '2',
      }),
    ].map((command) => textOf(decidedBy(command)));

    for (const text of decided) expect(scanned(text)).to.deep.equal(parsed(text));
  });

  it('is parsed when the event says more, or not what it should', () => {
    const { data } = funded('@alice') as Extract<
      ReturnType<typeof funded>,
      { type: 'TransactionPosted' }
    >;
    const more = JSON.stringify({ ...data, changed: [] });
    expect(scanned(more)).to.equal(undefined);
    expect(readPosted(more)).to.deep.equal(parsed(more));
    expect(() => readPosted('{"transaction":{}}')).to.throw(TypeError);
  });
});
