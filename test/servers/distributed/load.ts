import { randomUUID } from 'node:crypto';
import { exactly, sending, type Transaction } from '#test/e2e/books.ts';
import { clientOf, type Answer } from '#test/support/client.ts';
import { pause } from './engines.ts';
import type { Ledger } from './ledger.ts';

/** Clients with purses. Each takes money from the bank and passes it on, so that no refusal is ever due. */
export type Load = Readonly<{
  /** Acknowledged transactions: what each was to move. */
  acknowledged: ReadonlyMap<string, Move>;
  /** How many transactions each process made for its loyal clients. */
  byPort: ReadonlyMap<number, number>;
  /**
   * The bodies of answers other than a 201, by status; 0: no answer. A 429 is none of them: it only says that reads have
   * fallen behind, as they do on a machine that stands still.
   */
  setbacks: ReadonlyMap<number, readonly string[]>;
  /**
   * Goes on while a story does, then until everything that was begun is acknowledged. Errors: a transfer that had to
   * succeed was refused, or an answer says something else than was asked.
   */
  during(story: () => Promise<unknown>): Promise<void>;
}>;

export type Move = Readonly<{ key: string; from: string; to: string; value: string }>;

type LoadOptions = Readonly<{
  ledger: Ledger;
  /** API processes, one of which may be away. */
  ports: readonly number[];
  /** How many clients for each of the processes; they go from one to the next. */
  clients: number;
  /** How many more ask that process and no other, so that its share of the ledger shows. */
  loyal?: number;
  /** How long a client thinks between two moves. */
  thinkMs?: number;
}>;

/**
 * A client sends the credit of its purse to one process and the debit to the next, which must have seen the credit:
 * a refusal for want of funds is a stale one. One move in ten goes to two processes at once under one key.
 */
export function createLoad({ ledger, ports, clients, loyal = 0, thinkMs = 20 }: LoadOptions): Load {
  const acknowledged = new Map<string, Move>();
  const byPort = new Map(ports.map((port) => [port, 0]));
  const setbacks = new Map<number, string[]>();
  const ways = ports.map((port) => ({
    port,
    client: clientOf(() => ({ port }), { connections: 256, timeoutMs: 10_000, impatient: true }),
  }));

  /** `hop`: how far on the next attempt goes when this one fails. */
  const send = async (move: Move, first: number, hop: number): Promise<string> => {
    const untilMs = performance.now() + PATIENCE_MS;
    const body = sending(
      move.value,
      [exactly(move.from, move.value)],
      [exactly(move.to, move.value)],
    );
    for (let attempt = first; performance.now() < untilMs; attempt += hop) {
      const way = ways[attempt % ways.length]!;
      const answer = await way.client
        .post(`${ledger.at}/transactions/json`, body, { 'X-Idempotency': move.key })
        .catch(() => undefined);
      if (answer?.status === 201) {
        const isNew = answer.headers['x-idempotency-replayed'] === 'false';
        if (isNew && hop === 0) byPort.set(way.port, (byPort.get(way.port) ?? 0) + 1);
        return taken(move, answer);
      }
      const status = answer?.status ?? 0;
      if (status !== 429)
        setbacks.set(status, [...(setbacks.get(status) ?? []), answer?.text ?? '']);
      if (answer !== undefined && status !== 503 && status !== 429) {
        throw new Error(`${JSON.stringify(move)} was refused: ${answer.status} ${answer.text}`);
      }
      if (answer !== undefined && answer.headers['retry-after'] === undefined) {
        throw new Error(`A ${answer.status} does not say when to come again: ${answer.text}`);
      }
      await pause(status === 429 ? OVERLOADED_MS : RETRY_MS);
    }
    throw new Error(`${JSON.stringify(move)} was never acknowledged`);
  };

  const taken = (move: Move, answer: Answer): string => {
    const { id, operations } = answer.json() as Transaction;
    const known = acknowledged.get(id);
    if (known !== undefined && known !== move) throw new Error(`${id} was given out twice`);
    const legs = operations.map((one) => `${one.type} ${one.accountAlias} ${one.amount.value}`);
    const { from, to, value } = move;
    if (legs.sort().join() !== `CREDIT ${to} ${value},DEBIT ${from} ${value}`) {
      throw new Error(`${JSON.stringify(move)} was answered with ${answer.text}`);
    }
    acknowledged.set(id, move);
    return id;
  };

  const client = async (number: number, hop: number, over: () => boolean): Promise<void> => {
    const purse = ledger.purses[number % ledger.purses.length]!;
    const next = ledger.purses[(number + 1) % ledger.purses.length]!;
    let way = number;
    for (let n = 1; !over(); n += 1) {
      const value = `${(n % 9) + 1}.${number % 10}7`;
      const steps = [
        [BANK, purse],
        [purse, n % 3 === 0 ? next : BANK],
        ...(n % 3 === 0 ? [[next, BANK] as const] : []),
      ] as const;
      for (const [from, to] of steps) {
        const move = { key: randomUUID(), from, to, value };
        way += hop;
        const twice = n % 10 === 0 && hop > 0 ? [way, way + 1] : [way];
        const ids = await Promise.all(twice.map((first) => send(move, first, hop)));
        if (thinkMs > 0) await pause(thinkMs);
        if (new Set(ids).size !== 1) throw new Error(`One key, two transactions: ${ids.join()}`);
      }
    }
  };

  return {
    acknowledged,
    byPort,
    setbacks,
    async during(story) {
      let over = false;
      const hops = [...Array<number>(clients).fill(1), ...Array<number>(loyal).fill(0)];
      const all = hops.flatMap((hop) => ports.map(() => hop));
      const ends = await Promise.allSettled([
        story().finally(() => (over = true)),
        ...all.map((hop, number) => client(number, hop, () => over)),
      ]);
      for (const way of ways) way.client.close();
      const errors = ends.flatMap((end) =>
        end.status === 'rejected' ? [end.reason as Error] : [],
      );
      if (errors.length > 0) throw new AggregateError(errors, errors.map(String).join('\n'));
    },
  };
}

export const BANK = '@bank';
const RETRY_MS = 50;
const OVERLOADED_MS = 1000;
/** Longer than a server is away, the time of its start included. */
const PATIENCE_MS = 150_000;
