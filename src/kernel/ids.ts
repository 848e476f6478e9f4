import type { Brand } from './brand.ts';
import { inOnePiece } from './in-one-piece.ts';

/** A UUID in its canonical lower-case form. */
export type Uuid = Brand<string, 'Uuid'>;

/** Number of an event inside its journal, from 0 without gaps. */
export type Revision = number;

/** The revision before the first event: what a journal that does not exist yet is at. */
export const NONE: Revision = -1;

const form = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Reads a UUID of any version; upper case is lowered. Undefined when the text is none. */
export function parseUuid(text: string): Uuid | undefined {
  const lower = text.toLowerCase();
  return form.test(lower) ? (lower as Uuid) : undefined;
}

/**
 * An aggregate owns its parts: the id of part n is the id of the whole with n in the last 16 bits.
 * An account's first balance and a transaction's operations are found from their ids without an index
 * (docs/adr/0005-part-ids.md).
 */
export function partId(whole: Uuid, ordinal: number): Uuid {
  if (ordinal < 1 || ordinal > PARTS_MAX) throw new Error(`No part ${String(ordinal)}`);
  return inOnePiece(whole.slice(0, PREFIX), ordinal.toString(16).padStart(4, '0')) as Uuid;
}

/** The id of the aggregate a part belongs to. */
export const wholeId = (part: Uuid): Uuid => (part.slice(0, PREFIX) + '0000') as Uuid;

/** Which part of its aggregate an id names; NaN for what is no id. */
export function ordinalOf(part: Uuid): number {
  let ordinal = part.length === PREFIX + 4 ? 0 : NaN;
  for (let at = PREFIX; at < part.length; at += 1) {
    ordinal = ordinal * 16 + hexDigit(part.charCodeAt(at));
  }
  return ordinal;
}

/** By hand: this is asked for every operation that is folded, and a parser of numbers costs more than all the rest. */
function hexDigit(code: number): number {
  if (code >= DIGIT_0 && code <= DIGIT_0 + 9) return code - DIGIT_0;
  return code >= LETTER_A && code <= LETTER_A + 5 ? code - LETTER_A + 10 : NaN;
}

export const PARTS_MAX = 0xffff;
const PREFIX = 32;
const DIGIT_0 = 48;
const LETTER_A = 97;
