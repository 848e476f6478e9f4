import { randomUUID } from 'node:crypto';
import type { Book, Ledger, List, Transaction } from '#test/e2e/books.ts';
import type { Answer, Client } from '#test/support/client.ts';
import { itemOf, type Intent, type Items, type Transfer } from './intent.ts';
import type { Intents } from './intents.ts';
import type { Record } from './record.ts';
import { stream } from './stream.ts';

/** Clients that write down what they want, send it, and write down what they are told. */
export class Clients {
  readonly #client: Client;
  readonly #port: () => number;
  readonly #book: Book;
  readonly #record: Record;
  readonly #intents: Intents;
  /** Repeats that found their request done. */
  foundDone = 0;
  repeated = 0;
  /** Requests without a key and without an answer. */
  looked = 0;
  /** Streams that a kill cut short, and the lines that had been answered by then. */
  readonly cut = { streams: 0, lines: 0 };

  constructor(client: Client, port: () => number, book: Book, record: Record, intents: Intents) {
    this.#client = client;
    this.#port = port;
    this.#book = book;
    this.#record = record;
    this.#intents = intents;
  }

  /** So many clients at once, each with one request after another, until it is over; one more streams lines. */
  async press(clients: number, over: () => boolean, lines = 0): Promise<void> {
    const one = async () => {
      while (!over()) await this.#try(this.#intents.next(), 'first');
    };
    const streams = async () => {
      while (lines > 0 && !over()) {
        const whole = await this.#try(this.#intents.lines(lines), 'first');
        if (!whole) await pause(100); // Cut short, or told to come again.
      }
    };
    await Promise.all([streams(), ...Array.from({ length: clients }, one)]);
  }

