/**
 * The hosts that this server accepts requests for. `names` are served in addition to the names of this machine's
 * loopback interface; `any` is for a server that other machines reach, under names it cannot know.
 */
export type AllowedHosts = 'any' | readonly string[];

/** The verdict on a Host header, or on the authority of an absolute-form request target. */
export type HostVerdict = 'served' | 'other' | 'malformed';

/**
 * Checks the host that a request names. DNS rebinding makes a browser send requests of a foreign page to this machine,
 * but the browser still names the foreign host. The last host that was served is remembered, because most requests
 * repeat it and should cost only a comparison.
 */
export class HostCheck {
  readonly #allowed: AllowedHosts;
  #lastServed: string | undefined;

  constructor(allowed: AllowedHosts) {
    this.#allowed = allowed;
  }

  judge(host: string): HostVerdict {
    if (host === this.#lastServed) return 'served';
    const name = AUTHORITY.exec(host)?.[1]?.toLowerCase().replace(/\.$/, '');
    if (name === undefined || name === '') return 'malformed';
    if (this.#allowed !== 'any' && !isLoopbackName(name) && !this.#allowed.includes(name)) {
      return 'other';
    }
    this.#lastServed = host;
    return 'served';
  }
}

/** Returns whether a lower-case host name or address, without a port, is this machine's own. */
export const isLoopbackName = (name: string): boolean =>
  name === 'localhost' ||
  name.endsWith('.localhost') ||
  name === '[::1]' ||
  /^127(\.\d{1,3}){3}$/.test(name);

/** Matches a host with an optional port; no user information, which would let a foreign authority look like ours. */
const AUTHORITY = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{0,5})?$/i;
