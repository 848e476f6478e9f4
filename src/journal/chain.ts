import { hash } from 'node:crypto';
import { HASH_MEMBER } from '#src/kernel/event-hash.ts';
import type { EventMetadata } from '#src/kernel/event-metadata.ts';
import type { Uuid } from '#src/kernel/ids.ts';

/** The previous hash of the first event of a journal. */
export const GENESIS = '0'.repeat(64);

/**
 * Closes an event's metadata with the hash that chains it to its predecessor:
 * SHA-256(previous hash ‖ type ‖ bytes of data ‖ bytes of metadata without `hash`), hexadecimal.
 */
export function seal(
  type: string,
  data: string,
  metadata: Open<Omit<EventMetadata, 'hash'>>,
): Readonly<{ metadata: string; hash: string }> {
  return sealText(type, data, JSON.stringify(metadata).slice(0, -1), metadata.prevHash);
}

/** Seals as `seal` does; `open` is the metadata as JSON without its last brace. */
export function sealText(
  type: string,
  data: string,
  open: string,
  prevHash: string,
): Readonly<{ metadata: string; hash: string }> {
  const digest = hash('sha256', `${prevHash}${type}${data}${open}}`);
  return { metadata: `${open}${HASH_MEMBER}${digest}"}`, hash: digest };
}

/** Derives a UUIDv8 from the SHA-256 of a text, so that an event which several processes append is stored once. */
export function idFrom(text: string): Uuid {
  const hex = hash('sha256', text);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(12, 15)}-8${hex.slice(15, 18)}-${hex.slice(18, 30)}` as Uuid;
}

/** Allows undefined for optional members, because JSON omits them and spreading them conditionally costs more. */
type Open<Members> = {
  readonly [Name in keyof Members]: object extends Pick<Members, Name>
    ? Members[Name] | undefined
    : Members[Name];
};
