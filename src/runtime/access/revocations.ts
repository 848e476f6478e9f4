import type { Micros } from '#src/kernel/instant.ts';
import type { Clock } from '#src/ports/clock.ts';
import { Unavailable } from '#src/ports/errors.ts';
import type { SecretStore } from '#src/ports/secret-store.ts';

export type RevocationOptions = Readonly<{
  secrets: () => Promise<SecretStore>;
  clock: Clock;
  /** The longest life of an access token, in seconds; a session is remembered as ended for as long. */
  tokenSeconds: number;
}>;

/**
 * The sessions that were ended while their access tokens are still valid. This process knows them at once, others when
 * they call `reload`. Errors: Unavailable.
 */
export class Revocations {
  readonly #options: RevocationOptions;
  readonly #ended = new Map<string, Micros>();
  #loading: Promise<void> | undefined;

  constructor(options: RevocationOptions) {
    this.#options = options;
  }

  /** Resolves once those of earlier runs and of other processes are known. */
  loaded(): Promise<void> {
    this.#loading ??= this.reload().catch((error: unknown) => {
      this.#loading = undefined;
      throw error;
    });
    return this.#loading;
  }

  async reload(): Promise<void> {
    const store = await this.#options.secrets();
    const shards = await Promise.all(SHARDS.map((name) => store.get(name)));
    for (const shard of shards) {
      for (const [session, until] of shard ? parseShard(shard.value) : []) {
        this.#ended.set(session, until);
      }
    }
    const now = this.#options.clock.now();
    for (const [session, until] of this.#ended) if (until <= now) this.#ended.delete(session);
  }

  hasEnded(session: string): boolean {
    const until = this.#ended.get(session);
    return until !== undefined && this.#options.clock.now() < until;
  }

  /** Refuses the access tokens of a session from now on; resolves when that is on disk. */
  async end(session: string): Promise<void> {
    const { secrets, clock, tokenSeconds } = this.#options;
    const store = await secrets();
    const name = SHARDS[parseInt(session.slice(-1), SHARDS.length) || 0]!;
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      const stored = await store.get(name);
      const now = clock.now();
      const until = (now + (tokenSeconds + LEEWAY_S) * 1e6) as Micros;
      const others = (stored ? parseShard(stored.value) : []).filter(([, end]) => now < end);
      const ended = [...others.filter(([one]) => one !== session), [session, until] as const];
      const value = Buffer.from(JSON.stringify(ended));
      if ((await store.compareAndSet(name, stored?.version, value)) === undefined) continue;
      this.#ended.set(session, until);
      return;
    }
    throw new Unavailable('The ended sessions are being changed by others');
  }
}

type EndedSession = readonly [session: string, until: Micros];

const parseShard = (bytes: Uint8Array): readonly EndedSession[] =>
  JSON.parse(Buffer.from(bytes).toString()) as readonly EndedSession[];

/** A shard is written as a whole: several of them keep each one short. Session ids end with a hexadecimal digit. */
const SHARDS = Array.from({ length: 16 }, (_, n) => `access/ended-sessions/${n.toString(16)}`);
const ROUNDS_MAX = 100;
/** Verifiers accept a token for so long after it has expired, because clocks differ. */
const LEEWAY_S = 30;
