import { hash } from 'node:crypto';
import type { Transaction } from '#test/e2e/books.ts';
import { unitsOf } from './decimals.ts';

/** What a client wants to happen, written down before it is sent. */
export type Intent =
  | Readonly<{ is: 'transfer'; key: string; body: string; moves: readonly Move[] }>
  | Readonly<{ is: 'account'; alias: string; body: string }>
  | Readonly<{ is: 'ledger'; name: string; body: string }>;

export type Transfer = Extract<Intent, { is: 'transfer' }>;

/** What a transfer does to one account, in units; worked out by the client. */
export type Move = Readonly<{ alias: string; direction: 'debit' | 'credit'; units: bigint }>;

/** The clients' own record of what they were told, against which the server is held. */
export class Record {
  /** Sent, and without an outcome yet. */
  readonly open = new Map<string, Intent>();
  /** Acknowledged transactions by id: a hash of what every later read must show. */
  readonly transactions = new Map<string, string>();
  /** Some of them with their bytes, to be asked for again. */
  readonly samples: Readonly<{ intent: Transfer; text: string }>[] = [];
  /** Available of each account, in units. */
  readonly available = new Map<string, bigint>();
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

  /** A transfer was acknowledged; its answer must be the one of this very request. */
  transferred(intent: Transfer, text: string): void {
    const transaction = JSON.parse(text) as Transaction;
    const shown = transaction.operations.map(({ accountAlias, direction, amount }) =>
      moveText({ alias: accountAlias, direction, units: unitsOf(amount.value) }),
    );
    const wanted = intent.moves.map(moveText);
    if (shown.toSorted().join() !== wanted.toSorted().join()) {
      throw new Error(`The answer to ${intent.key} is not its own: ${text}\nsent ${intent.body}`);
    }
    if (this.transactions.has(transaction.id)) {
      throw new Error(`${transaction.id} answers two keys, the second is ${intent.key}`);
    }
    this.transactions.set(transaction.id, fingerprintOf(transaction));
    for (const { alias, direction, units } of intent.moves) {
      const rises = (direction === 'credit') !== alias.startsWith('@external/');
      const before = this.available.get(alias) ?? 0n;
      this.available.set(alias, rises ? before + units : before - units);
    }
    this.open.delete(intent.key);
    const sample = { intent, text };
    if (this.samples.length < SAMPLES_MAX) this.samples.push(sample);
    else this.samples[this.transactions.size % SAMPLES_MAX] = sample;
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
}

/** What a read must show of a transaction, whether it came as the answer to its creation or from a list. */
export const fingerprintOf = (transaction: Transaction): string => {
  const status = { code: 'APPROVED', description: 'APPROVED' };
  return hash('sha256', JSON.stringify({ ...transaction, status }));
};

const nameOf = (intent: Intent): string => {
  if (intent.is === 'transfer') return intent.key;
  return intent.is === 'account' ? intent.alias : `ledger ${intent.name}`;
};

const moveText = ({ alias, direction, units }: Move): string => `${alias} ${direction} ${units}`;

const SAMPLES_MAX = 500;
