import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
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
  return new RecordDataKey(key, place, randomBytes);
}

/** A class, because thousands of keys stay in memory: one object each instead of one for each method. */
class RecordDataKey implements DataKey {
  readonly #key: KeyObject;
  readonly #place: string;
  readonly #randomBytes: RandomBytes;

  constructor(key: KeyObject, place: string, randomBytes: RandomBytes) {
    this.#key = key;
    this.#place = place;
    this.#randomBytes = randomBytes;
  }

  seal(field: string, value: string): string {
    const nonce = this.#randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce).setAAD(this.#placeOf(field));
    const sealed = [
      FORMAT,
      nonce,
      cipher.update(value, 'utf8'),
      cipher.final(),
      cipher.getAuthTag(),
    ];
    return Buffer.concat(sealed).toString('base64url');
  }

  open(field: string, sealed: string): string {
    const bytes = Buffer.from(sealed, 'base64url');
    const tagAt = bytes.length - TAG_BYTES;
    // Base64 has spellings that decode alike; only the one that was written is accepted.
    const isWhole = bytes.length >= SEALED_BYTES_MIN && bytes.toString('base64url') === sealed;
    if (!isWhole || bytes[0] !== FORMAT[0]) throw this.#unopened(field);
    try {
      const nonce = bytes.subarray(1, 1 + NONCE_BYTES);
      const decipher = createDecipheriv('aes-256-gcm', this.#key, nonce, {
        authTagLength: TAG_BYTES,
      })
        .setAAD(this.#placeOf(field))
        .setAuthTag(bytes.subarray(tagAt));
      const opened = decipher.update(bytes.subarray(1 + NONCE_BYTES, tagAt));
      return Buffer.concat([opened, decipher.final()]).toString();
    } catch {
      throw this.#unopened(field);
    }
  }

  sealFields<Field extends string>(values: Readonly<Record<Field, string>>): Record<Field, string> {
    return mapped(values, (field, value) => this.seal(field, value));
  }

  openFields<Field extends string>(sealed: Readonly<Record<Field, string>>): Record<Field, string> {
    return mapped(sealed, (field, value) => this.open(field, value));
  }

  fingerprint(text: string): string {
    const key = derivedKey(this.#key, 'fingerprint');
    return createHmac('sha256', key).update(text).digest('base64url');
  }

  #placeOf(field: string): Uint8Array {
    return Buffer.from(this.#place + field);
  }

  #unopened(field: string): Damaged {
    const place = this.#place + field;
    return new Damaged(`The value of ${place} was altered or belongs to another place`);
  }
}

const mapped = <Field extends string>(
  fields: Readonly<Record<Field, string>>,
  change: (field: string, value: string) => string,
): Record<Field, string> =>
  Object.fromEntries(
    Object.entries<string>(fields).map(([field, value]) => [field, change(field, value)]),
  ) as Record<Field, string>;

/** HKDF-Expand of one block (RFC 5869 §2.3); a random key needs no extraction (§3.3). */
const derivedKey = (key: KeyObject, purpose: string): Uint8Array =>
  createHmac('sha256', key).update(purpose).update(FIRST_BLOCK).digest();

export const KEY_BYTES = 32;
const FORMAT = Uint8Array.of(1);
const FIRST_BLOCK = Uint8Array.of(1);
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const SEALED_BYTES_MIN = 1 + NONCE_BYTES + TAG_BYTES;