  /** Sends one thing that must succeed, if not at once. */
  async must(intent: Intent): Promise<void> {
    if (!(await this.#try(intent, 'first'))) await this.settle(() => false);
  }

  /** Repeats everything without an outcome until it has one, or until nobody answers any more. */
  async settle(over: () => boolean): Promise<void> {
    const waiting = [...this.#record.open.values()];
    const from = performance.now();
    const one = async () => {
      for (let intent = waiting.pop(); intent !== undefined; intent = waiting.pop()) {
        if (over()) return;
        this.repeated += 1;
        if (await this.#try(intent, 'repeat')) continue;
        if (performance.now() - from > SETTLED_MS) {
          throw new Error(`No outcome: ${textOf(intent)}`);
        }
        waiting.push(intent);
        await pause(10);
      }
    };
    await Promise.all(Array.from({ length: 16 }, one));
  }

  /** Whether there is an outcome. */
  async #try(intent: Intent, time: Time): Promise<boolean> {
    this.#record.begin(intent);
    if (intent.is === 'lines') return this.#stream(intent);
    if (intent.is === 'transfer' && intent.keyless && time === 'repeat') return this.#look(intent);
    let answer: Answer;
    try {
      answer = await this.#send(intent);
    } catch {
      return false; // No answer.
    }
    if (answer.status >= 500 || answer.status === 429) return false;
    if (answer.status >= 400) return this.#refused(intent, answer, time);
    return this.#done(intent, answer, time);
  }

  #send(intent: Exclude<Intent, Readonly<{ is: 'lines' }>> | Items): Promise<Answer> {
    const { at, org } = this.#book;
    const post: Client['post'] = (...sent) => this.#client.post(...sent);
    switch (intent.is) {
      case 'ledger':
        return post(`/v1/organizations/${org}/ledgers`, intent.body);
      case 'account':
        return post(`${at}/accounts`, intent.body);
      case 'transfer':
        return post(
          `${at}/transactions/json`,
          intent.body,
          intent.keyless ? {} : { 'X-Idempotency': intent.key },
        );
      case 'settle':
        return post(`${at}/transactions/${intent.id}/${intent.how}`);
      case 'revert':
        return post(`${at}/transactions/${intent.id}/revert`);
      case 'atomic': {
        const transactions = intent.items.map((item) => itemOf(item, false));
        const headers = { 'X-Idempotency': intent.key };
        return post(`${at}/transactions/batch`, { atomic: true, transactions }, headers);
      }
      default: {
        const transactions = intent.items.map((item) => itemOf(item, true));
        return post(`${at}/transactions/batch`, { transactions });
      }
    }
  }

  #done(intent: Intent, answer: Answer, time: Time): boolean {
    const replayed = answer.headers['x-idempotency-replayed'];
    if ((intent.is === 'transfer' && !intent.keyless) || intent.is === 'atomic') {
      if (replayed === 'true') this.foundDone += 1;
      if (time === 'first' && replayed !== 'false') {
        throw new Error(`${intent.key} was sent once and answered as a repeat`);
      }
    }
    switch (intent.is) {
      case 'transfer':
        this.#record.transferred(intent, answer.text);
        return true;
      case 'account':
        this.#record.opened(intent, answer.text);
        return true;
      case 'ledger':
        this.#record.founded(intent, answer.text);
        return true;
      case 'settle':
        this.#record.settled(intent, answer.json() as Transaction);
        return true;
      case 'revert':
        this.#record.undone(intent, answer.json() as Transaction);
        return true;
      case 'atomic': {
        const { results } = answer.json() as { results: Result[] };
        const each = results.map(({ transaction }) => JSON.stringify(transaction));
        this.#record.batched(intent, answer.text, each);
        return true;
      }
      default:
        return this.#items(intent, (answer.json() as { results: Result[] }).results);
    }
  }

  /** What was answered counts, even if the rest never came. */
  async #stream(intent: Items): Promise<boolean> {
    const lines = intent.items.map((item) => JSON.stringify(itemOf(item, true)));
    const path = `${this.#book.at}/transactions/batch`;
    const { answered, status } = await stream(this.#port(), path, lines, STREAM_MS);
    if (status !== undefined && status !== 200) return false;
    const results = answered.map((line) => JSON.parse(line) as Result);
    results.forEach(({ index }, n) => {
      if (index !== n) throw new Error(`Line ${n} of ${intent.name} was answered as ${index}`);
    });
    if (answered.length < lines.length) {
      this.cut.streams += 1;
      this.cut.lines += answered.length;
    }
    return this.#items(intent, results);
  }

  /** Whether every item has an outcome. One that was refused is not sent again: it might be had by then. */
  #items(intent: Items, results: readonly Result[]): boolean {
    const sent = [...intent.items];
    const refused = new Set<Transfer>();
    let undecided = sent.length - results.length;
    for (const { index, status, transaction, error } of results) {
      const item = sent[index];
      if (item === undefined) throw new Error(`${intent.name} has no item ${index}`);
      if (status === 201) this.#record.item(intent, item, JSON.stringify(transaction));
      else if (status === 422 && error?.code === 'LDG-0018') refused.add(item);
      else if (status >= 500 || status === 429) undecided += 1;
      else throw new Error(`${item.key} got ${status} ${JSON.stringify(error)}`);
      if (refused.has(item) && intent.told.has(item.key)) {
        throw new Error(`${item.key} was done, and then refused`);
      }
    }
    this.#record.refused += refused.size;
    intent.items.splice(0, sent.length, ...sent.filter((item) => !refused.has(item)));
    if (undecided === 0) this.#record.open.delete(intent.name);
    return undecided === 0;
  }

