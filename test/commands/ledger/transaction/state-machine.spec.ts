import { expect } from 'chai';
import fc from 'fast-check';
import { ledgerDecider } from '#commands/ledger/ledger.ts';
import { MemorySnapshotStore } from '#test/doubles/memory/snapshot-store.ts';
import type { TransactionCommand } from '#commands/ledger/transaction/commands.ts';
import { formatAmount } from '#src/kernel/amount.ts';
import type { JournalOf } from '#src/kernel/decider.ts';
import { Refusal } from '#src/kernel/errors.ts';
import { parseData } from '#src/kernel/event-data.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { ledgerJournal } from '#src/kernel/journal-name.ts';
import type { LedgerEvent } from '#src/events/ledger/ledger.ts';
import type { TransactionEvent } from '#src/events/ledger/transaction.ts';
import { takeSnapshot } from '#src/journal/snapshot.ts';
import { loadResident } from '#src/journal/resident.ts';
import {
  createAccount,
  createAsset,
  inflow,
  LEDGER,
  openLedger,
  ORGANIZATION,
  postTransaction,
} from '#test/support/ledger-samples.ts';
import { workbench, type Workbench } from '#test/journal/workbench.ts';
import { runsOf } from '#test/support/random.ts';

/**
 * The life of transactions, told by a model: what any order of holds, commits, cancellations and reversals, of
 * repeats at once and after, and of crashes in between must come to. The model knows statuses and whole numbers;
 * the journal under it is the real writer over memory, with its index now behind and now not.
 */
describe('the state machine of transactions', function () {
  this.timeout(60_000);

  for (const { where, exclusive, numRuns } of [
    { where: 'in a folder of its own', exclusive: true, numRuns: 700 },
    { where: 'where others write too', exclusive: false, numRuns: 500 },
  ]) {
    it(`comes to what the model says, in any order, with repeats and crashes, ${where}`, () =>
      fc.assert(
        fc.asyncProperty(fc.array(anyAct, { minLength: 1, maxLength: 40 }), async (acts) => {
          const play = await Play.begin(exclusive);
          for (const act of acts) await play.perform(act);
          await play.end();
        }),
        { numRuns: runsOf(numRuns) },
      ));
  }
});

type Act =
  | Readonly<{ is: 'post' | 'hold'; from: number; to: number; amount: number }>
  | Readonly<{ is: 'commit' | 'cancel' | 'revert'; which: number; times: number }>
  | Readonly<{ is: 'describe'; which: number; description: string }>
  | Readonly<{ is: 'crash'; snapshot: boolean }>
  | Readonly<{ is: 'index' }>
  | Readonly<{ is: 'append'; fate: 'unanswered' | 'lost' | 'conflict' }>;

const account = fc.nat({ max: 2 });
const amount = fc.integer({ min: 1, max: 60 });
const which = fc.nat({ max: 7 });
const times = fc.integer({ min: 1, max: 3 });

const anyAct: fc.Arbitrary<Act> = fc.oneof(
  fc.record({ is: fc.constantFrom('post', 'hold'), from: account, to: account, amount }),
  {
    weight: 2,
    arbitrary: fc.record({ is: fc.constantFrom('commit', 'cancel', 'revert'), which, times }),
  },
  fc.record({ is: fc.constant('describe'), which, description: fc.constantFrom('', 'x', 'y') }),
  fc.record({ is: fc.constant('crash'), snapshot: fc.boolean() }),
  fc.record({ is: fc.constant('index') }),
  fc.record({ is: fc.constant('append'), fate: fc.constantFrom('unanswered', 'lost', 'conflict') }),
);

type Known = {
  readonly id: Uuid;
  status: 'APPROVED' | 'PENDING' | 'CANCELED';
  readonly from: number;
  readonly to: number;
  readonly amount: number;
  readonly isReversal: boolean;
  description: string | undefined;
  reverted: boolean;
};

const ALIASES = ['@a', '@b', '@c'];
const OPENING = 100;
const JOURNAL: JournalOf<unknown, LedgerEvent> = { name: ledgerJournal(LEDGER) };
const context = {
  actor: { type: 'anonymous', id: '' },
  tenantId: 'default',
  requestId: 'a request',
};

/** One run: the journal, and beside it the model. */
class Play {
  #bench: Workbench;
  readonly #known: Known[] = [];
  readonly #funds = ALIASES.map(() => ({ available: OPENING, held: 0 }));

  readonly #exclusive: boolean;

  private constructor(bench: Workbench, exclusive: boolean) {
    this.#bench = bench;
    this.#exclusive = exclusive;
  }

  static async begin(exclusive: boolean): Promise<Play> {
    const play = new Play(workbench({ deciders: [ledgerDecider], exclusive }), exclusive);
    await play.#ask(openLedger());
    await play.#ask(createAsset());
    for (const alias of ALIASES) {
      await play.#ask(createAccount({ alias }));
      await play.#ask(inflow(alias, String(OPENING)));
    }
    return play;
  }

