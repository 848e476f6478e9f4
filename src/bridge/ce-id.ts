import { hash } from 'node:crypto';
import type { Uuid } from '#src/kernel/ids.ts';
import { parseInstant, type Instant } from '#src/kernel/instant.ts';

/**
 * Returns the id of a CloudEvent, the same on every retry and replay: a UUIDv7 with the milliseconds at which the
 * journal event was recorded; its 74 random bits are the first of SHA-256 over event id, event key and part, joined by
 * line feeds. The part (an operation's id) distinguishes records that one event yields under one key, else it is empty.
 * Source: contract events §2.
 */
export function ceId(eventId: Uuid, recordedAt: Instant, eventKey: string, part = ''): Uuid {
  const digest = hash('sha256', `${eventId}\n${eventKey}\n${part}`);
  // 12 bits precede the variant and 62 follow it, so the variant's two bits shift every digit from there on.
  const high = parseInt(digest.slice(3, 11), 16);
  const low = parseInt(digest.slice(11, 19), 16);
  const tail = hex32((VARIANT | (high >>> 2)) >>> 0) + hex32(((high << 30) | (low >>> 2)) >>> 0);
  return `${timePart(recordedAt)}-7${digest.slice(0, 3)}-${tail.slice(0, 4)}-${tail.slice(4)}` as Uuid;
}

/** Remembers the last moment, because the records of one event share it. */
function timePart(recordedAt: Instant): string {
  if (recordedAt !== lastInstant) {
    const digits = Math.floor(parseInstant(recordedAt) / 1000)
      .toString(16)
      .padStart(12, '0');
    lastTimePart = `${digits.slice(0, 8)}-${digits.slice(8)}`;
    lastInstant = recordedAt;
  }
  return lastTimePart;
}
let lastInstant = '';
let lastTimePart = '';

const hex32 = (bits: number): string => bits.toString(16).padStart(8, '0');

const VARIANT = 1 << 31;
