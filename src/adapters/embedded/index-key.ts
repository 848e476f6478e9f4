/**
 * Encodes a key for the index: a UUID, which most are, as its 16 bytes (half the space); any other text as it is. Two
 * keys are equal exactly when their stored forms are.
 */
export function encodeKey(key: string): string | Uint8Array {
  if (UUID.test(key)) return Buffer.from(key.replaceAll('-', ''), 'hex');
  // UTF-8 cannot distinguish lone surrogates; JSON's escapes can.
  return key.isWellFormed() && !key.startsWith(ESCAPED) ? key : ESCAPED + JSON.stringify(key);
}

/** Reverses encodeKey. */
export function decodeKey(stored: string | Uint8Array): string {
  if (typeof stored !== 'string') {
    const hex = Buffer.from(stored.buffer, stored.byteOffset, stored.byteLength).toString('hex');
    return hex.replace(PARTS, '$1-$2-$3-$4-$5');
  }
  return stored.startsWith(ESCAPED) ? (JSON.parse(stored.slice(ESCAPED.length)) as string) : stored;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const PARTS = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/;
const ESCAPED = '\u0001';
