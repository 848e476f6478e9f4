import { hash, timingSafeEqual } from 'node:crypto';
import type { Uuid } from '#src/kernel/ids.ts';
import { formatInstant } from '#src/kernel/instant.ts';
import { SINGLE_TENANT } from '#src/kernel/tenant.ts';
import type { Clock } from '#src/ports/clock.ts';
import type { Credentials } from '#src/ports/credentials.ts';
import { Unavailable } from '#src/ports/errors.ts';
import type { RandomBytes } from '#src/ports/random-bytes.ts';
import type { Secret, SecretStore } from '#src/ports/secret-store.ts';
import { hashPassword, isOutdated, isPassword } from './password-hash.ts';

export type CredentialSources = Readonly<{
  /** Opens the store on first use. */
  secrets: () => Promise<SecretStore>;
  clock: Clock;
  randomBytes: RandomBytes;
  /** Keeps client secrets in clear text beside their hashes, and returns those that were kept. */
  exposesClientSecrets?: boolean;
}>;

/**
 * Client secrets are 256 random bits, which nobody can guess, so that a plain SHA-256 of them is as safe as a slow hash and
 * spares every token request its cost. Secrets that an operator chooses must be long for the same reason.
 */
export function createCredentials({
  secrets,
  clock,
  randomBytes,
  exposesClientSecrets = false,
}: CredentialSources): Credentials {
  const inTurn = turns(HASHES_AT_ONCE);
  const hashed = (password: string) => inTurn(() => hashPassword(password, randomBytes));
  let decoy: Promise<string> | undefined;
  /** The hash that is checked for users who do not exist, made before the first check of any. */
  const decoyHash = (): Promise<string> =>
    (decoy ??= hashed('the password of nobody').catch((error: unknown) => {
      decoy = undefined;
      throw error;
    }));
  const read = async (name: string): Promise<Secret | undefined> => (await secrets()).get(name);

  return {
    async setPassword({ id, tenantId }, password, changeId, version) {
      const store = await secrets();
      const value = format({ hash: await hashed(password), changeId, ...tenancyOf(tenantId) });
      if (version === undefined) return (await store.put(passwordName(id), value)) > 0;
      const written = await store.compareAndSet(passwordName(id), version, value);
      return written !== undefined;
    },

    async password(userId) {
      const found = await read(passwordName(userId));
      return found && { changeId: parsePassword(found).changeId, version: found.version };
    },

    async verifyPassword(userId, password) {
      const nobody = await decoyHash();
      const found = userId && (await read(passwordName(userId)));
      if (found === undefined) {
        await inTurn(() => isPassword(password, nobody));
        return false;
      }
      const { hash: stored, ...rest } = parsePassword(found);
      if (!(await inTurn(() => isPassword(password, stored)))) return false;
      if (isOutdated(stored)) {
        const value = format({ hash: await hashed(password), ...rest });
        await (await secrets()).compareAndSet(passwordName(userId!), found.version, value);
      }
      return true;
    },

    destroyPassword: async (userId) => (await secrets()).destroy(passwordName(userId)),

    async createSecret(
      { clientId, tenantId },
      secret = Buffer.from(randomBytes(SECRET_BYTES)).toString('hex'),
    ) {
      const store = await secrets();
      const since = formatInstant(clock.now());
      const facts = {
        ...{ hash: hash('sha256', secret, 'base64url'), since },
        ...(exposesClientSecrets && { secret }),
        ...tenancyOf(tenantId),
      };
      const name = secretName(clientId);
      for (let round = 0; round < ROUNDS_MAX; round += 1) {
        const found = await store.get(name);
        if (found !== undefined && tenantIn(parseSecret(found)) !== tenantId) return undefined;
        const written = await store.compareAndSet(name, found?.version, format(facts));
        if (written !== undefined) return secret;
      }
      return undefined; // The secret of a deleted client was destroyed, and keeps its name.
    },

    async exposedSecret(clientId) {
      const found = exposesClientSecrets ? await read(secretName(clientId)) : undefined;
      return found && parseSecret(found).secret;
    },

    async verifySecret(clientId, secret) {
      const found = await read(secretName(clientId));
      const stored = found && parseSecret(found);
      const sent = hash('sha256', secret, 'base64url');
      const expected = Buffer.from((stored?.hash ?? '').padEnd(sent.length));
      const isRight = timingSafeEqual(expected, Buffer.from(sent));
      return isRight && stored ? tenantIn(stored) : undefined;
    },

    destroySecret: async (clientId) => (await secrets()).destroy(secretName(clientId)),

    async *list() {
      for await (const { name, secret } of (await secrets()).list()) {
        if (name.startsWith(PASSWORDS)) {
          const stored = parsePassword(secret);
          const tenantId = tenantIn(stored);
          const userId = name.slice(PASSWORDS.length) as Uuid;
          yield { of: 'user', tenantId, userId, changeId: stored.changeId };
        } else if (name.startsWith(CLIENT_SECRETS)) {
          const stored = parseSecret(secret);
          const tenantId = tenantIn(stored);
          const clientId = name.slice(CLIENT_SECRETS.length);
          yield { of: 'client', tenantId, clientId, since: stored.since };
        }
      }
    },
  };
}

type HashedPassword = Readonly<{ hash: string; changeId: Uuid }> & StoredTenant;
type HashedSecret = Readonly<{ hash: string; since: string; secret?: string }> & StoredTenant;
/** Absent for the tenant that a deployment of one tenant records. */
type StoredTenant = Readonly<{ tenantId?: string }>;

const tenantIn = ({ tenantId = SINGLE_TENANT }: StoredTenant): string => tenantId;
const tenancyOf = (tenantId: string): StoredTenant =>
  tenantId === SINGLE_TENANT ? {} : { tenantId };

const format = (stored: HashedPassword | HashedSecret): Uint8Array =>
  Buffer.from(JSON.stringify(stored));
const parsePassword = ({ value }: Secret) =>
  JSON.parse(Buffer.from(value).toString()) as HashedPassword;
const parseSecret = ({ value }: Secret) =>
  JSON.parse(Buffer.from(value).toString()) as HashedSecret;

/** Runs at most so many pieces of work at once; others wait in their order. Errors: Unavailable if too many wait. */
function turns(most: number): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (running >= most) {
      if (waiting.length >= WAITING_MAX) throw new Unavailable('Too many passwords are checked');
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else {
      running += 1;
    }
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}

const passwordName = (userId: Uuid): string => PASSWORDS + userId;
const secretName = (clientId: string): string => CLIENT_SECRETS + clientId;
const PASSWORDS = 'password/';
const CLIENT_SECRETS = 'client-secret/';

const SECRET_BYTES = 32;
const ROUNDS_MAX = 10;
/** Each hash takes a thread of the pool that disks and name look-ups need too. */
const HASHES_AT_ONCE = 2;
/** They wait for two seconds or so, which a client accepts. */
const WAITING_MAX = 50;
