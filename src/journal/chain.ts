import { hash } from 'node:crypto';
import { HASH_MEMBER } from '#src/kernel/event-hash.ts';
import type { EventMetadata } from '#src/kernel/event-metadata.ts';

/** What the first event of a journal names as its predecessor. */
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
  const open = JSON.stringify(metadata);
  const digest = hash('sha256', metadata.prevHash + type + data + open);
  return { metadata: `${open.slice(0, -1)}${HASH_MEMBER}${digest}"}`, hash: digest };
}

/** Optional members may be undefined too: JSON leaves them out, and to spread them in or not costs more. */
type Open<Members> = {
  readonly [Name in keyof Members]: object extends Pick<Members, Name>
    ? Members[Name] | undefined
    : Members[Name];
};
