import { hash } from 'node:crypto';
import type { Transaction } from '#test/e2e/books.ts';
import { unitsOf } from './decimals.ts';
import type { Atomic, Intent, Items, Move, Reversal, Settlement, Transfer } from './intent.ts';
import { nameOf } from './intent.ts';

/** A transaction whose funds are held, with the request that wanted it. */
export type Held = Readonly<{ intent: Transfer; transaction: Transaction }>;

/** The clients' own record of what they were told, against which the server is held. */
export class Record {
  /** Sent, and without an outcome yet. */
  readonly open = new Map<string, Intent>();
  /** Acknowledged transactions by id: a hash of what every later read must show. */
  readonly transactions = new Map<string, string>();
  /** Some of them with their bytes, to be asked for again. */
  readonly samples: Readonly<{ intent: Transfer; text: string }>[] = [];
  readonly atomics: Readonly<{ intent: Atomic; text: string }>[] = [];
  readonly held = new Map<string, Held>();
  /** Some that may be reverted, with what they moved. */
  readonly revertible: Readonly<{ id: string; moves: readonly Move[] }>[] = [];
  /** What changed since the audit looked. */
  readonly changed = new Set<string>();
  readonly reverted = new Map<string, string>();
  readonly ended = new Set<string>();
  /** Available, and on hold, of each account, in units. */
  readonly available = new Map<string, bigint>();
  readonly onHold = new Map<string, bigint>();
  readonly accounts = new Map<string, string>();
  readonly ledgers = new Map<string, string>();
  refused = 0;

  begin(intent: Intent): void {
    this.open.set(nameOf(intent), intent);
  }

  refuse(intent: Intent): void {
    this.open.delete(nameOf(intent));
    this.refused += 1;
  }

  /** It got no answer, and was not done. */
  forgo(intent: Intent): void {
    this.open.delete(nameOf(intent));
  }

  /** A transfer or a hold was acknowledged; its answer must be the one of this very request. */
  transferred(intent: Transfer, text: string): void {
    this.#posted(intent, text);
    if (intent.keyless) return; // There is nothing to be asked for again.
    const sample = { intent, text };
    if (this.samples.length < SAMPLES_MAX) this.samples.push(sample);
    else this.samples[this.transactions.size % SAMPLES_MAX] = sample;
  }

