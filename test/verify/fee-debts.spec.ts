import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import fc from 'fast-check';
import { ledgerDecider } from '#commands/ledger/ledger.ts';
import type { LedgerCommand } from '#commands/ledger/ledger-commands.ts';
import type { Ledger } from '#commands/ledger/state/ledger-state.ts';
import { audit } from '#src/bootstrap/audit.ts';
import { indexTable } from '#src/bootstrap/index-table.ts';
import type { LedgerEvent } from '#src/events/ledger/ledger.ts';
import type { FeeDebtRecord } from '#src/events/ledger/fee-debt.ts';
import type { TransactionRecord } from '#src/events/ledger/transaction.ts';
import { add, parseAmount, subtract, ZERO, type Amount } from '#src/kernel/amount.ts';
import type { Facts } from '#src/kernel/decider.ts';
import { Refusal } from '#src/kernel/errors.ts';
import { parseData, storedData } from '#src/kernel/event-data.ts';
import { namesOf } from '#src/kernel/index-table.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { createJournalVerifier } from '#src/verify/journal.ts';
import { fee, feePackage, knownFees } from '#test/support/fee-samples.ts';
import { LEDGER, ledgerWith, ORGANIZATION, postTransaction } from '#test/support/ledger-samples.ts';
import { countingIds, NOW, stampAt } from '#test/support/stamps.ts';
import { bend, sealed, type Draft } from './hand-made.ts';

const NAMES = ['@alice', '@bob', '@carol', '@fees'] as const;
const OUTSIDE = '@external/BRL';

const journals = knownFees(
  feePackage({
    p1: fee('3', { deferrable: true }),
    p2: fee('2', { priority: 2, deferrable: true, creditAccount: '@carol' }),
  }),
);

/** One random step; `of` picks an earlier transaction. */
type Play = Readonly<{
  what: 'pay' | 'deposit' | 'hold' | 'commit' | 'cancel' | 'revert' | 'collect' | 'v1';
  from: number;
  to: number;
  amount: number;
  of: number;
}>;

const play = fc.record<Play>({
  what: fc.constantFrom(
    'pay',
    'pay',
    'deposit',
    'hold',
    'commit',
    'cancel',
    'revert',
    'collect',
    'v1',
  ),
  from: fc.nat(2),
  to: fc.nat(3),
  amount: fc.integer({ min: 1, max: 12 }),
  of: fc.nat(60),
});

/** A ledger's journal, as its writer keeps it. */
class Journal {
  readonly ledger: Ledger = ledgerDecider.initialState();
  readonly log: LedgerEvent[] = [];
  readonly ids: Uuid[] = [];
  readonly #ids = countingIds();

  constructor() {
    for (const event of ledgerWith('BRL', ...NAMES)) this.#fold(event);
  }

  submit(command: LedgerCommand): void {
    const facts = this.#facts();
    expect(ledgerDecider.needs(this.ledger, command, facts)).to.equal(undefined);
    try {
      const decision = ledgerDecider.decide(this.ledger, command, facts, stampAt(NOW, this.#ids));
      if (!('unchanged' in decision)) for (const event of decision) this.#fold(event);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
    }
  }

  #fold(event: LedgerEvent): void {
    const stored = JSON.parse(JSON.stringify(event)) as LedgerEvent;
    ledgerDecider.evolve(this.ledger, stored, this.log.length);
    this.log.push(stored);
    if (stored.type.startsWith('Transaction')) this.ids.push(transactionOf(stored).id);
  }

  #facts(): Facts {
    return {
      journal: (name) => journals[name] ?? null,
      settings: () => null,
      revisionOf: ({ kind, key }) => {
        const at = this.log.findLastIndex((event) =>
          [...namesOf(indexTable, event)].some((name) => name.kind === kind && name.key === key),
        );
        return at < 0 ? null : at;
      },
      event: (revision) => this.log[revision],
    };
  }
}

const transactionOf = (event: LedgerEvent) =>
  (event.data as Readonly<{ transaction: TransactionRecord }>).transaction;

function commandOf({ what, from, to, amount, of }: Play, { ids }: Journal): LedgerCommand {
  const payer = NAMES[from]!;
  const transfer = (source: string, more: object = {}) => ({
    ...postTransaction({ from: source, to: NAMES[to]!, amount: String(amount), ...more }),
  });
  const transactionId = ids[of % Math.max(1, ids.length)] ?? ORGANIZATION;
  const step = { organizationId: ORGANIZATION, transactionId, paysDebts: true };
  switch (what) {
    case 'pay':
      return { ...transfer(payer), fees: 2 };
    case 'deposit':
      return { ...transfer(OUTSIDE, { skip: {} }), fees: 2 };
    case 'v1':
      return transfer(OUTSIDE);
    case 'hold':
      return { ...transfer(payer, { pending: true }), fees: 2 };
    case 'commit':
      return { type: 'CommitTransaction', ...step };
    case 'cancel':
      return { type: 'CancelTransaction', ...step };
    case 'revert':
      return { type: 'RevertTransaction', ...step };
    default:
      return {
        ...{ type: 'CollectFeeDebts', organizationId: ORGANIZATION, accountAlias: payer },
        ...{ balanceKey: 'default', maxAmount: amount > 6 ? undefined : String(amount) },
      };
  }
}