  async perform(act: Act): Promise<void> {
    switch (act.is) {
      case 'post':
      case 'hold':
        return this.#post(act);
      case 'commit':
      case 'cancel':
      case 'revert':
        return this.#advance(act);
      case 'describe':
        return this.#describe(act);
      case 'index':
        return this.#bench.catchUp();
      case 'append':
        this.#bench.fates.push(act.fate);
        return;
      case 'crash':
        if (act.snapshot) await takeSnapshot(ledgerDecider, JOURNAL.name, this.#bench.ports);
        this.#bench = workbench({
          deciders: [ledgerDecider],
          over: this.#bench,
          exclusive: this.#exclusive,
        });
    }
  }

  async #post({ is, from, to, amount: value }: Act & { is: 'post' | 'hold' }): Promise<void> {
    const pending = is === 'hold';
    const command = postTransaction({
      from: ALIASES[from] ?? '',
      to: ALIASES[to] ?? '',
      amount: String(value),
      pending,
    });
    const told = await this.#told(command);
    const source = this.#funds[from]!;
    if (from === to || source.available < value) {
      expect(told).to.equal(from === to ? 'ACCOUNT_ON_BOTH_SIDES' : 'INSUFFICIENT_FUNDS');
      return;
    }

    const id = idIn(told);
    source.available -= value;
    if (pending) source.held += value;
    else this.#funds[to]!.available += value;
    const status = pending ? 'PENDING' : 'APPROVED';
    const fresh = { description: undefined, isReversal: false, reverted: false };
    this.#known.push({ id, status, from, to, amount: value, ...fresh });
  }

  /** The same step so many times at once: the first one decides what the others may come to. */
  async #advance({ is, which: n, times: often }: Act & { is: 'commit' | 'cancel' | 'revert' }) {
    const known = this.#known[n % Math.max(this.#known.length, 1)];
    if (known === undefined) return;
    const type = TYPES[is];
    const asked = Array.from({ length: often }, () =>
      this.#told({ type, transactionId: known.id } as const),
    );
    const told = await Promise.all(asked);
    const expected = Array.from({ length: often }, () => this.#expected(is, known));
    const posted = told.filter((one) => typeof one !== 'string');
    expect(told.filter((one) => typeof one === 'string').sort()).to.deep.equal(
      expected.filter((one) => one !== 'done').sort(),
    );
    expect(posted).to.have.length(expected.filter((one) => one === 'done').length);
    const [event] = posted;
    if (is !== 'revert' || event === undefined) return;
    const { id, parentTransactionId } = event.data.transaction;
    expect(parentTransactionId).to.equal(known.id);
    const { from, to } = known;
    const mirror = { id, from: to, to: from, amount: known.amount } as const;
    const { description } = known;
    const fresh = { description, isReversal: true, reverted: false };
    this.#known.push({ ...mirror, status: 'APPROVED', ...fresh });
  }

  async #describe({ which: n, description }: Act & { is: 'describe' }): Promise<void> {
    const known = this.#known[n % Math.max(this.#known.length, 1)];
    if (known === undefined) return;
    const changes = { description };
    const told = await this.#told({ type: 'UpdateTransaction', transactionId: known.id, changes });
    expect(idIn(told)).to.equal(known.id);
    known.description = description;
  }

  /** What one step comes to, and what it does to the model. */
  #expected(is: 'commit' | 'cancel' | 'revert', known: Known): string {
    const source = this.#funds[known.from]!;
    const destination = this.#funds[known.to]!;
    if (is === 'revert') {
      if (known.status !== 'APPROVED') return 'STATUS_NOT_ALLOWED';
      if (known.isReversal) return 'REVERSAL_OF_REVERSAL';
      if (known.reverted) return 'REVERTED_ALREADY';
      if (destination.available < known.amount) return 'INSUFFICIENT_FUNDS';
      known.reverted = true;
      destination.available -= known.amount;
      source.available += known.amount;
      return 'done';
    }
    if (known.status !== 'PENDING') return 'STATUS_NOT_ALLOWED';
    known.status = is === 'commit' ? 'APPROVED' : 'CANCELED';
    source.held -= known.amount;
    (is === 'commit' ? destination : source).available += known.amount;
    return 'done';
  }

  /** The balances of the model, of the writer and of a fresh fold of the log are one. */
  async end(): Promise<void> {
    const { state } = await loadResident(ledgerDecider, JOURNAL.name, {
      ...this.#bench.ports,
      snapshots: new MemorySnapshotStore({ scheduler: this.#bench.scheduler, data: new Map() }),
    });
    const funds = ALIASES.map((alias) => {
      const [balance] = state.book.account(alias)?.balances ?? [];
      return balance && `${formatAmount(balance.available)}/${formatAmount(balance.onHold)}`;
    });
    expect(funds).to.deep.equal(this.#funds.map(({ available, held }) => `${available}/${held}`));
    const pending = this.#known.filter(({ status }) => status === 'PENDING').map(({ id }) => id);
    expect([...state.pending.keys()].sort()).to.deep.equal(pending.sort());
    for (const { id, status, description } of this.#known) {
      const last = this.#bench
        .events(JOURNAL.name)
        .map(({ data }) => (parseData(data) as TransactionEvent['data']).transaction)
        .findLast((transaction) => (transaction as { id?: Uuid } | undefined)?.id === id);
      const said = [last?.status, last?.description ?? ''];
      expect(said).to.deep.equal([status, description ?? '']);
    }
  }

  async #told(command: Partial<TransactionCommand>): Promise<TransactionEvent | string> {
    try {
      const event = await this.#ask({ ...command, organizationId: ORGANIZATION });
      return event as TransactionEvent;
    } catch (error) {
      if (error instanceof Refusal) return error.refusal;
      throw error;
    }
  }

  async #ask(command: object): Promise<LedgerEvent | undefined> {
    const { events } = await this.#bench.journals.submit(JOURNAL, { command, context });
    return events[0];
  }
}

const TYPES = {
  commit: 'CommitTransaction',
  cancel: 'CancelTransaction',
  revert: 'RevertTransaction',
} as const;

function idIn(told: TransactionEvent | string): Uuid {
  if (typeof told === 'string') throw new Error(`Refused: ${told}`);
  return told.data.transaction.id;
}
