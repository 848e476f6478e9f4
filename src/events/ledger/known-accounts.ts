import { inOnePiece } from '#src/kernel/in-one-piece.ts';
import type { Uuid } from '#src/kernel/ids.ts';

/** The id of an account and that of its first balance. */
export type KnownAccount = Readonly<{ accountId: Uuid; balanceId: Uuid }>;

/**
 * Returns the account whose id begins at a place in a text, with the same two strings as for earlier events of it: whatever
 * looks them up finds them at once, where two copies would have to be hashed and compared again. Undefined if there is no id.
 */
export function accountAt(text: string, from: number): KnownAccount | undefined {
  let slot = 0;
  for (let at = from + HASHED_FROM; at < from + HASHED_TO; at += 1) {
    slot = (Math.imul(slot, 31) + text.charCodeAt(at)) | 0;
  }
  slot &= SLOTS - 1;
  const known = accounts[slot];
  if (known !== undefined && text.startsWith(known.accountId, from)) return known;

  const id = text.slice(from, from + ID_LENGTH);
  if (!ID.test(id)) return undefined;
  const aggregate = id.slice(0, PREFIX);
  // Both are copied: a part of the text would keep the whole of it in memory.
  const account = {
    accountId: inOnePiece(aggregate, id.slice(PREFIX)) as Uuid,
    balanceId: inOnePiece(aggregate, FIRST_BALANCE) as Uuid,
  };
  accounts[slot] = account;
  return account;
}

/** An account that meets another one in its slot takes its place: the number of slots bounds the memory. */
const SLOTS = 32_768;
const accounts = Array<KnownAccount | undefined>(SLOTS).fill(undefined);
/** Eight random digits of an id. */
const [HASHED_FROM, HASHED_TO] = [24, 32];
const ID_LENGTH = 36;
const ID = /^[0-9a-f-]{36}$/;
const PREFIX = 32;
const FIRST_BALANCE = '0001';
