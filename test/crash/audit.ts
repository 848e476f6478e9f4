import type { Balance, Book, List, Operation, Transaction } from '#test/e2e/books.ts';
import type { Client } from '#test/support/client.ts';
import { unitsOf } from './decimals.ts';
import { itemOf } from './intent.ts';
import { auditLog } from './log-audit.ts';
import { fingerprintOf, type Record } from './record.ts';

/** Holds what the server shows against what the clients wrote down. Throws at the first difference. */
export class Audit {
  readonly #client: Client;
  readonly #book: Book;
  readonly #record: Record;
  #verified = new Set<string>();

  constructor(client: Client, book: Book, record: Record) {
    this.#client = client;
    this.#book = book;
    this.#record = record;
  }

  /** What is new since the last time: each transaction once, with its bytes, and nobody else's. Then balances. */
  async latest(): Promise<void> {
    const seen = new Set<string>();
    const known = (id: string) => this.#verified.has(id);
    for await (const items of this.#pages<Transaction>('transactions', 'desc')) {
      for (const item of items) if (!known(item.id)) this.#checkTransaction(item, seen);
      if (items.some(({ id }) => known(id))) break;
    }
    const missing = this.#record.transactions.size - this.#verified.size - seen.size;
    if (missing !== 0) throw new Error(`${missing} acknowledged transactions are not there`);
    for (const id of seen) this.#verified.add(id);
    for (const id of this.#record.changed) {
      const answer = await this.#client.get(`${this.#book.at}/transactions/${id}`);
      if (answer.status !== 200) throw new Error(`${id} was settled and is gone: ${answer.text}`);
      this.#checkTransaction(answer.json() as Transaction, new Set());
    }
    this.#record.changed.clear();
    await this.#checkBalances();
  }

