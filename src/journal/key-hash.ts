/** Two hashes of a key; the second is odd. */
export type KeyHash = Readonly<{ a: number; b: number }>;

/**
 * Hashes a key by FNV-1a with two seeds. Filters in snapshots depend on the values. The last result is remembered, because a
 * decision looks at its key several times.
 */
export function keyHash(key: string): KeyHash {
  if (key === lastKey) return last;
  let a = 0x811c9dc5;
  let b = 0x050c5d1f;
  for (let at = 0; at < key.length; at += 1) {
    const unit = key.charCodeAt(at);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b ^ unit, 0x5bd1e995);
  }
  a ^= a >>> 15;
  b ^= b >>> 13;
  lastKey = key;
  return (last = { a, b: b | 1 });
}
let lastKey: string | undefined;
let last: KeyHash = { a: 0, b: 1 };
