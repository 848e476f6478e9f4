import { expect } from 'chai';
import fc from 'fast-check';
import { settingsOf } from '#commands/ledger/balance/settings.ts';
import { ledgerDecider } from '#commands/ledger/ledger.ts';
import type { LedgerCommand } from '#commands/ledger/ledger-commands.ts';
import { formatAmount } from '#src/kernel/amount.ts';
import { indexTable } from '#src/bootstrap/index-table.ts';
import type { Facts } from '#src/kernel/decider.ts';
import { Refusal, type RefusalName } from '#src/kernel/errors.ts';
import { parseData, storedData } from '#src/kernel/event-data.ts';
import { partId, type Uuid } from '#src/kernel/ids.ts';
import { namesOf } from '#src/kernel/index-table.ts';
import type { LedgerEvent } from '#src/events/ledger/ledger.ts';
import type { TransactionEvent } from '#src/events/ledger/transaction.ts';
import { audit } from '#src/bootstrap/audit.ts';
import { createJournalVerifier } from '#src/verify/journal.ts';
import {
  accountId,
  inflow,
  LEDGER,
  ledgerWith,
  ORGANIZATION,
  postTransaction,
} from '#test/support/ledger-samples.ts';
import { runsOf } from '#test/support/random.ts';
import { countingIds, NOW, stampAt } from '#test/support/stamps.ts';
import { sealed } from '#test/verify/hand-made.ts';

/**
 * Random lives of balances with and without overdraft, held against a model in whole numbers: what is available, held
 * and owed after every command, and by which name what cannot be is refused. Beside it, after every event: what is
 * shown as owed is what is owed, the fast fold comes to the same, and undone it leaves no trace; and after every life
 * the auditor finds nothing wrong with it.
 */
describe('overdraft, whatever is asked', function () {
  this.timeout(60_000);

  it('comes to what the model says, and keeps every balance whole', () => {
    fc.assert(
      fc.property(fc.array(anyAct, { minLength: 1, maxLength: 40 }), (acts) => {
        const life = new Life();
        for (const act of acts) life.perform(act);
        life.end();
      }),
      { numRuns: runsOf(400) },
    );
  });
});

type Act =
  | Readonly<{ is: 'post' | 'hold' | 'block'; from: number; to: number; amount: number }>
  | Readonly<{ is: 'commit' | 'cancel' | 'revert'; which: number }>
  | Readonly<{ is: 'allow'; of: number; limit: number | null | 'none' }>;

/** Two balances of one account, and one of each of two others; the last one never owes. */
const NAMES = ['@a', '@a#b', '@c', '@d'] as const;
const balance = fc.nat({ max: NAMES.length - 1 });
const which = fc.nat({ max: 9 });
const anyAct: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      is: fc.constantFrom('post', 'hold', 'hold', 'block'),
      from: balance,
      to: balance,
      amount: fc.integer({ min: 1, max: 60 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ is: fc.constantFrom('commit', 'cancel', 'revert'), which }) },
  fc.record({
    is: fc.constant('allow'),
    of: fc.nat({ max: 2 }),
    limit: fc.oneof(fc.integer({ min: 1, max: 90 }), fc.constantFrom(null, 'none')),
  }),
);

type Funds = {
  available: number;
  held: number;
  owed: number;
  /** Null for any; undefined while none is allowed. */
  limit: number | null | undefined;
};
type Known = {
  readonly id: Uuid;
  status: 'APPROVED' | 'PENDING' | 'CANCELED' | 'reverted' | 'reversal';
  readonly from: number;
  readonly to: number;
  readonly amount: number;
  /** Of a hold: what of it was drawn. */
  readonly drawn: number;
};

const OPENING = 30;

class Life {
  #ledger = ledgerDecider.initialState();
  readonly #replica = ledgerDecider.initialState();
  readonly #log: LedgerEvent[] = [];
  readonly #ids = countingIds();
  readonly #known: Known[] = [];
  readonly #funds: Funds[];

