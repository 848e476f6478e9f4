/**
 * Encodes a key for the index: a UUID, which most are, as its 16 bytes (half the space); any other text as it is. Two
 * keys are equal exactly when their stored forms are.
 */
export function encodeKey(key: string): string | Uint8Array {
  const bytes = uuidBytes(key);
  if (bytes !== undefined) return bytes;
  // UTF-8 cannot distinguish lone surrogates; JSON's escapes can.
  return key.isWellFormed() && !key.startsWith(ESCAPED) ? key : ESCAPED + JSON.stringify(key);
}

/** Reverses encodeKey. */
export function decodeKey(stored: string | Uint8Array): string {
  if (typeof stored !== 'string') return uuidText(stored);
  return stored.startsWith(ESCAPED) ? (JSON.parse(stored.slice(ESCAPED.length)) as string) : stored;
}

/** Undefined for a text that is not a UUID in its canonical form. */
function uuidBytes(text: string): Uint8Array | undefined {
  if (text.length !== UUID_LENGTH) return undefined;
  const bytes = freshBytes();
  let at = 0;
  for (let n = 0; n < 16; n += 1) {
    if (DASH_BEFORE[n]) {
      if (text.charCodeAt(at) !== DASH) return undefined;
      at += 1;
    }
    const [high, low] = [text.charCodeAt(at), text.charCodeAt(at + 1)];
    if ((high | low) >= DIGITS.length) return undefined;
    const value = (DIGITS[high]! << 4) | DIGITS[low]!;
    if (value < 0) return undefined;
    bytes[n] = value;
    at += 2;
  }
  return bytes;
}

/**
 * Returns 16 bytes of a buffer that many ids share. SQLite's binding gives an array that has no buffer yet one of its
 * own, which costs more than the rest of the encoding.
 */
function freshBytes(): Uint8Array {
  if (taken === shared.byteLength) {
    shared = new ArrayBuffer(SHARED_BYTES);
    taken = 0;
  }
  taken += 16;
  return new Uint8Array(shared, taken - 16, 16);
}

const SHARED_BYTES = 8192;
let shared = new ArrayBuffer(SHARED_BYTES);
let taken = 0;

const uuidText = (bytes: Uint8Array): string =>
  uuidFromHex(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex'));

/** Adds the dashes, and lowers the case. It writes into one buffer: a concatenation would stay a tree of its pieces. */
export function uuidFromHex(hex: string): string {
  let at = 0;
  for (let n = 0; n < 32; n += 1) {
    if ((n & 1) === 0 && DASH_BEFORE[n >>> 1]) at += 1;
    TEXT[at] = hex.charCodeAt(n) | LOWER_CASE;
    at += 1;
  }
  return TEXT.toString('latin1');
}

const UUID_LENGTH = 36;
const DASH_BEFORE: readonly boolean[] = Array.from({ length: 16 }, (_, n) =>
  [4, 6, 8, 10].includes(n),
);
const TEXT = Buffer.from('-'.repeat(UUID_LENGTH));
/** The bit that distinguishes lower-case letters; digits have it, too. */
const LOWER_CASE = 0x20;
const DASH = 45;
/** The value of a lower-case hexadecimal digit by its code; -1, which has all bits, for any other character. */
const DIGITS = Int8Array.from({ length: 128 }, (_, code) =>
  '0123456789abcdef'.indexOf(String.fromCharCode(code)),
);
const ESCAPED = '\u0001';
