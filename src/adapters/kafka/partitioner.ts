import type { ICustomPartitioner } from 'kafkajs';

/**
 * Places a record by its key as Kafka's own clients do. The driver's partitioner gives the same results with numbers of
 * unlimited size, which is slow.
 */
export const keyPartitioner: ICustomPartitioner =
  () =>
  ({ partitionMetadata, message: { key } }) =>
    (murmur2(Buffer.from(key ?? '')) & NOT_NEGATIVE) % partitionMetadata.length;

/** Hashes as the Java client does, with 32 bits. */
export function murmur2(bytes: Buffer): number {
  const { length } = bytes;
  let hash = SEED ^ length;
  let at = 0;
  for (; at + 4 <= length; at += 4) {
    const word = Math.imul(bytes.readInt32LE(at), MULTIPLIER);
    hash = Math.imul(hash, MULTIPLIER) ^ Math.imul(word ^ (word >>> 24), MULTIPLIER);
  }
  if (at < length) hash = Math.imul(hash ^ bytes.readUIntLE(at, length - at), MULTIPLIER);
  hash = Math.imul(hash ^ (hash >>> 13), MULTIPLIER);
  return hash ^ (hash >>> 15);
}

const SEED = 0x9747b28c;
const MULTIPLIER = 0x5bd1e995;
const NOT_NEGATIVE = 0x7fffffff;
