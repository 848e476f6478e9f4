import { createRemoteJWKSet, errors, jwtVerify, type JWTHeaderParameters } from 'jose';
import type { Clock } from '#src/ports/clock.ts';
import { KeysUnavailable, type TokenVerifier } from '#src/ports/token-verifier.ts';
import { dateOf, invalid, LEEWAY_S, verified } from './verification.ts';

export type OidcOptions = Readonly<{
  issuer: string;
  /** The address of the keys; by default, the issuer's discovery document names it. */
  jwksUrl?: string | undefined;
  /** Required of every token, if set. */
  audience?: string | undefined;
  clock: Clock;
}>;

/**
 * Verifies tokens of an OpenID Connect provider. Its keys are fetched at first use, again every ten minutes, and when a
 * token names one that is not known, at most every 30 seconds; while it cannot be reached, keys of the last 24 hours
 * count.
 */
export function oidcTokenVerifier({
  issuer,
  jwksUrl,
  audience,
  clock,
}: OidcOptions): TokenVerifier {
  const keys = new ProviderKeys(async () => jwksUrl ?? (await discoveredKeys(issuer)), clock);
  return {
    async verify(token) {
      try {
        const { payload } = await jwtVerify(token, (header) => keys.find(header), {
          issuer,
          ...(audience !== undefined && { audience }),
          algorithms: ALGORITHMS,
          clockTolerance: LEEWAY_S,
          requiredClaims: ['exp'],
          currentDate: dateOf(clock.now()),
        });
        return verified(payload);
      } catch (error) {
        throw invalid(error);
      }
    },
  };
}

type KeySet = ReturnType<typeof createRemoteJWKSet>;

class ProviderKeys {
  readonly #address: () => Promise<string>;
  readonly #clock: Clock;
  #set: KeySet | undefined;
  #opening: Promise<KeySet> | undefined;
  #fetchedAt = 0;
  #failedAt = -Infinity;

  constructor(address: () => Promise<string>, clock: Clock) {
    this.#address = address;
    this.#clock = clock;
  }

  /** Errors: KeysUnavailable; JOSEError for a key that the provider does not have. */
  async find(header: JWTHeaderParameters) {
    const set = await this.#opened();
    this.#renew(set);
    try {
      return await set(header);
    } catch (error) {
      if (error instanceof errors.JOSENotSupported) throw error;
      throw new errors.JWKSNoMatchingKey(); // The provider may be away just now, but its keys are known.
    }
  }

  async #opened(): Promise<KeySet> {
    if (this.#set?.fresh === true) return this.#set;
    if (this.#clock.now() - this.#failedAt < RETRY_AFTER_MICROS) {
      throw new KeysUnavailable('The keys of the issuer could not be fetched a moment ago');
    }
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async #open(): Promise<KeySet> {
    try {
      const set = createRemoteJWKSet(new URL(await this.#address()), {
        timeoutDuration: ANSWER_MS,
        cooldownDuration: 30_000,
        cacheMaxAge: 24 * 3600 * 1000,
      });
      await set.reload();
      this.#fetchedAt = this.#clock.now();
      this.#set = set;
      return set;
    } catch (cause) {
      this.#failedAt = this.#clock.now();
      throw new KeysUnavailable('The keys of the issuer cannot be fetched', { cause });
    }
  }

  /** Fetches keys that are ten minutes old again, without letting the caller wait. */
  #renew(set: KeySet): void {
    const now = this.#clock.now();
    if (now - this.#fetchedAt < MAX_AGE_MICROS) return;
    this.#fetchedAt = now;
    set.reload().catch(() => undefined); // Those that are known serve on.
  }
}

/** Errors: any, if the provider does not answer as such. */
async function discoveredKeys(issuer: string): Promise<string> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(ANSWER_MS) });
  const found = (await response.json()) as Readonly<Record<string, unknown>>;
  if (found['issuer'] !== issuer) throw new Error(`${url} is not of the issuer ${issuer}`);
  return String(found['jwks_uri']);
}

/** Symmetric algorithms are left out: the key of one would be the public key of another. */
const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA'];
const ANSWER_MS = 2000;
const MAX_AGE_MICROS = 600_000_000;
const RETRY_AFTER_MICROS = 1_000_000;