  /** Everything from the beginning, every balance followed operation by operation. */
  async whole(dataDir: string): Promise<void> {
    const seen = new Set<string>();
    const moved = new Map<string, Operation[]>();
    for await (const items of this.#pages<Transaction>('transactions', 'asc')) {
      for (const item of items) {
        this.#checkTransaction(item, seen);
        for (const operation of item.operations) {
          const known = moved.get(operation.accountAlias);
          if (known === undefined) moved.set(operation.accountAlias, [operation]);
          else known.push(operation);
        }
      }
    }
    for (const [alias, operations] of moved) followed(alias, operations);
    if (seen.size !== this.#record.transactions.size) {
      throw new Error(`${seen.size} of ${this.#record.transactions.size} transactions are there`);
    }
    const versions = await this.#checkBalances();
    for (const [alias, version] of versions) {
      if ((moved.get(alias)?.length ?? 0) !== version) {
        throw new Error(`${alias} is at version ${version}, its operations are not`);
      }
    }
    await this.#checkRecords('accounts', this.#record.accounts);
    await this.#checkRecords('ledgers', this.#record.ledgers);
    auditLog(dataDir, this.#record);
  }

  /** Some of the oldest and of the newest requests sent again: the same bytes, or that it is done already. */
  async repeats(
    some: readonly Readonly<{ intent: { key: string; body: string }; text: string }>[],
  ) {
    for (const { intent, text } of some) {
      const path = `${this.#book.at}/transactions/json`;
      const answer = await this.#client.post(path, intent.body, { 'X-Idempotency': intent.key });
      const replayed = answer.headers['x-idempotency-replayed'];
      if (answer.status !== 201 || answer.text !== text || replayed !== 'true') {
        throw new Error(`The repeat of ${intent.key} got ${answer.status} ${answer.text}`);
      }
    }
    for (const { intent, text } of this.#record.atomics.slice(-3)) {
      const transactions = intent.items.map((item) => itemOf(item, false));
      const path = `${this.#book.at}/transactions/batch`;
      const body = { atomic: true, transactions };
      const answer = await this.#client.post(path, body, { 'X-Idempotency': intent.key });
      if (answer.status !== 201 || answer.text !== text) {
        throw new Error(`The repeat of ${intent.key} got ${answer.status} ${answer.text}`);
      }
    }
    for (const id of [...this.#record.ended].slice(-3)) {
      const answer = await this.#client.post(`${this.#book.at}/transactions/${id}/commit`);
      if (answer.status !== 409) throw new Error(`${id} was ended twice: ${answer.text}`);
    }
    for (const id of [...this.#record.reverted.keys()].slice(-3)) {
      const answer = await this.#client.post(`${this.#book.at}/transactions/${id}/revert`);
      if (answer.status !== 409) throw new Error(`${id} was reverted twice: ${answer.text}`);
    }
  }

  #checkTransaction(item: Transaction, seen: Set<string>): void {
    const expected = this.#record.transactions.get(item.id);
    if (expected === undefined) throw new Error(`Nobody was told of ${JSON.stringify(item)}`);
    if (seen.has(item.id)) throw new Error(`${item.id} is there twice`);
    if (fingerprintOf(item) !== expected) throw new Error(`${item.id} reads differently now`);
    seen.add(item.id);
  }

  async #checkBalances(): Promise<Map<string, number>> {
    const versions = new Map<string, number>();
    let sum = 0n;
    for await (const items of this.#pages<Balance>('balances', 'asc')) {
      for (const { alias, available, onHold, direction, version } of items) {
        const expected = this.#record.available.get(alias);
        const units = unitsOf(available);
        const held = unitsOf(onHold);
        if (units !== expected || held !== (this.#record.onHold.get(alias) ?? 0n)) {
          const due = `${String(expected)} + ${String(this.#record.onHold.get(alias))} units`;
          throw new Error(`${alias} has ${available} and ${onHold}, by the record ${due}`);
        }
        if (versions.has(alias)) throw new Error(`${alias} has two balances`);
        versions.set(alias, version);
        sum += direction === 'debit' ? -units : units + held;
      }
    }
    if (versions.size !== this.#record.available.size) {
      throw new Error(`${versions.size} of ${this.#record.available.size} balances are there`);
    }
    if (sum !== 0n) throw new Error(`The positions add up to ${sum} units`);
    return versions;
  }

  async #checkRecords(kind: 'accounts' | 'ledgers', recorded: ReadonlyMap<string, string>) {
    const names = new Set<string>();
    for await (const items of this.#pages<{ alias?: string; name: string }>(kind, 'asc')) {
      for (const item of items) {
        const name = kind === 'accounts' ? (item.alias ?? '') : item.name;
        const expected = recorded.get(name);
        if (expected === undefined) throw new Error(`Nobody was told of ${JSON.stringify(item)}`);
        if (names.has(name)) throw new Error(`There are two ${kind} ${name}`);
        if (JSON.stringify(item) !== expected) throw new Error(`${name} reads differently now`);
        names.add(name);
      }
    }
    if (names.size !== recorded.size) {
      throw new Error(`${names.size} of ${recorded.size} ${kind} are there`);
    }
  }

  async *#pages<Item>(kind: string, order: 'asc' | 'desc'): AsyncGenerator<readonly Item[]> {
    const above = kind === 'ledgers' ? `/v1/organizations/${this.#book.org}` : this.#book.at;
    const byPage = kind === 'ledgers' || kind === 'accounts';
    let query = 'page=1';
    for (let page = 2; page < PAGES_MAX; page += 1) {
      const path = `${above}/${kind}?limit=100&sort_order=${order}&${query}`;
      const answer = await this.#client.get(path);
      if (answer.status !== 200) throw new Error(`GET ${path} got ${answer.text}`);
      const { items, next_cursor: cursor } = answer.json() as List<Item>;
      yield items;
      if (byPage ? items.length === 0 : cursor === undefined) return;
      query = byPage ? `page=${page}` : `cursor=${encodeURIComponent(cursor ?? '')}`;
    }
    throw new Error(`The list of ${kind} has no end`);
  }
}

/** The operations of an account lead from one version to the next, whenever their transactions began. */
function followed(alias: string, operations: readonly Operation[]): void {
  let at: Operation['balance'] = { available: '0', onHold: '0', version: 0, overdraftUsed: '0' };
  for (const one of operations.toSorted((a, b) => a.balance.version - b.balance.version)) {
    const { balance, balanceAfter } = one;
    const same = balance.available === at.available && balance.onHold === at.onHold;
    if (!same || balance.version !== at.version || balanceAfter.version !== at.version + 1) {
      throw new Error(`${alias} does not go on in ${one.transactionId} where it was`);
    }
    at = balanceAfter;
  }
}

const PAGES_MAX = 100_000;
