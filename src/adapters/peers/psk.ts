import { hkdfSync } from 'node:crypto';
import type { SecureContextOptions } from 'node:tls';
import type { SecretStore } from '#src/ports/secret-store.ts';
import type { RandomBytes } from '#src/ports/random-bytes.ts';
import { Unavailable } from '#src/ports/errors.ts';

/** Returns the key that all processes of one log share. The first process creates it in their store. Errors: Unavailable. */
export async function sharedPeerKey(
  secrets: Pick<SecretStore, 'get' | 'compareAndSet'>,
  logId: string,
  randomBytes: RandomBytes,
): Promise<Uint8Array> {
  if ((await secrets.get(SECRET)) === undefined) {
    await secrets.compareAndSet(SECRET, undefined, randomBytes(KEY_BYTES));
  }
  const found = await secrets.get(SECRET);
  if (found === undefined) throw new Unavailable(`The secret ${SECRET} is missing`);
  return new Uint8Array(hkdfSync('sha256', found.value, logId, 'connections of peers', KEY_BYTES));
}

/**
 * TLS with a shared key instead of certificates. The only cipher suite proves the key on both sides, and an ephemeral key
 * exchange keeps recorded traffic closed to whoever learns the shared key later. TLS 1.3 would also accept certificates.
 */
export const PSK_TLS = {
  minVersion: 'TLSv1.2',
  maxVersion: 'TLSv1.2',
  ciphers: 'ECDHE-PSK-CHACHA20-POLY1305',
} as const satisfies SecureContextOptions;

/** The name of the key; there is only one. */
export const PSK_IDENTITY = 'quipu';

const SECRET = 'peer-key';
const KEY_BYTES = 32;
