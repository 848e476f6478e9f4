import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
} from 'node:crypto';
import { Damaged } from '#src/ports/errors.ts';
import type { RandomBytes } from '#src/ports/random-bytes.ts';
import type { ProtectedRecord, DataKey } from '#src/ports/record-keys.ts';

/**
 * Seals fields by AES-256-GCM under the data key of their record. The tenant, organization, record and field are
 * associated data, so that a value does not open in another place. A sealed value is base64url of the format version,
 * the nonce, the ciphertext and the tag. The bytes of `dataKey` are erased.
 */
export function createDataKey(
  { tenantId, organizationId, recordId }: ProtectedRecord,
  dataKey: Uint8Array,
  randomBytes: RandomBytes,
): DataKey {
  const key = createSecretKey(dataKey);
  dataKey.fill(0);
  const place = `tenant:${tenantId}:org:${organizationId}:record:${recordId}:field:`;
  let hashKey: Uint8Array | undefined;

  const seal = (field: string, value: string): string => {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(place + field));
    const sealed = [
      FORMAT,
      nonce,
      cipher.update(value, 'utf8'),
      cipher.final(),
      cipher.getAuthTag(),
    ];
    return Buffer.concat(sealed).toString('base64url');
  };

  const open = (field: string, sealed: string): string => {
    const bytes = Buffer.from(sealed, 'base64url');
    const tagAt = bytes.length - TAG_BYTES;
    // Base64 has spellings that decode alike; only the one that was written is accepted.
    const isWhole = bytes.length >= SEALED_BYTES_MIN && bytes.toString('base64url') === sealed;
    if (!isWhole || bytes[0] !== FORMAT[0]) throw unopened(field);
    try {
      const nonce = bytes.subarray(1, 1 + NONCE_BYTES);
      const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
        .setAAD(Buffer.from(place + field))
        .setAuthTag(bytes.subarray(tagAt));
      const opened = decipher.update(bytes.subarray(1 + NONCE_BYTES, tagAt));
      return Buffer.concat([opened, decipher.final()]).toString();
    } catch {
      throw unopened(field);
    }
  };

  const unopened = (field: string): Damaged =>
    new Damaged(`Field ${field} of record ${recordId} was altered or belongs to another record`);

  return {
    seal,
    open,
    sealFields: (values) => mapped(values, seal),
    openFields: (sealed) => mapped(sealed, open),
    fingerprint(text) {
      hashKey ??= derivedKey(key, 'fingerprint');
      return createHmac('sha256', hashKey).update(text).digest('base64url');
    },
  };
}

const mapped = <Field extends string>(
  fields: Readonly<Record<Field, string>>,
  change: (field: string, value: string) => string,
): Record<Field, string> =>
  Object.fromEntries(
    Object.entries<string>(fields).map(([field, value]) => [field, change(field, value)]),
  ) as Record<Field, string>;

const derivedKey = (key: KeyObject, purpose: string): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', key, '', purpose, KEY_BYTES));

export const KEY_BYTES = 32;
const FORMAT = Uint8Array.of(1);
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const SEALED_BYTES_MIN = 1 + NONCE_BYTES + TAG_BYTES;
