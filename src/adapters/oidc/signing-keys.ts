import {
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  type CryptoKey,
  type JWK,
} from 'jose';
import type { Micros } from '#src/kernel/instant.ts';
import type { Clock } from '#src/ports/clock.ts';
import { Unavailable } from '#src/ports/errors.ts';
import type { SecretStore } from '#src/ports/secret-store.ts';
import type { PublicKey } from '#src/ports/token-signer.ts';

export type SigningKeysOptions = Readonly<{
  /** Opens the store on first use. */
  secrets: () => Promise<SecretStore>;
  clock: Clock;
}>;

export type SigningKey = Readonly<{ kid: string; privateKey: CryptoKey }>;

/**
 * The RSA keys that sign tokens, which all processes share as one secret. A key signs for 90 days. Its successor is
 * published 24 hours before it signs, so that every verifier has it by then, and it is published itself until the last
 * token that it signed has expired. Errors: Unavailable.
 */
export class SigningKeys {
  readonly #options: SigningKeysOptions;
  #known: KnownKeys | undefined;
  #loading: Promise<KnownKeys> | undefined;
  readonly #imported = new Map<string, Promise<ImportedKey>>();

  constructor(options: SigningKeysOptions) {
    this.#options = options;
  }

  /** Returns the key that signs now. */
  async current(): Promise<SigningKey> {
    const { keys } = await this.#fresh(RELOAD_MICROS);
    const now = this.#options.clock.now();
    const { kid, jwk } = keys.findLast(({ signsFrom }) => signsFrom <= now) ?? keys[0]!;
    return { kid, privateKey: (await this.#import(kid, jwk)).privateKey };
  }

  /** Returns the key that verifies what was signed with `kid`; undefined if there is none. */
  async find(kid: string): Promise<CryptoKey | undefined> {
    const isKid = (key: StoredKey): boolean => key.kid === kid;
    const found =
      (await this.#fresh(RELOAD_MICROS)).keys.find(isKid) ??
      (await this.#fresh(UNKNOWN_RELOAD_MICROS)).keys.find(isKid);
    return found && (await this.#import(kid, found.jwk)).publicKey;
  }

  async publicKeys(): Promise<readonly PublicKey[]> {
    const { keys } = await this.#fresh(RELOAD_MICROS);
    return keys.map(({ kid, jwk: { kty, n, e } }) => ({
      kid,
      kty,
      n,
      e,
      alg: 'RS256',
      use: 'sig',
    }));
  }

  /** Returns the keys as of a moment that is at most so long ago; older ones serve on while the store is away. */
  async #fresh(ageMax: number): Promise<KnownKeys> {
    const known = this.#known;
    if (known && this.#options.clock.now() - known.loadedAt < ageMax) return known;
    this.#loading ??= this.#load().finally(() => {
      this.#loading = undefined;
    });
    return known ? this.#loading.catch(() => known) : this.#loading;
  }

  /** Processes that change the keys at the same time take turns, and agree on what the first one has written. */
  async #load(): Promise<KnownKeys> {
    const { secrets, clock } = this.#options;
    const store = await secrets();
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      const stored = await store.get(SIGNING_KEYS);
      const keys = stored ? parseKeys(stored.value) : [];
      const now = clock.now();
      const next = await withSuccessor(keys.filter(isPublished(now)), now);
      const isSame = next.length === keys.length && next.at(-1)?.kid === keys.at(-1)?.kid;
      if (!isSame && !(await store.compareAndSet(SIGNING_KEYS, stored?.version, format(next)))) {
        continue;
      }
      this.#known = { keys: next, loadedAt: now };
      for (const kid of this.#imported.keys()) {
        if (!next.some((key) => key.kid === kid)) this.#imported.delete(kid);
      }
      return this.#known;
    }
    throw new Unavailable('The signing keys are being changed by others');
  }

  #import(kid: string, jwk: JWK): Promise<ImportedKey> {
    const known = this.#imported.get(kid) ?? importKey(jwk);
    this.#imported.set(kid, known);
    return known;
  }
}

type StoredKey = Readonly<{ kid: string; jwk: JWK; signsFrom: Micros }>;
type KnownKeys = Readonly<{ keys: readonly StoredKey[]; loadedAt: Micros }>;
type ImportedKey = Readonly<{ privateKey: CryptoKey; publicKey: CryptoKey }>;

/** A key is published until every token that it signed before its successor took over has expired. */
const isPublished =
  (now: Micros) =>
  (_: StoredKey, at: number, keys: readonly StoredKey[]): boolean => {
    const successor = keys[at + 1];
    return successor === undefined || now < successor.signsFrom + TOKEN_LIFE_MAX_MICROS;
  };

/** Adds the next key if the last one ends within a day. The very first one signs at once: no verifier knows another. */
async function withSuccessor(
  keys: readonly StoredKey[],
  now: Micros,
): Promise<readonly StoredKey[]> {
  const last = keys.at(-1);
  if (last && now < last.signsFrom + LIFE_MICROS - AHEAD_MICROS) return keys;
  const signsFrom = (last ? now + AHEAD_MICROS : now) as Micros;
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const jwk = await exportJWK(privateKey);
  return [...keys, { kid: await calculateJwkThumbprint(jwk), jwk, signsFrom }];
}

async function importKey({ kty, n, e, ...secret }: JWK): Promise<ImportedKey> {
  const open = { kty, n, e } as JWK;
  const [privateKey, publicKey] = await Promise.all([
    importJWK({ ...open, ...secret }, 'RS256'),
    importJWK(open, 'RS256'),
  ]);
  return { privateKey: privateKey as CryptoKey, publicKey: publicKey as CryptoKey };
}

const parseKeys = (bytes: Uint8Array): readonly StoredKey[] =>
  (JSON.parse(Buffer.from(bytes).toString()) as Readonly<{ keys: readonly StoredKey[] }>).keys;

const format = (keys: readonly StoredKey[]): Uint8Array => Buffer.from(JSON.stringify({ keys }));

const SIGNING_KEYS = 'access/signing-keys';
const HOUR_MICROS = 3600 * 1e6;
const AHEAD_MICROS = 24 * HOUR_MICROS;
const LIFE_MICROS = 90 * 24 * HOUR_MICROS;
/** The longest life that can be set for an access token, and the leeway of verifiers. */
const TOKEN_LIFE_MAX_MICROS = 25 * HOUR_MICROS;
const RELOAD_MICROS = 60 * 1e6;
/** Tokens with made-up keys do not make every request read the store. */
const UNKNOWN_RELOAD_MICROS = 1e6;
const ROUNDS_MAX = 100;
