import type { Brand } from './brand.ts';
import { inOnePiece } from './in-one-piece.ts';

/** A UUID in its canonical lower-case form. */
export type Uuid = Brand<string, 'Uuid'>;

/** The number of an event in its journal, from 0 without gaps. */
export type Revision = number;

/** The revision before the first event: that of a journal that does not exist yet. */
export const NONE: Revision = -1;

const form = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Reads a UUID of any version and lowers its case; undefined if the text is not a UUID. */
export function parseUuid(text: string): Uuid | undefined {
  const lower = text.toLowerCase();
  return form.test(lower) ? (lower as Uuid) : undefined;
}

/**
 * Derives the id of part n from the id of the aggregate, whose last 16 bits it replaces. Thus an account's first balance
 * and a transaction's operations are found without an index (docs/adr/0005-part-ids.md).
 */
export function partId(whole: Uuid, ordinal: number): Uuid {
  if (ordinal < 1 || ordinal > PARTS_MAX) throw new Error(`No part ${String(ordinal)}`);
  return inOnePiece(whole.slice(0, PREFIX), ordinal.toString(16).padStart(4, '0')) as Uuid;
}

/** Returns whether an id is that of part n, without making it. */
export const isPart = (part: Uuid, whole: Uuid, ordinal: number): boolean =>
  ordinal >= 1 &&
  ordinalOf(part) === ordinal &&
  part.length === whole.length &&
  part.startsWith(whole.slice(0, PREFIX));

/** Returns the id of the aggregate that a part belongs to. */
export const wholeId = (part: Uuid): Uuid => (part.slice(0, PREFIX) + '0000') as Uuid;

/** Returns the number of a part in its aggregate; NaN for a text that is not an id. */
export function ordinalOf(part: Uuid): number {
  let ordinal = part.length === PREFIX + 4 ? 0 : NaN;
  for (let at = PREFIX; at < part.length; at += 1) {
    ordinal = ordinal * 16 + hexDigit(part.charCodeAt(at));
  }
  return ordinal;
}

/** Avoids parseInt, which would cost more than the rest of folding an operation. */
function hexDigit(code: number): number {
  if (code >= DIGIT_0 && code <= DIGIT_0 + 9) return code - DIGIT_0;
  return code >= LETTER_A && code <= LETTER_A + 5 ? code - LETTER_A + 10 : NaN;
}

export const PARTS_MAX = 0xffff;
const PREFIX = 32;
const DIGIT_0 = 48;
const LETTER_A = 97;
