import { createHmac, hkdfSync } from 'node:crypto';
import type { Uuid } from '#src/kernel/ids.ts';
import type { Micros } from '#src/kernel/instant.ts';
import type { Clock } from '#src/ports/clock.ts';
import { SINGLE_TENANT } from '#src/kernel/tenant.ts';
import { Unavailable } from '#src/ports/errors.ts';
import type { RandomBytes } from '#src/ports/random-bytes.ts';
import type { DataKey } from '#src/ports/record-keys.ts';
import type { SecretStore } from '#src/ports/secret-store.ts';
import { createDataKey, KEY_BYTES } from '#src/runtime/protection/data-key.ts';
import {
  formatRefreshToken,
  hashOf,
  newFamily,
  newSecret,
  parseRefreshToken,
} from './refresh-token.ts';

/** A login, which lasts as long as it is refreshed. */
export type Session = Readonly<{
  id: Uuid;
  /** The user's id, or the client id of an application. */
  subject: string;
  /** The id that the events of its tenant record. */
  tenantId: string;
  clientId?: string;
  /** Words with a space between them; a refresh may leave some out. */
  scope: string;
  startedAt: Micros;
}>;

export type SessionOptions = Readonly<{
  secrets: () => Promise<SecretStore>;
  clock: Clock;
  randomBytes: RandomBytes;
  /** The life of a refresh token, in seconds. */
  refreshSeconds: number;
}>;

/**
 * The outcome of a refresh: the response, or the session that was ended because a spent token came back; undefined if the
 * token is not accepted.
 */
export type Refreshed =
  | Readonly<{ response: string }>
  | Readonly<{ reused: Pick<Session, 'id' | 'subject'> }>
  | undefined;

/**
 * The sessions of all subjects, one secret for each subject, in which refresh tokens are hashes. A refresh is a single
 * conditional write: it spends one token, makes the next one valid and keeps the response for ten seconds, sealed with a
 * key that only the spent token yields. Errors: Unavailable.
 */
export class Sessions {
  readonly #options: SessionOptions;

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  /** Starts a session and returns its first refresh token. The sessions of a subject that have been idle longest make room. */
  async start(session: Session): Promise<string> {
    const { clock, randomBytes } = this.#options;
    const family = newFamily(randomBytes);
    const refreshToken = this.#newToken(session, family);
    await this.#change(session.subject, (sessions) => {
      const { subject: _, tenantId, ...facts } = session;
      const started: StoredSession = {
        ...facts,
        ...(tenantId !== SINGLE_TENANT && { tenantId }),
        familyHash: hashOf(family),
        tokenHash: hashOf(refreshToken),
        expiresAt: this.#expiry(session.startedAt, clock.now()),
      };
      return [...sessions.slice(1 - SESSIONS_MAX), started];
    });
    return refreshToken;
  }

  /**
   * Spends a refresh token. `admit` throws, or returns false, if the session may not go on; `respond` makes the response from
   * the session and its next refresh token, or returns undefined. Neither leaves a trace then. A token that was spent up to
   * ten seconds ago at the same address gets the same response.
   */
  async refresh(
    refreshToken: string,
    address: string,
    { admit, respond }: RefreshSteps,
  ): Promise<Refreshed> {
    const { secrets, clock } = this.#options;
    const parts = parseRefreshToken(refreshToken);
    if (parts === undefined) return undefined;
    const { subject } = parts;
    const store = await secrets();
    const tokenHash = hashOf(refreshToken);
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      const stored = await store.get(nameOf(subject));
      const now = clock.now();
      const sessions = (stored ? parseSessions(stored.value) : []).filter(isAlive(now));
      const found = sessions.find(({ id }) => id === parts.session);
      if (stored === undefined || found?.familyHash !== hashOf(parts.family)) return undefined;
      const { id, tenantId = SINGLE_TENANT, clientId, scope, startedAt, spent } = found;
      const isSpent = found.tokenHash !== tokenHash;
      const isRepeated =
        spent?.tokenHash === tokenHash &&
        now - spent.at < REPEATED_MICROS &&
        spent.addressHash === addressHashOf(refreshToken, address);
      if (isSpent && !isRepeated) return { reused: { id, subject } };
      const client = clientId === undefined ? {} : { clientId };
      const session = { id, subject, tenantId, ...client, scope, startedAt };
      if (!(await admit(session))) return undefined;
      if (isSpent) {
        return { response: this.#sealing(refreshToken, id).open(RESPONSE, spent!.response) };
      }
      const next = this.#newToken(session, parts.family);
      const made = await respond(session, next);
      if (made === undefined) return undefined;
      const refreshed: StoredSession = {
        ...found,
        scope: made.scope,
        tokenHash: hashOf(next),
        expiresAt: this.#expiry(startedAt, now),
        spent: {
          tokenHash,
          at: now,
          addressHash: addressHashOf(refreshToken, address),
          response: this.#sealing(refreshToken, id).seal(RESPONSE, made.response),
        },
      };
      const others = sessions.filter((one) => one !== found);
      const value = formatSessions([...others, refreshed], now);
      if ((await store.compareAndSet(nameOf(subject), stored.version, value)) === undefined)
        continue;
      return { response: made.response };
    }
    throw new Unavailable('The sessions of the subject are being changed by others');
  }

  /** Ends a session, if it exists. */
  async end({ subject, id }: Readonly<{ subject: string; id: string }>): Promise<void> {
    await this.#change(subject, (sessions) => sessions.filter((one) => one.id !== id));
  }

  /** Ends every session of a subject that started until a moment, except one. */
  async endBefore(subject: string, at: Micros, kept?: string): Promise<void> {
    await this.#change(subject, (sessions) =>
      sessions.filter(({ id, startedAt }) => id === kept || startedAt > at),
    );
  }

  /** Destroys what is stored of a subject that no longer exists. */
  async destroy(subject: string): Promise<void> {
    await (await this.#options.secrets()).destroy(nameOf(subject));
  }

  async #change(
    subject: string,
    change: (sessions: readonly StoredSession[]) => readonly StoredSession[],
  ): Promise<void> {
    const { secrets, clock } = this.#options;
    const store = await secrets();
    const name = nameOf(subject);
    let wasAbsent = false;
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      const stored = await store.get(name);
      // A destroyed secret is absent for good: its subject is gone, and so are the sessions.
      if (stored === undefined && wasAbsent) return;
      const now = clock.now();
      const sessions = (stored ? parseSessions(stored.value) : []).filter(isAlive(now));
      const changed = change(sessions);
      if (stored === undefined && changed.length === 0) return;
      const value = formatSessions(changed, now);
      if ((await store.compareAndSet(name, stored?.version, value)) !== undefined) return;
      wasAbsent = stored === undefined;
    }
    throw new Unavailable('The sessions of the subject are being changed by others');
  }

  #newToken({ subject, id }: Pick<Session, 'subject' | 'id'>, family: string): string {
    const secret = newSecret(this.#options.randomBytes);
    return formatRefreshToken({ subject, session: id, family, secret });
  }

  #expiry(startedAt: Micros, now: Micros): Micros {
    const { refreshSeconds } = this.#options;
    return Math.min(now + refreshSeconds * 1e6, startedAt + SESSION_MICROS) as Micros;
  }

  #sealing(refreshToken: string, session: Uuid): DataKey {
    const key = hkdfSync('sha256', refreshToken, '', 'refresh response', KEY_BYTES);
    const place = { tenantId: 'default', organizationId: session, recordId: session };
    return createDataKey(place, new Uint8Array(key), this.#options.randomBytes);
  }
}

