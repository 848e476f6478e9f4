import type { OutgoingRecord } from '#src/ports/publisher.ts';

/** Splits records, in order, into requests of at most `bytesMax` bytes; a larger record goes alone. */
export function chunksOf(
  records: readonly OutgoingRecord[],
  bytesMax: number,
): readonly (readonly OutgoingRecord[])[] {
  const chunks: OutgoingRecord[][] = [];
  let bytes = Infinity;
  for (const record of records) {
    const size = sizeOf(record);
    if (bytes + size > bytesMax) {
      chunks.push([]);
      bytes = BATCH_OVERHEAD;
    }
    chunks.at(-1)?.push(record);
    bytes += size;
  }
  return chunks;
}

/** Returns a lower bound of the uncompressed size: lengths are varints of up to five bytes. */
function sizeOf({ key, headers, value }: OutgoingRecord): number {
  let bytes = RECORD_OVERHEAD + Buffer.byteLength(key) + Buffer.byteLength(value);
  for (const [name, text] of Object.entries(headers)) {
    bytes += HEADER_OVERHEAD + Buffer.byteLength(name) + Buffer.byteLength(text);
  }
  return bytes;
}

const BATCH_OVERHEAD = 61;
const RECORD_OVERHEAD = 36;
const HEADER_OVERHEAD = 10;