  constructor() {
    for (const event of ledgerWith('BRL', '@a', '@c', '@d')) this.#fold(event);
    this.#ask({
      type: 'CreateBalance',
      organizationId: ORGANIZATION,
      accountId: accountId('@a'),
      fields: { key: 'b', allowSending: true, allowReceiving: true, direction: 'credit' },
    });
    for (const name of NAMES) this.#ask(inflow(name, String(OPENING)));
    const limits = [40, null, null, undefined] as const;
    this.#funds = limits.map((limit) => ({ available: OPENING, held: 0, owed: 0, limit }));
    limits.forEach((limit, n) => {
      if (limit !== undefined) this.#ask(allowing(n, limit));
    });
    this.#check();
  }

  perform(act: Act): void {
    const expected = this.#expected(act);
    if (expected === undefined) return; // There is nothing it could be about.
    const told = this.#told(expected.command);
    if (expected.refusal !== undefined || typeof told === 'string') {
      expect(told, JSON.stringify(act)).to.equal(expected.refusal);
    } else {
      expected.done(told);
    }
    this.#check();
  }

  /** All that is pending can be given back, and then nothing is held. */
  end(): void {
    this.#known.forEach(({ status }, n) => {
      if (status === 'PENDING') this.perform({ is: 'cancel', which: n });
    });
    for (const { balances } of this.#ledger.book.accounts()) {
      for (const { onHold } of balances) expect(onHold).to.equal(0n);
    }
    const verifier = createJournalVerifier(audit, `ledger-${LEDGER}`);
    for (const event of sealed(this.#log)) {
      expect(verifier.take(event)).to.equal(undefined);
    }
  }

  #expected(act: Act) {
    if (act.is === 'allow') return this.#allow(act.of, act.limit);
    if (!('which' in act)) return this.#post(act);
    const known = this.#known[act.which % Math.max(this.#known.length, 1)];
    return known && this.#advance(act.is, known);
  }

  #allow(of: number, limit: number | null | 'none') {
    const funds = this.#funds[of]!;
    const may = limit !== 'none' && (limit === null || funds.owed <= limit);
    const refusal: RefusalName | undefined =
      funds.owed > 0 && !may ? 'LIMIT_BELOW_USAGE' : undefined;
    return {
      command: allowing(of, limit),
      refusal,
      done: () => (funds.limit = limit === 'none' ? undefined : limit),
    };
  }

  #post({ is, from, to, amount }: Act & { is: 'post' | 'hold' | 'block' }) {
    const asked = postTransaction({
      from: NAMES[from] ?? '',
      to: NAMES[to] ?? '',
      amount: String(amount),
      ...(is === 'hold' && { pending: true }),
    });
    const command: LedgerCommand = is === 'block' ? { ...asked, as: 'block' } : asked;
    const refusal: RefusalName | undefined =
      from === to ? 'ACCOUNT_ON_BOTH_SIDES' : this.#lacking(from, amount);
    return {
      command,
      refusal,
      done: (event: TransactionEvent | undefined) => {
        const drawn = this.#take(from, amount, is === 'hold');
        if (is !== 'hold') this.#give(to, amount);
        const status = is === 'hold' ? 'PENDING' : 'APPROVED';
        this.#known.push({ id: idIn(event), status, from, to, amount, drawn });
      },
    };
  }

  #advance(is: 'commit' | 'cancel' | 'revert', known: Known) {
    const { id, from, to, amount, drawn } = known;
    const command = {
      type: TYPES[is],
      organizationId: ORGANIZATION,
      transactionId: id,
    } as LedgerCommand;
    const done = (event: TransactionEvent | undefined): void => {
      const source = this.#funds[from]!;
      if (is === 'revert') {
        known.status = 'reverted';
        const drawnAnew = this.#take(to, amount, false);
        this.#give(from, amount);
        const mirror = { id: idIn(event), from: to, to: from, amount, drawn: drawnAnew };
        this.#known.push({ ...mirror, status: 'reversal' });
        return;
      }
      source.held -= amount - drawn;
      known.status = is === 'commit' ? 'APPROVED' : 'CANCELED';
      if (is === 'commit') {
        this.#give(to, amount);
        return;
      }
      const still = Math.min(drawn, source.owed);
      source.owed -= still;
      source.available += amount - still;
    };
    return { command, refusal: this.#standsAgainst(is, known), done };
  }

  #standsAgainst(
    is: 'commit' | 'cancel' | 'revert',
    { status, to, amount }: Known,
  ): RefusalName | undefined {
    if (is !== 'revert') return status === 'PENDING' ? undefined : 'STATUS_NOT_ALLOWED';
    if (status === 'reversal') return 'REVERSAL_OF_REVERSAL';
    if (status === 'reverted') return 'REVERTED_ALREADY';
    return status === 'APPROVED' ? this.#lacking(to, amount) : 'STATUS_NOT_ALLOWED';
  }

  #lacking(from: number, amount: number): RefusalName | undefined {
    const { available, owed, limit } = this.#funds[from]!;
    if (amount <= available) return undefined;
    if (limit === undefined) return 'INSUFFICIENT_FUNDS';
    const within = limit === null || owed + amount - available <= limit;
    return within ? undefined : 'OVERDRAFT_LIMIT';
  }

  /** Answers how much was drawn. */
  #take(from: number, amount: number, hold: boolean): number {
    const funds = this.#funds[from]!;
    const own = Math.min(amount, funds.available);
    funds.available -= own;
    funds.owed += amount - own;
    if (hold) funds.held += own;
    return amount - own;
  }

  #give(to: number, amount: number): void {
    const funds = this.#funds[to]!;
    const repaid = Math.min(amount, funds.owed);
    funds.owed -= repaid;
    funds.available += amount - repaid;
  }

  #check(): void {
    const { book } = this.#ledger;
    NAMES.forEach((name, n) => {
      const [alias = '', key = 'default'] = name.split('#');
      const found = book.account(alias)?.balances.find((one) => one.key === key);
      const { available, held, owed } = this.#funds[n]!;
      const shown = found && [found.available, found.onHold, found.overdraftUsed];
      expect(shown?.map(formatAmount), name).to.deep.equal([available, held, owed].map(String));
    });
    let positions = 0n;
    for (const { alias, external, balances } of book.accounts()) {
      let owed = 0n;
      for (const { key, direction, available, onHold, overdraftUsed } of balances) {
        const position = direction === 'credit' ? available + onHold : onHold - available;
        positions += position;
        owed += key === 'overdraft' ? -available : overdraftUsed;
        if (!external) expect(available >= 0n && onHold >= 0n, `${alias}#${key}`).to.equal(true);
      }
      expect(owed, `${alias} owes what is shown`).to.equal(0n);
    }
    expect(positions, 'positions').to.equal(0n);
  }

  #told(command: LedgerCommand): TransactionEvent | undefined | RefusalName {
    try {
      return this.#ask(command) as TransactionEvent | undefined;
    } catch (error) {
      if (error instanceof Refusal) return error.refusal;
      throw error;
    }
  }

  #ask(command: LedgerCommand): LedgerEvent | undefined {
    const stamp = stampAt(NOW, this.#ids);
    const decision = ledgerDecider.decide(this.#ledger, command, this.#facts, stamp);
    if ('unchanged' in decision) return undefined;
    for (const event of decision) this.#fold(event);
    return decision[0];
  }

  /** Also as text, as another process would; and once there and back. */
  #fold(event: LedgerEvent): void {
    const { data: text } = storedData(event);
    const stored = { type: event.type, data: parseData(text) } as LedgerEvent;
    const revision = this.#log.length;
    const [, ...before] = frozen(this.#ledger); // Its accounts.
    const undo = ledgerDecider.undoing?.(this.#ledger, stored);
    ledgerDecider.evolve(this.#ledger, stored, revision);
    if (undo !== undefined) {
      undo();
      expect(frozen(this.#ledger).slice(1), 'undone').to.deep.equal(before);
      ledgerDecider.evolve(this.#ledger, stored, revision);
    }
    const fast = ledgerDecider.evolveText?.(this.#replica, event.type, text);
    if (event.type === 'TransactionPosted') expect(fast, 'read fast').to.equal(true);
    if (fast !== true) ledgerDecider.evolve(this.#replica, stored, revision);
    expect(frozen(this.#replica)).to.deep.equal(frozen(this.#ledger));
    this.#log.push(stored);
    if (revision % 7 === 0) this.#ledger = ledgerDecider.fromSnapshot(frozen(this.#ledger));
  }

  readonly #facts: Facts = {
    journal: () => null,
    settings: () => null,
    revisionOf: ({ kind, key }) => {
      const revision = this.#log.findLastIndex((event) =>
        namesOf(indexTable, event).some((name) => name.kind === kind && name.key === key),
      );
      return revision < 0 ? null : revision;
    },
    event: (revision) => this.#log[revision],
  };
}

const TYPES = {
  commit: 'CommitTransaction',
  cancel: 'CancelTransaction',
  revert: 'RevertTransaction',
} as const;

const allowing = (of: number, limit: number | null | 'none'): LedgerCommand => {
  const [alias = '', key] = (NAMES[of] ?? '').split('#');
  const limited =
    typeof limit === 'number' ? { overdraftLimitEnabled: true, overdraftLimit: String(limit) } : {};
  return {
    type: 'UpdateBalance',
    organizationId: ORGANIZATION,
    balanceId: partId(accountId(alias), key === undefined ? 1 : 2),
    changes: { settings: settingsOf({ allowOverdraft: limit !== 'none', ...limited }) },
  };
};

const frozen = (ledger: Parameters<typeof ledgerDecider.toSnapshot>[0]): string[] => [
  ...ledgerDecider.toSnapshot(ledger),
];

function idIn(event: TransactionEvent | undefined): Uuid {
  if (event === undefined) throw new Error('Nothing happened');
  return event.data.transaction.id;
}
