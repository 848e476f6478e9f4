import { crc32 } from 'node:zlib';

/**
 * One commit as it lies on disk: a head (length of the events, length of the trailer, checksum of both), the
 * events as they are served, and the trailer, which says what an index must know of them. It is there as a
 * whole or, after a crash, not at all.
 */
export type Trailer = Readonly<{
  stream: string;
  /** Revision of the first event. */
  first: number;
  events: readonly Readonly<{ id: string; type: string; length: number }>[];
  /** What the commit does to a stream besides. */
  removes?: Readonly<{ stream: string; how: 'deleted' | 'tombstoned' }>;
}>;

export const HEAD_BYTES = 12;

export function writeRecord(events: readonly Uint8Array[], trailer: Trailer): Buffer {
  const trailerBytes = Buffer.from(JSON.stringify(trailer));
  const head = Buffer.alloc(HEAD_BYTES);
  const record = Buffer.concat([head, ...events, trailerBytes]);
  const eventBytes = record.length - HEAD_BYTES - trailerBytes.length;
  record.writeUInt32LE(eventBytes, 0);
  record.writeUInt32LE(trailerBytes.length, 4);
  record.writeUInt32LE(crc32(record.subarray(HEAD_BYTES)), 8);
  return record;
}

/** The record that starts at an offset: whole, or torn. */
export function readRecord(bytes: Buffer, at: number): { trailer: Trailer; end: number } | 'torn' {
  if (bytes.length < at + HEAD_BYTES) return 'torn';
  const eventBytes = bytes.readUInt32LE(at);
  const end = at + HEAD_BYTES + eventBytes + bytes.readUInt32LE(at + 4);
  const from = at + HEAD_BYTES;
  if (bytes.length < end) return 'torn';
  if (crc32(bytes.subarray(from, end)) !== bytes.readUInt32LE(at + 8)) return 'torn';
  return { trailer: JSON.parse(bytes.toString('utf8', from + eventBytes, end)) as Trailer, end };
}
