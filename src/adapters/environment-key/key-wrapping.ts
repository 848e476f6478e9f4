import { createCipheriv, createDecipheriv, hash } from 'node:crypto';
import { Damaged } from '#src/ports/errors.ts';
import type { KeyScope, KeyWrapping } from '#src/ports/key-wrapping.ts';
import type { RandomBytes } from '#src/ports/random-bytes.ts';

type EnvironmentKeys = Readonly<{
  /** Wraps new keys; 32 bytes. */
  current: Uint8Array;
  /** Replaced keys, which unwrap older values. */
  previous?: readonly Uint8Array[];
  randomBytes: RandomBytes;
}>;

/**
 * Wraps data keys by AES-256-GCM with a key from the settings. A wrapped key is `environment:{version}:{base64url of
 * nonce, ciphertext and tag}`; the version is the beginning of the wrapping key's hash.
 */
export function environmentKeyWrapping({
  current,
  previous = [],
  randomBytes,
}: EnvironmentKeys): KeyWrapping {
  const versions = new Map([current, ...previous].map((key) => [versionOf(key), key]));
  const newest = versionOf(current);

  const wrap = (scope: KeyScope, key: Uint8Array): string => {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', current, nonce).setAAD(placeOf(scope));
    const sealed = Buffer.concat([nonce, cipher.update(key), cipher.final(), cipher.getAuthTag()]);
    return [PATH, newest, sealed.toString('base64url')].join(':');
  };

  const unwrap = (scope: KeyScope, wrapped: string): Uint8Array => {
    const [path, version = '', text = '', ...rest] = wrapped.split(':');
    const key = versions.get(version);
    const bytes = Buffer.from(text, 'base64url');
    const isWhole = bytes.length > NONCE_BYTES + TAG_BYTES && bytes.toString('base64url') === text;
    if (path !== PATH || rest.length > 0 || !isWhole) throw new Damaged(ALTERED);
    if (key === undefined) {
      throw new Damaged(
        `A data key is wrapped with version ${version} of the environment key; only ` +
          `${[...versions.keys()].join(', ')} can be used: set CRM_ENCRYPT_SECRET_KEY to the key it was wrapped with`,
      );
    }
    const tagAt = bytes.length - TAG_BYTES;
    try {
      const nonce = bytes.subarray(0, NONCE_BYTES);
      const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
        .setAAD(placeOf(scope))
        .setAuthTag(bytes.subarray(tagAt));
      const opened = decipher.update(bytes.subarray(NONCE_BYTES, tagAt));
      return new Uint8Array(Buffer.concat([opened, decipher.final()]));
    } catch {
      throw new Damaged(ALTERED);
    }
  };

  return {
    provision: async () => ({ path: PATH, keyId: newest }),
    wrap: async (scope, key) => wrap(scope, key),
    unwrap: async (scope, wrapped) => unwrap(scope, wrapped),
    async rewrap(scope, wrapped) {
      const key = unwrap(scope, wrapped);
      return wrapped.split(':')[1] === newest ? undefined : wrap(scope, key);
    },
    close: async () => {},
  };
}

const placeOf = ({ tenantId, organizationId }: KeyScope): Uint8Array =>
  Buffer.from(`tenant:${tenantId}:org:${organizationId}`);

const versionOf = (key: Uint8Array): string => hash('sha256', key).slice(0, 16);

const PATH = 'environment';
const ALTERED = 'A wrapped data key was altered or belongs to another organization';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
