import { clientOf, type Answer, type Client } from '#test/support/client.ts';
import type { Run } from '#test/support/hosted-server.ts';

/** What a damaged folder must not lead to. */
export type Flaw =
  /** Something was executed again. */
  | 'doubled'
  /** An answer that is not what the undamaged folder answers. */
  | 'wrong'
  /** 503 or 429 for longer than a rebuild may take. */
  | 'stuck'
  /** 503 that does not say when to come again. */
  | 'no Retry-After'
  /** The start was refused although the log is sound, or not with the exit code and the reason. */
  | 'refused'
  /** The process ended, or did not begin or end in time. */
  | 'died'
  /** The log lost or changed what it had, or `verify` says so. */
  | 'log'
  /** `verify` calls sound what is not. */
  | 'unnoticed'
  /** Derived files were thrown away and nobody was told. */
  | 'silent';

/** `lenient`: the log itself is damaged, and whatever is refused is no answer that could be wrong. */
export type Strictness = 'strict' | 'lenient';

export type Found = Readonly<{ flaw: Flaw; what: string }>;

/** Stops asking: whatever comes after the first answer that never comes is of no interest. */
export class Stuck extends Error {}

/** Asks one server, coming again while it says 503 and when, and notes what must not be. */
export class Asking {
  readonly found: Found[] = [];
  readonly client: Client;
  readonly #how: Strictness;
  readonly #untilMs: number;

  constructor(run: Run, how: Strictness) {
    this.client = clientOf(() => ({ port: run.port ?? 0 }), PLAIN);
    this.#how = how;
    this.#untilMs = performance.now() + PATIENCE_MS[how];
  }

  note(flaw: Flaw, what: string): void {
    this.found.push({ flaw, what: what.slice(0, SHOWN) });
  }

  get(path: string): Promise<Answer> {
    return this.#patiently(`GET ${path}`, () => this.client.get(path));
  }

  post(path: string, body?: unknown, key?: string): Promise<Answer> {
    const headers = key === undefined ? {} : { 'X-Idempotency': key };
    return this.#patiently(`POST ${path}`, () => this.client.post(path, body, headers));
  }

  /** Asks until the answer is not 503, nor 429 as while reads are behind. Errors: Stuck. */
  async #patiently(what: string, ask: () => Promise<Answer>): Promise<Answer> {
    for (;;) {
      const answer = await ask().catch((error: unknown) => {
        this.note('died', `${what}: ${String(error)}`);
        throw new Stuck(what);
      });
      if (answer.status !== 503 && answer.status !== 429) return answer;
      if (answer.headers['retry-after'] === undefined) {
        this.note('no Retry-After', `${what}: ${answer.text}`);
      }
      if (performance.now() > this.#untilMs) {
        if (this.#how === 'strict') this.note('stuck', `${what}: ${answer.text}`);
        throw new Stuck(what);
      }
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }
}

/** So many at a time, in order of the list. */
export async function inLanes<Item>(
  items: readonly Item[],
  lanes: number,
  work: (item: Item, lane: number) => Promise<void>,
): Promise<void> {
  const left = items.values();
  const one = async (_: unknown, lane: number): Promise<void> => {
    for (const item of left) await work(item, lane);
  };
  const ends = await Promise.allSettled(Array.from({ length: lanes }, one)); // Nothing goes on behind a failure.
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

/** A rebuild of so small a ledger takes less than a second; a machine may stand still for some. */
const PATIENCE_MS: Readonly<Record<Strictness, number>> = { strict: 30_000, lenient: 1000 };
const PLAIN = { undescribed: true, impatient: true, connections: 8, timeoutMs: 20_000 };
const AGAIN_MS = 50;
const SHOWN = 400;
