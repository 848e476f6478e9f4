import type { OutgoingRecord } from '#src/ports/publisher.ts';

/** Splits records, in order, into requests of about `bytesMax` bytes at most; a larger record goes alone. */
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

/** Estimates the uncompressed size. Keys and headers, short and nearly always ASCII, are not measured: that takes long. */
function sizeOf({ key, headers, value }: OutgoingRecord): number {
  let bytes = RECORD_OVERHEAD + key.length + Buffer.byteLength(value);
  for (const name in headers) {
    bytes += HEADER_OVERHEAD + name.length + (headers[name]?.length ?? 0);
  }
  return bytes;
}

const BATCH_OVERHEAD = 61;
const RECORD_OVERHEAD = 36;
const HEADER_OVERHEAD = 10;
