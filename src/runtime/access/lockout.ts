import { hash } from 'node:crypto';
import type { Micros } from '#src/kernel/instant.ts';
import { comparedName } from '#src/kernel/profile.ts';
import type { Clock } from '#src/ports/clock.ts';

/**
 * Locks a user of a tenant at an address for 15 minutes after five failed logins there (contract access §9). It does not know which
 * users exist, so that a lock tells nothing. Only the most recent failures are remembered.
 */
export class Lockout {
  readonly #clock: Clock;
  readonly #failures = new Map<string, LoginFailures>();
  readonly #running = new Map<string, Promise<unknown>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Tries a login unless it is locked, and returns what it results in; undefined is a failure. The tries of one user at
   * one address take turns, or many at once would all come before the first failure.
   */
  async attempt<Result>(
    { tenantId, username, address }: LoginPlace,
    login: () => Promise<Result | undefined>,
  ): Promise<Result | undefined> {
    const place = JSON.stringify([tenantId, comparedName(username), address]);
    const key = hash('sha256', place, 'base64url');
    const before = this.#running.get(key);
    const turn = (async () => {
      await before?.catch(() => undefined);
      return this.#attempt(key, login);
    })();
    this.#running.set(key, turn);
    try {
      return await turn;
    } finally {
      if (this.#running.get(key) === turn) this.#running.delete(key);
    }
  }

  async #attempt<Result>(
    key: string,
    login: () => Promise<Result | undefined>,
  ): Promise<Result | undefined> {
    const { count, until } = this.#failures.get(key) ?? NONE;
    const isCounted = this.#clock.now() < until;
    if (isCounted && count >= FAILURES_MAX) return undefined;
    const result = await login();
    this.#failures.delete(key);
    if (result !== undefined) return result;
    if (this.#failures.size >= REMEMBERED_MAX) {
      const [oldest] = this.#failures.keys();
      this.#failures.delete(oldest!);
    }
    this.#failures.set(key, {
      count: isCounted ? count + 1 : 1,
      until: (this.#clock.now() + LOCKED_MICROS) as Micros,
    });
    return undefined;
  }
}

/** A user, known or not, at an address. */
type LoginPlace = Readonly<{ tenantId: string; username: string; address: string }>;

type LoginFailures = Readonly<{ count: number; until: Micros }>;

const NONE: LoginFailures = { count: 0, until: 0 as Micros };
const FAILURES_MAX = 5;
const LOCKED_MICROS = 15 * 60 * 1e6;
const REMEMBERED_MAX = 10_000;
