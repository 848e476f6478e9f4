import type { Book, Ledger, List } from '#test/e2e/books.ts';
import type { Answer, Client } from '#test/support/client.ts';
import type { Intents } from './intents.ts';
import type { Intent, Record } from './record.ts';

/** Clients that write down what they want, send it, and write down what they are told. */
export class Clients {
  readonly #client: Client;
  readonly #book: Book;
  readonly #record: Record;
  readonly #intents: Intents;
  /** Repeats that found their request done. */
  foundDone = 0;
  repeated = 0;

  constructor(client: Client, book: Book, record: Record, intents: Intents) {
    this.#client = client;
    this.#book = book;
    this.#record = record;
    this.#intents = intents;
  }

  /** So many clients at once, each with one request after another, until it is over. */
  async press(clients: number, over: () => boolean): Promise<void> {
    const one = async () => {
      while (!over()) await this.#try(this.#intents.next(), 'first');
    };
    await Promise.all(Array.from({ length: clients }, one));
  }

  /** Sends one thing that must succeed. */
  async must(intent: Intent): Promise<void> {
    if (!(await this.#try(intent, 'first'))) throw new Error(`No outcome: ${intent.body}`);
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
        if (performance.now() - from > SETTLED_MS) throw new Error(`No outcome: ${intent.body}`);
        waiting.push(intent);
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
    };
    await Promise.all(Array.from({ length: 16 }, one));
  }

  /** Whether there is an outcome. */
  async #try(intent: Intent, time: 'first' | 'repeat'): Promise<boolean> {
    this.#record.begin(intent);
    let answer: Answer;
    try {
      answer = await this.#send(intent);
    } catch {
      return false; // No answer.
    }
    if (answer.status >= 500 || answer.status === 429) return false;
    if (answer.status === 201) return this.#done(intent, answer, time);
    return this.#refused(intent, answer, time);
  }

  #send(intent: Intent): Promise<Answer> {
    const { at, org } = this.#book;
    if (intent.is === 'ledger') {
      return this.#client.post(`/v1/organizations/${org}/ledgers`, intent.body);
    }
    if (intent.is === 'account') return this.#client.post(`${at}/accounts`, intent.body);
    const headers = { 'X-Idempotency': intent.key };
    return this.#client.post(`${at}/transactions/json`, intent.body, headers);
  }

  #done(intent: Intent, answer: Answer, time: 'first' | 'repeat'): boolean {
    if (intent.is === 'transfer') {
      const replayed = answer.headers['x-idempotency-replayed'];
      if (replayed === 'true') this.foundDone += 1;
      if (time === 'first' && replayed !== 'false') {
        throw new Error(`${intent.key} was sent once and answered as a repeat`);
      }
      this.#record.transferred(intent, answer.text);
    } else if (intent.is === 'account') this.#record.opened(intent, answer.text);
    else this.#record.founded(intent, answer.text);
    return true;
  }

  async #refused(intent: Intent, answer: Answer, time: 'first' | 'repeat'): Promise<boolean> {
    const { code } = answer.json() as { code: string };
    if (intent.is === 'transfer' && code === 'LDG-0018') {
      this.#record.refuse(intent);
      return true;
    }
    if (time === 'repeat' && intent.is === 'account' && code === 'LDG-0020') {
      const path = `${this.#book.at}/accounts/alias/${encodeURIComponent(intent.alias)}`;
      return this.#learn(path, (found) => this.#record.opened(intent, found.text));
    }
    if (time === 'repeat' && intent.is === 'ledger' && code === 'LDG-0002') {
      const path = `/v1/organizations/${this.#book.org}/ledgers?limit=100`;
      return this.#learn(`${path}&name=${encodeURIComponent(intent.name)}`, (found) => {
        const { items } = found.json() as List<Ledger>;
        const [ledger, ...more] = items.filter(({ name }) => name === intent.name);
        if (more.length > 0) throw new Error(`Two ledgers are named ${intent.name}`);
        if (ledger !== undefined) this.#record.founded(intent, JSON.stringify(ledger));
        return ledger !== undefined;
      });
    }
    throw new Error(`Refused: ${intent.body}\n${answer.text}`);
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

const SETTLED_MS = 20_000;
const PAUSE_MS = 10;
