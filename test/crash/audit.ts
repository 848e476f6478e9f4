import { hash } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Balance, Book, List, Transaction } from '#test/e2e/books.ts';
import type { Client } from '#test/support/client.ts';
import { unitsOf } from './decimals.ts';
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
    await this.#checkBalances();
  }

  /** Everything from the beginning, every balance followed operation by operation. */
  async whole(dataDir: string): Promise<void> {
    const seen = new Set<string>();
    const standing = new Map<string, { available: bigint; version: number }>();
    for await (const items of this.#pages<Transaction>('transactions', 'asc')) {
      for (const item of items) {
        this.#checkTransaction(item, seen);
        for (const operation of item.operations) {
          const { accountAlias: alias, balance, balanceAfter } = operation;
          const at = standing.get(alias) ?? { available: 0n, version: 0 };
          const chained =
            balance.version === at.version &&
            unitsOf(balance.available) === at.available &&
            balanceAfter.version === at.version + 1;
          if (!chained) throw new Error(`${alias} does not go on in ${item.id} where it was`);
          const available = unitsOf(balanceAfter.available);
          standing.set(alias, { available, version: balanceAfter.version });
        }
      }
    }
    if (seen.size !== this.#record.transactions.size) {
      throw new Error(`${seen.size} of ${this.#record.transactions.size} transactions are there`);
    }
    const versions = await this.#checkBalances();
    for (const [alias, version] of versions) {
      if ((standing.get(alias)?.version ?? 0) !== version) {
        throw new Error(`${alias} is at version ${version}, its operations are not`);
      }
    }
    await this.#checkRecords('accounts', this.#record.accounts);
    await this.#checkRecords('ledgers', this.#record.ledgers);
    checkChains(dataDir);
  }

  /** Some of the oldest and of the newest requests sent again: the same bytes, as a repeat. */
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
        if (units !== expected || onHold !== '0') {
          throw new Error(`${alias} has ${available}, by the record ${String(expected)} units`);
        }
        if (versions.has(alias)) throw new Error(`${alias} has two balances`);
        versions.set(alias, version);
        sum += direction === 'debit' ? -units : units;
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

/** Every event of the log follows the one before it in its journal, without gaps, by its hash. */
function checkChains(dataDir: string): void {
  const db = new DatabaseSync(join(dataDir, 'log.db'), { readOnly: true, timeout: 5000 });
  const last = new Map<number, { revision: number; hash: string }>();
  try {
    const rows = db
      .prepare('SELECT stream, revision, type, data, metadata FROM events ORDER BY position')
      .iterate();
    for (const row of rows as Iterable<Row>) {
      const { stream, revision, type, data, metadata } = row;
      const before = last.get(stream) ?? { revision: -1, hash: '0'.repeat(64) };
      const { hash: claimed, ...open } = JSON.parse(metadata) as { hash: string; prevHash: string };
      const computed = hash('sha256', before.hash + type + data + JSON.stringify(open));
      if (
        revision !== before.revision + 1 ||
        open.prevHash !== before.hash ||
        computed !== claimed
      ) {
        throw new Error(`Event ${revision} of stream ${stream} does not follow the one before it`);
      }
      last.set(stream, { revision, hash: claimed });
    }
  } finally {
    db.close();
  }
}

type Row = Readonly<{
  stream: number;
  revision: number;
  type: string;
  data: string;
  metadata: string;
}>;

const PAGES_MAX = 100_000;
