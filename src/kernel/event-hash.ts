import { hash } from 'node:crypto';

/** The stored texts of an event, which its hash covers byte for byte. */
export type HashedEvent = Readonly<{ type: string; data: string; metadata: string }>;

/** Returns the hash that a stored event carries. Throws if its metadata was not sealed by this program. */
export function hashOf(metadata: string): string {
  const at = metadata.length - TAIL;
  const sealed = at >= 0 && metadata.startsWith(HASH_MEMBER, at) && metadata.endsWith('"}');
  if (!sealed) throw new Error('Event metadata has no hash');
  return metadata.slice(at + HASH_MEMBER.length, -2);
}

/** Returns whether a stored event is intact and was chained to the event with that hash. */
export function follows(event: HashedEvent, prevHash: string): boolean {
  const { metadata } = event;
  const claimed = hashOf(metadata);
  const end = metadata.length - TAIL;
  return (
    metadata.startsWith(`"prevHash":"${prevHash}"`, end - PREVIOUS - prevHash.length) &&
    hash('sha256', covered(event, prevHash)) === claimed
  );
}

/** Returns what the hash covers; mostly as bytes, which costs a third less than joining texts and encoding the result. */
function covered({ type, data, metadata }: HashedEvent, prevHash: string): string | Uint8Array {
  const characters = prevHash.length + type.length + data.length + metadata.length;
  if (characters * BYTES_MAX > SCRATCH.length) {
    return `${prevHash}${type}${data}${metadata.slice(0, metadata.length - TAIL)}}`;
  }
  let end = 0;
  for (const text of [prevHash, type, data, metadata]) end += SCRATCH.write(text, end);
  SCRATCH[end - TAIL] = CLOSING;
  return SCRATCH.subarray(0, end - TAIL + 1);
}

/**
 * Returns whether the bytes of a stored event match the hash they carry. Disks return wrong bytes without an error, so
 * events are checked before anything is decided, replied or projected from them.
 */
export function isIntact(event: HashedEvent): boolean {
  try {
    const at = event.metadata.length - TAIL - HASH_LENGTH - 1;
    return follows(event, event.metadata.slice(at, at + HASH_LENGTH));
  } catch {
    return false; // It carries no hash, or a damaged file has no text where there was one.
  }
}

/** The last member of an event's metadata, which the hash does not cover. */
export const HASH_MEMBER = ',"hash":"';
const HASH_LENGTH = 64;
const TAIL = HASH_MEMBER.length + HASH_LENGTH + 2;
const PREVIOUS = '"prevHash":""'.length;

/** The maximum number of UTF-8 bytes of one UTF-16 unit. */
const BYTES_MAX = 3;
const SCRATCH = Buffer.allocUnsafeSlow(64 * 1024);
const CLOSING = '}'.charCodeAt(0);