  /** All of a batch were acknowledged at once. */
  batched(intent: Atomic, text: string, each: readonly string[]): void {
    if (each.length !== intent.items.length) throw new Error(`Not all of ${intent.key}: ${text}`);
    intent.items.forEach((item, n) => this.#posted(item, each[n] ?? ''));
    this.open.delete(nameOf(intent));
    this.atomics.push({ intent, text });
    if (this.atomics.length > ATOMICS_MAX) this.atomics.shift();
  }

  /** The same answer as before, or the first one. */
  item(batch: Items, item: Transfer, text: string): void {
    const before = batch.told.get(item.key);
    if (before === undefined) this.transferred(item, text);
    else if (before !== text) throw new Error(`${item.key} was told ${before}, then ${text}`);
    batch.told.set(item.key, text);
  }

  /** A commit or a cancellation; its answer shows what it booked, and nothing of before. */
  settled({ id, how }: Settlement, transaction: Transaction): void {
    const held = this.held.get(id);
    if (held === undefined) throw new Error(`${id} was settled twice`);
    const { operations, status, updatedAt, ...fixed } = transaction;
    const { operations: before, status: _, updatedAt: __, ...was } = held.transaction;
    const whole = operations.length > before.length && operations[0]?.id === before[0]?.id;
    const booked = whole ? operations.slice(before.length) : operations;
    const due = how === 'commit' ? 'APPROVED' : 'CANCELED';
    const { moves } = held.intent;
    const sources = moves.filter(({ direction }) => direction === 'debit');
    const expected = how === 'commit' ? moves : sources.map(turned);
    const right = status.code === due && JSON.stringify(fixed) === JSON.stringify(was);
    if (!right || !sameMoves(booked, expected)) {
      throw new Error(`The ${how} of ${id} is not its own: ${JSON.stringify(transaction)}`);
    }
    const after = { ...held.transaction, status, updatedAt, operations: [...before, ...booked] };
    this.transactions.set(id, fingerprintOf(after));
    for (const { alias, units } of sources) add(this.onHold, alias, -units);
    if (how === 'cancel') this.#apply(sources.map(turned));
    else this.#apply(moves.filter(({ direction }) => direction === 'credit'));
    if (how === 'commit') this.revertible.push({ id, moves });
    this.held.delete(id);
    this.changed.add(id);
    this.ended.add(id);
    this.open.delete(`settle ${id}`);
  }

  /** A transaction of its own, the mirror of another. */
  undone(intent: Reversal, transaction: Transaction): void {
    const moves = intent.moves.map(turned);
    const right = transaction.parentTransactionId === intent.id;
    if (!right || !sameMoves(transaction.operations, moves)) {
      throw new Error(`No reversal of ${intent.id}: ${JSON.stringify(transaction)}`);
    }
    if (this.transactions.has(transaction.id)) throw new Error(`${transaction.id} is known`);
    this.transactions.set(transaction.id, fingerprintOf(transaction));
    this.#apply(moves);
    this.reverted.set(intent.id, transaction.id);
    this.open.delete(nameOf(intent));
  }

  opened(intent: Extract<Intent, { is: 'account' }>, text: string): void {
    this.accounts.set(intent.alias, text);
    this.available.set(intent.alias, 0n);
    this.open.delete(nameOf(intent));
  }

  founded(intent: Extract<Intent, { is: 'ledger' }>, text: string): void {
    this.ledgers.set(intent.name, text);
    this.open.delete(nameOf(intent));
  }

  #posted(intent: Transfer, text: string): void {
    const transaction = JSON.parse(text) as Transaction;
    const sources = intent.moves.filter(({ direction }) => direction === 'debit');
    const wanted = intent.pending ? sources : intent.moves;
    const due = intent.pending ? ['PENDING'] : ['CREATED', ...(intent.keyless ? ['APPROVED'] : [])];
    if (!due.includes(transaction.status.code) || !sameMoves(transaction.operations, wanted)) {
      throw new Error(`The answer to ${intent.key} is not its own: ${text}\nsent ${intent.body}`);
    }
    if (this.transactions.has(transaction.id)) {
      throw new Error(`${transaction.id} answers two keys, the second is ${intent.key}`);
    }
    this.transactions.set(transaction.id, fingerprintOf(transaction));
    this.#apply(wanted);
    if (intent.pending) {
      for (const { alias, units } of sources) add(this.onHold, alias, units);
      this.held.set(transaction.id, { intent, transaction });
    } else if (this.revertible.length < REVERTIBLE_MAX) {
      this.revertible.push({ id: transaction.id, moves: intent.moves });
    }
    this.open.delete(nameOf(intent));
  }

  #apply(moves: readonly Move[]): void {
    for (const { alias, direction, units } of moves) {
      const rises = (direction === 'credit') !== alias.startsWith('@external/');
      add(this.available, alias, rises ? units : -units);
    }
  }
}

/** What a read must show of a transaction, whether it came as the answer to its creation or from a list. */
export const fingerprintOf = (transaction: Transaction): string => {
  const code = transaction.status.code === 'CREATED' ? 'APPROVED' : transaction.status.code;
  const status = { code, description: code };
  return hash('sha256', JSON.stringify({ ...transaction, status }));
};

function sameMoves(shown: Transaction['operations'], wanted: readonly Move[]): boolean {
  const found = shown.map(({ accountAlias, direction, amount }) =>
    moveText({ alias: accountAlias, direction, units: unitsOf(amount.value) }),
  );
  return found.toSorted().join() === wanted.map(moveText).toSorted().join();
}

const turned = (move: Move): Move => ({
  ...move,
  direction: move.direction === 'debit' ? 'credit' : 'debit',
});

function add(to: Map<string, bigint>, alias: string, units: bigint): void {
  to.set(alias, (to.get(alias) ?? 0n) + units);
}

const moveText = ({ alias, direction, units }: Move): string => `${alias} ${direction} ${units}`;

const SAMPLES_MAX = 500;
const ATOMICS_MAX = 50;
const REVERTIBLE_MAX = 500;
