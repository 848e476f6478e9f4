import { parseName } from '../load/names.ts';
import type { Transfer } from '../load/transfers.ts';
import { unitsOf } from './decimal.ts';
import { Fold, type BalanceView, type OperationView } from './fold.ts';
import { askUntil } from './http.ts';
import type { Server } from './product.ts';

export type Findings = Readonly<{
  /** What is wrong; nothing when the books are right. */
  wrong: readonly string[];
  transactions: number;
  balances: number;
  /** From the end of the load until reads had caught up with all acknowledged writes. */
  drainMs: number;
  auditSeconds: number;
}>;

/**
 * Knows a ledger from outside: what was acknowledged, and the fold of every transaction read back so far. A
 * check goes on from where the last one ended, so each transaction is read once however many runs there are.
 */
export class Audit {
  /** Cursors met on the way, for pages at depth. */
  readonly depths: Readonly<{ depth: number; cursor: string }>[] = [];
  readonly #acknowledged = new Map<number, number>();
  readonly #expected = new Map<number, (seq: number) => Transfer>();
  readonly #found = new Map<number, Set<number>>();
  readonly #fold = new Fold();
  #transactions = 0;
  #cursor: string | undefined;
  /** Transactions of the page at the cursor that are folded already. */
  #folded = 0;
  #wrong: string[] = [];

  /** Notes that a run got 201 for this many requests, and what each of them asked for. */
  acknowledge(run: number, count: number, expected?: (seq: number) => Transfer): void {
    this.#acknowledged.set(run, (this.#acknowledged.get(run) ?? 0) + count);
    if (expected !== undefined) this.#expected.set(run, expected);
  }

  /** Requests answered 201, of all runs. */
  get acknowledged(): number {
    return [...this.#acknowledged.values()].reduce((sum, count) => sum + count, 0);
  }

  get transactions(): number {
    return this.#transactions;
  }

  async check(server: Server, ledgerPath: string): Promise<Findings> {
    this.#wrong = [];
    const from = performance.now();
    await page(server, `${ledgerPath}/transactions?limit=1`);
    const drainMs = performance.now() - from;
    await this.#walkTransactions(server, ledgerPath);
    const balances = await this.#walkBalances(server, ledgerPath);
    this.#count();
    return {
      wrong: this.#wrong,
      transactions: this.#transactions,
      balances,
      drainMs: Math.round(drainMs),
      auditSeconds: Math.round((performance.now() - from) / 100) / 10,
    };
  }

  async #walkTransactions(server: Server, ledgerPath: string): Promise<void> {
    const path = `${ledgerPath}/transactions?limit=${PAGE}`;
    for (let pages = 0; pages < PAGES_MAX; pages += 1) {
      const { items, next_cursor: next } = await page<TransactionView>(
        server,
        this.#cursor === undefined ? path : `${path}&cursor=${encodeURIComponent(this.#cursor)}`,
      );
      for (const transaction of items.slice(this.#folded)) this.#take(transaction);
      this.#folded = next === undefined ? items.length : 0;
      if (next === undefined) return;
      this.#cursor = next;
      this.#markDepth(next);
    }
    this.#report('the list of transactions did not end');
  }

  #take(transaction: TransactionView): void {
    this.#transactions += 1;
    const { description, operations } = transaction;
    const name = parseName(description);
    if (name === undefined) this.#report(`a transaction nobody asked for: ${description}`);
    else {
      this.#mark(name.run, name.seq);
      const asked = this.#expected.get(name.run)?.(name.seq);
      if (asked !== undefined && !isAsked(transaction, asked)) {
        this.#report(`${description} is not what its request asked for`);
      }
    }
    const wrong = this.#fold.apply(operations);
    if (wrong !== undefined) this.#report(`${description}: ${wrong}`);
  }

  #mark(run: number, seq: number): void {
    const found = this.#found.get(run) ?? new Set();
    if (found.has(seq)) this.#report(`request ${seq} of run ${run} was posted twice`);
    this.#found.set(run, found.add(seq));
  }

  async #walkBalances(server: Server, ledgerPath: string): Promise<number> {
    let cursor = '';
    let sum = 0n;
    let count = 0;
    for (let pages = 0; pages < PAGES_MAX; pages += 1) {
      const at = `${ledgerPath}/balances?limit=${PAGE}${cursor}`;
      const { items, next_cursor: next } = await page<BalanceView>(server, at);
      for (const balance of items) {
        const size = unitsOf(balance.available) + unitsOf(balance.onHold);
        sum += balance.direction === 'debit' ? -size : size;
        const wrong = this.#fold.compare(balance);
        if (wrong !== undefined) this.#report(`${wrong}, the replay says otherwise`);
      }
      count += items.length;
      if (next === undefined) break;
      cursor = `&cursor=${encodeURIComponent(next)}`;
    }
    if (sum !== 0n) this.#report(`the balances add up to ${String(sum)} × 10^-8, not to zero`);
    if (count < this.#fold.balances) this.#report('the list of balances misses some that moved');
    return count;
  }

  #count(): void {
    for (const [run, acknowledged] of this.#acknowledged) {
      const found = this.#found.get(run)?.size ?? 0;
      if (found === acknowledged) continue;
      this.#report(`run ${run}: ${acknowledged} responses 201, ${found} transactions`);
    }
  }

  #markDepth(cursor: string): void {
    if (this.#transactions % DEPTH_EVERY < PAGE) {
      this.depths.push({ depth: this.#transactions, cursor });
    }
  }

  #report(text: string): void {
    if (this.#wrong.length < WRONG_MAX) this.#wrong.push(text);
  }
}

type TransactionView = Readonly<{
  description: string;
  amount: string;
  source: readonly string[];
  destination: readonly string[];
  operations: readonly OperationView[];
}>;

const isAsked = ({ amount, source, destination }: TransactionView, asked: Transfer): boolean =>
  amount === asked.amount &&
  source.length === 1 &&
  source[0] === asked.source &&
  destination.length === 1 &&
  destination[0] === asked.target;

type Page<Item> = Readonly<{ items: readonly Item[]; next_cursor?: string }>;

async function page<Item>(server: Server, path: string): Promise<Page<Item>> {
  const { text } = await askUntil(server.port, 200, { method: 'GET', path });
  return JSON.parse(text) as Page<Item>;
}

const PAGE = 100;
const PAGES_MAX = 200_000;
const DEPTH_EVERY = 10_000;
const WRONG_MAX = 10;
