import { timingSafeEqual } from 'node:crypto';
import { Buffer } from 'node:buffer';
import { Refusal } from '#src/kernel/errors.ts';

/** The requests that one client address may send per minute, by the limit that an operation names. */
export type RateLimitSettings = Readonly<{
  limits: Readonly<Record<string, number>>;
  /** Callers that send it in X-Service-Token are not limited. */
  serviceToken?: string | undefined;
}>;

export type LimitedClient = Readonly<{
  /** The address of the connection. */
  address: string;
  serviceToken: string | undefined;
}>;

/**
 * Counts requests by client address in windows of a minute. Only the most recent addresses are remembered; all addresses
 * of an IPv6 network of 64 bits count as one, because one client has them all.
 */
export class RateLimits {
  readonly #settings: RateLimitSettings;
  readonly #elapsedMs: () => number;
  readonly #windows = new Map<string, RateWindow>();

  constructor(settings: RateLimitSettings, elapsedMs = () => performance.now()) {
    this.#settings = settings;
    this.#elapsedMs = elapsedMs;
  }

  /** Counts a request. Returns the headers that tell the client what is left. Errors: TOO_MANY_REQUESTS. */
  count(name: string, { address, serviceToken }: LimitedClient): Readonly<Record<string, string>> {
    const { limits, serviceToken: exempt } = this.#settings;
    const limit = limits[name];
    if (limit === undefined) return {};
    if (exempt !== undefined && serviceToken !== undefined && isEqual(serviceToken, exempt)) {
      return {};
    }
    const key = `${name} ${networkOf(address)}`;
    const nowMs = this.#elapsedMs();
    let window = this.#windows.get(key);
    if (window === undefined || nowMs >= window.endsMs) {
      this.#windows.delete(key);
      if (this.#windows.size >= WINDOWS_MAX) {
        const [oldest] = this.#windows.keys();
        this.#windows.delete(oldest!);
      }
      window = { endsMs: nowMs + WINDOW_MS, count: 0 };
      this.#windows.set(key, window);
    }
    window.count += 1;
    const seconds = Math.ceil((window.endsMs - nowMs) / 1000);
    if (window.count > limit) {
      throw new RateLimited(limit, seconds);
    }
    return { RateLimit: `"${name}";r=${limit - window.count};t=${seconds}` };
  }
}

/** Tells requests of a sender who sends too many from those that come while the server has too many. */
export class RateLimited extends Refusal {
  constructor(limit: number, retryAfterSeconds: number) {
    const detail = `An address may send ${limit} of these requests per minute; try again in ${retryAfterSeconds} s.`;
    super('TOO_MANY_REQUESTS', { detail, retryAfterSeconds });
  }
}

type RateWindow = { readonly endsMs: number; count: number };

function networkOf(address: string): string {
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1];
  if (mapped !== undefined || !address.includes(':')) return mapped ?? address;
  const [head = '', tail] = (address.split('%', 1)[0] ?? '').toLowerCase().split('::');
  const groups = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : GROUPS - groups.length - after.length;
  return [...groups, ...Array<string>(Math.max(zeros, 0)).fill('0'), ...after]
    .slice(0, 4)
    .join(':');
}

function isEqual(sent: string, expected: string): boolean {
  const [a, b] = [Buffer.from(sent), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

const GROUPS = 8;
const WINDOW_MS = 60_000;
const WINDOWS_MAX = 20_000;