/** The decisions about a session whose refresh token was found. */
export type RefreshSteps = Readonly<{
  admit: (session: Session) => Promise<boolean>;
  respond: (session: Session, next: string) => Promise<RefreshResponse | undefined>;
}>;

/** The text of a response, and the scope of the session from then on. */
export type RefreshResponse = Readonly<{ response: string; scope: string }>;

/** Without `tenantId`, it is of the tenant that a deployment of one tenant records. */
type StoredSession = Omit<Session, 'subject' | 'tenantId'> &
  Readonly<{
    tenantId?: string;
    familyHash: string;
    tokenHash: string;
    expiresAt: Micros;
    spent?: SpentToken;
  }>;

type SpentToken = Readonly<{
  tokenHash: string;
  at: Micros;
  /** Keyed by the token, because addresses are personal data and few enough to be tried. */
  addressHash: string;
  /** Sealed. */
  response: string;
}>;

const nameOf = (subject: string): string => `access/sessions/${subject}`;

const isAlive =
  (now: Micros) =>
  ({ expiresAt }: StoredSession): boolean =>
    now < expiresAt;

const addressHashOf = (refreshToken: string, address: string): string =>
  createHmac('sha256', refreshToken).update(address).digest('base64url');

const parseSessions = (bytes: Uint8Array): readonly StoredSession[] =>
  JSON.parse(Buffer.from(bytes).toString()) as readonly StoredSession[];

/** Responses that can no longer be repeated are left out. */
const formatSessions = (sessions: readonly StoredSession[], now: Micros): Uint8Array =>
  Buffer.from(
    JSON.stringify(
      sessions.map((session) => {
        const { spent, ...rest } = session;
        return spent && now - spent.at < REPEATED_MICROS ? session : rest;
      }),
    ),
  );

const RESPONSE = 'response';
const SESSIONS_MAX = 100;
const SESSION_MICROS = 30 * 86_400 * 1e6;
const REPEATED_MICROS = 10 * 1e6;
const ROUNDS_MAX = 100;
