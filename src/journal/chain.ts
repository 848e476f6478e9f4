import { hash } from 'node:crypto';
import type { EventMetadata } from '#src/events/metadata.ts';

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
  return { metadata: `${open.slice(0, -1)}${MEMBER}${digest}"}`, hash: digest };
}

/** Optional members may be undefined too: JSON leaves them out, and to spread them in or not costs more. */
type Open<Members> = {
  readonly [Name in keyof Members]: object extends Pick<Members, Name>
    ? Members[Name] | undefined
    : Members[Name];
};

/** The hash a stored event claims; throws when its metadata was not sealed here. */
export function hashOf(metadata: string): string {
  const at = metadata.length - TAIL;
  const sealed = at >= 0 && metadata.startsWith(MEMBER, at) && metadata.endsWith('"}');
  if (!sealed) throw new Error('Event metadata has no hash');
  return metadata.slice(at + MEMBER.length, -2);
}

/** Whether a stored event is what was sealed, and follows the event with that hash. */
export function follows(
  event: Readonly<{ type: string; data: string; metadata: string }>,
  prevHash: string,
): boolean {
  const claimed = hashOf(event.metadata);
  const open = `${event.metadata.slice(0, event.metadata.length - TAIL)}}`;
  return (
    open.endsWith(`"prevHash":"${prevHash}"}`) &&
    hash('sha256', prevHash + event.type + event.data + open) === claimed
  );
}

const MEMBER = ',"hash":"';
const TAIL = MEMBER.length + 64 + 2;