  async #refused(intent: Intent, answer: Answer, time: Time): Promise<boolean> {
    const { code } = answer.json() as { code: string };
    const { at, org } = this.#book;
    if (code === 'LDG-0018' && FUNDED.has(intent.is)) {
      this.#record.refuse(intent);
      return true;
    }
    if (time === 'repeat' && intent.is === 'settle' && code === 'LDG-0099') {
      return this.#learn(`${at}/transactions/${intent.id}`, (found) => {
        this.#record.settled(intent, found.json() as Transaction);
      });
    }
    if (time === 'repeat' && intent.is === 'revert' && code === 'LDG-0087') {
      return this.#learnReversal(intent);
    }
    if (time === 'repeat' && intent.is === 'account' && code === 'LDG-0020') {
      const path = `${at}/accounts/alias/${encodeURIComponent(intent.alias)}`;
      return this.#learn(path, (found) => this.#record.opened(intent, found.text));
    }
    if (time === 'repeat' && intent.is === 'ledger' && code === 'LDG-0002') {
      const path = `/v1/organizations/${org}/ledgers?limit=100`;
      return this.#learn(`${path}&name=${encodeURIComponent(intent.name)}`, (found) => {
        const { items } = found.json() as List<Ledger>;
        const [ledger, ...more] = items.filter(({ name }) => name === intent.name);
        if (more.length > 0) throw new Error(`Two ledgers are named ${intent.name}`);
        if (ledger !== undefined) this.#record.founded(intent, JSON.stringify(ledger));
        return ledger !== undefined;
      });
    }
    throw new Error(`Refused: ${textOf(intent)}\n${answer.text}`);
  }

  /** It stands among the newest: nobody was told of it. */
  async #learnReversal(intent: Extract<Intent, { is: 'revert' }>): Promise<boolean> {
    const list = `${this.#book.at}/transactions?limit=100&sort_order=desc`;
    for (let path: string | undefined = list; path !== undefined;) {
      const answer = await this.#client.get(path).catch(() => undefined);
      if (answer?.status !== 200) return false;
      const { items, next_cursor: next } = answer.json() as List<Transaction>;
      const made = items.find(({ parentTransactionId: id }) => id === intent.id);
      if (made !== undefined) {
        this.#record.undone(intent, made);
        this.foundDone += 1;
        return true;
      }
      path = next === undefined ? undefined : `${list}&cursor=${encodeURIComponent(next)}`;
    }
    throw new Error(`No reversal of ${intent.id} is listed`);
  }

  /**
   * It was done once or not at all; the process that could still do it is gone. A refusal by the ledger comes first: a
   * server that has just started knows from then on what reads have to wait for.
   */
  async #look(intent: Transfer): Promise<boolean> {
    const { at } = this.#book;
    const refused = await this.#client
      .post(`${at}/transactions/${randomUUID()}/commit`)
      .catch(() => undefined);
    if (refused?.status !== 404) return false;
    const list = `${at}/transactions?sort_order=desc&metadata.keyless=${intent.key}`;
    const items: Transaction[] = [];
    let path: string | undefined = list;
    while (path !== undefined) {
      const answer = await this.#client.get(path).catch(() => undefined);
      if (answer?.status !== 200) return false;
      const page = answer.json() as List<Transaction>;
      items.push(...page.items); // A page may end early, and be empty: only the last one has no cursor.
      path = page.next_cursor && `${list}&cursor=${encodeURIComponent(page.next_cursor)}`;
    }
    this.looked += 1;
    if (items.length > 1) throw new Error(`${intent.key} was sent once and is there twice`);
    if (items[0] === undefined) this.#record.forgo(intent);
    else this.#record.transferred(intent, JSON.stringify(items[0]));
    return true;
  }

  /** It was done, and the answer was lost: what it made is asked for. */
  async #learn(path: string, made: (found: Answer) => unknown): Promise<boolean> {
    try {
      const found = await this.#client.get(path);
      if (found.status !== 200 || made(found) === false) return false;
      this.foundDone += 1;
      return true;
    } catch (error) {
      if (error instanceof Error && 'code' in error) return false; // No answer.
      throw error;
    }
  }
}

type Time = 'first' | 'repeat';
type Result = Readonly<{
  index: number;
  status: number;
  transaction?: Transaction;
  error?: Readonly<{ code: string }>;
}>;

const textOf = (intent: Intent): string =>
  'body' in intent ? intent.body : JSON.stringify({ ...intent, told: undefined });

const FUNDED = new Set<Intent['is']>(['transfer', 'revert', 'atomic']);
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const SETTLED_MS = 90_000;
const STREAM_MS = 30_000;