const lastDebts = (log: readonly LedgerEvent[]): readonly FeeDebtRecord[] => {
  const changes = log.flatMap((event) =>
    event.type === 'TransactionPosted' || event.type === 'TransactionCommitted'
      ? (event.data.transaction.feeDebts ?? [])
      : [],
  );
  return [...new Map(changes.map(({ debt }) => [debt.id, debt])).values()];
};

describe('fee debts of random lives', () => {
  it('add up, conserve money, pass the audit and survive snapshots and replays', () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(fc.array(play, { minLength: 10, maxLength: 60 }), (plays) => {
        const journal = new Journal();
        for (const one of plays) journal.submit(commandOf(one, journal));
        const { ledger, log } = journal;

        const debts = lastDebts(log);
        for (const debt of debts) {
          const [opened, settled, canceled, reopened, refunded, remaining] = (
            ['opened', 'settled', 'canceled', 'reopened', 'refunded', 'remaining'] as const
          ).map((member) => parseAmount(debt[member])) as [
            ...[Amount, Amount, Amount, Amount, Amount, Amount],
          ];
          expect(remaining).to.equal(add(subtract(subtract(opened, settled), canceled), reopened));
          expect(remaining >= ZERO && subtract(settled, reopened) >= refunded).to.equal(true);
        }
        const open = debts.filter(({ remaining }) => remaining !== '0');
        const bySeq = (all: Iterable<FeeDebtRecord>) => [...all].sort((a, b) => a.seq - b.seq);
        expect(bySeq(ledger.debts.all())).to.deep.equal(bySeq(open));

        let sum = ZERO;
        for (const { alias, balances } of ledger.book.accounts()) {
          for (const { available, onHold, direction } of balances) {
            if (alias !== OUTSIDE)
              expect(available >= ZERO && onHold >= ZERO, alias).to.equal(true);
            const position = direction === 'credit' ? available : subtract(ZERO, available);
            sum = add(sum, add(position, onHold));
          }
        }
        expect(sum).to.equal(ZERO);

        const verifier = createJournalVerifier(audit, `ledger-${LEDGER}`);
        for (const event of sealed(log)) expect(verifier.take(event)).to.equal(undefined);

        const chunks = [...ledgerDecider.toSnapshot(ledger)];
        const again = ledgerDecider.fromSnapshot(chunks);
        expect([...ledgerDecider.toSnapshot(again)]).to.deep.equal(chunks);
        const replayed = ledgerDecider.initialState();
        log.forEach((event, revision) => {
          const { data: text } = storedData(event);
          if (ledgerDecider.evolveText?.(replayed, event.type, text) === true) return;
          ledgerDecider.evolve(replayed, event, revision);
        });
        expect([...ledgerDecider.toSnapshot(replayed)]).to.deep.equal(chunks);
        for (const { kind } of log.flatMap((e) =>
          e.type.startsWith('Transaction') ? (transactionOf(e).feeDebts ?? []) : [],
        )) {
          seen.add(kind);
        }
      }),
      { numRuns: 300 },
    );
    expect([...seen].sort()).to.deep.equal([
      ...['canceled', 'opened', 'refunded', 'reopened', 'settled'],
    ]);
  });
});

describe('the auditor of fee debts', () => {
  const file = new URL('../events/golden.json', import.meta.url);
  const { feeDebts: golden } = JSON.parse(readFileSync(file, 'utf8')) as Readonly<{
    feeDebts: readonly Readonly<{ type: string; data: string }>[];
  }>;
  const life = (): Draft[] =>
    golden.map(({ type, data }) => ({ type, data: parseData(data) as Draft['data'] }));
  const verdicts = (drafts: readonly Draft[]) => {
    const verifier = createJournalVerifier(audit, `ledger-${LEDGER}`);
    return sealed(drafts).map((event) => verifier.take(event));
  };
  const changing = life().findLastIndex(
    ({ data }) => 'feeDebts' in (data['transaction'] as object),
  );

  it('accepts a whole life', () => {
    expect(verdicts(life()).every((one) => one === undefined)).to.equal(true);
  });

  for (const [path, value] of [
    ['amount', '0.5'],
    ['kind', 'settled'],
    ['debt.remaining', '1'],
    ['debt.settled', '1'],
    ['debt.opened', '1'],
    ['debt.seq', 9],
    ['debt.originTransactionId', LEDGER],
    ['debt.id', 'x'],
    ['debt.debtor.accountId', LEDGER],
    ['debt.openedAt', '2020-01-01T00:00:00Z'],
  ] as const) {
    it(`finds another ${path}`, () => {
      const drafts = life();
      bend(drafts[changing]!, `transaction.feeDebts.0.${path}`, value);
      expect(verdicts(drafts)[changing]).to.not.equal(undefined);
    });
  }

  it('finds changes that are left out', () => {
    const drafts = life();
    bend(drafts[changing]!, 'transaction.feeDebts', undefined);
    expect(verdicts(drafts)[changing]).to.not.equal(undefined);
  });
});
