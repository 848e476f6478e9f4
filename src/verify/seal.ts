import { hash } from 'node:crypto';
import { differ } from './difference.ts';

/** What the first event of a journal names as its predecessor. */
export const GENESIS = '0'.repeat(64);

/**
 * Checks that an event follows the one with a hash, and is what was sealed:
 * SHA-256(previous hash ‖ type ‖ data ‖ metadata without `hash`). Answers the event's own hash.
 */
export function checkSeal(
  { type, data, metadata }: Readonly<{ type: string; data: string; metadata: string }>,
  previous: string,
): string {
  const end = ENDING.exec(metadata);
  if (end === null) differ('metadata does not end with prevHash and hash');
  const [, prevHash, claimed = ''] = end;
  const open = `${metadata.slice(0, metadata.length - HASH_MEMBER_LENGTH)}}`;
  const found = hash('sha256', previous + type + data + open);
  if (prevHash !== previous) differ(`it follows hash ${String(prevHash)}, not ${previous}`);
  if (found !== claimed) differ(`its hash is ${found}, it claims ${claimed}`);
  return found;
}

const ENDING = /,"prevHash":"([0-9a-f]{64})","hash":"([0-9a-f]{64})"\}$/;
const HASH_MEMBER_LENGTH = ',"hash":""}'.length + 64;
