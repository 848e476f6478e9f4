import { hash } from 'node:crypto';
import { differ } from './difference.ts';

/** The hash that the first event of a journal follows. */
export const GENESIS = '0'.repeat(64);

/**
 * Checks that an event follows the one with hash `previous` and was not changed: its hash is SHA-256(previous hash ‖
 * type ‖ data ‖ metadata without `hash`). Returns that hash.
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
