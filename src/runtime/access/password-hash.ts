import { argon2, timingSafeEqual } from 'node:crypto';
import type { RandomBytes } from '#src/ports/random-bytes.ts';

/** Argon2id with the first of OWASP's equivalent choices: 19 MiB of memory, two passes, one lane. */
const COST = { memory: 19_456, passes: 2, parallelism: 1 } as const;
const SALT_BYTES = 16;
const HASH_BYTES = 32;

/** Hashes a password; the result is a PHC string, which names its algorithm and cost. */
export async function hashPassword(password: string, randomBytes: RandomBytes): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const { memory, passes, parallelism } = COST;
  const hash = await derive(password, { salt, ...COST, length: HASH_BYTES });
  const cost = `m=${memory},t=${passes},p=${parallelism}`;
  return ['', 'argon2id', 'v=19', cost, base64(salt), base64(hash)].join('$');
}

/** Returns whether a PHC string is the hash of this password. Errors: a string of another form. */
export async function isPassword(password: string, phc: string): Promise<boolean> {
  const [, memory, passes, parallelism, salt = '', hash = ''] = FORM.exec(phc) ?? [];
  if (hash === '') throw new Error('The stored hash has another form');
  const expected = Buffer.from(hash, 'base64');
  const actual = await derive(password, {
    salt: Buffer.from(salt, 'base64'),
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    length: expected.length,
  });
  return timingSafeEqual(expected, actual);
}

/** Returns whether a hash was made at another cost than those made now, so that the next login should replace it. */
export function isOutdated(phc: string): boolean {
  const { memory, passes, parallelism } = COST;
  return !phc.startsWith(`$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$`);
}

type Derivation = Readonly<{
  salt: Uint8Array;
  memory: number;
  passes: number;
  parallelism: number;
  length: number;
}>;

/** Characters that look alike and are written differently are one password (RFC 8265 §4.2). */
function derive(password: string, { salt, length, ...cost }: Derivation): Promise<Buffer> {
  const message = password.normalize('NFC');
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  argon2('argon2id', { message, nonce: salt, tagLength: length, ...cost }, (error, hash) => {
    if (error === null) resolve(hash);
    else reject(error);
  });
  return promise;
}

/** PHC strings have base64 without padding. */
const base64 = (bytes: Uint8Array): string =>
  Buffer.from(bytes).toString('base64').replace(/=+$/, '');

const FORM = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;
