/**
 * Where a row entered its list: (revision × 65536 + ordinal) inside a journal, a position across journals.
 * Never both in one listing. Fixes list order; nothing reorders a row later.
 */
export type Born = number | string;

/** One page of a list, written. */
export type Page = Readonly<{
  /** JSON texts joined by commas: a text, or when it is long its UTF-8 bytes, ready for the wire and to be handed over. */
  items: string | Uint8Array<ArrayBuffer>;
  /** The walk can go on in the direction it was read in. */
  more: boolean;
  /** Where the page's first and last item stand; undefined for an empty page. */
  first: Born | undefined;
  last: Born | undefined;
}>;

export type PageBounds = Readonly<{
  limit: number;
  /** It was read away from the end of the list: the page shows it in the order of the list. */
  reversed?: boolean | undefined;
}>;

/** Makes a page of what was found, which is one more than `limit` when the walk can go on. */
export function pageOf<Found>(
  found: readonly Found[],
  { limit, reversed = false }: PageBounds,
  bornOf: (found: Found) => Born,
  textOf: (found: Found) => string,
): Page {
  const kept = found.slice(0, limit);
  if (reversed) kept.reverse();
  const [first, last] = [kept[0], kept.at(-1)];
  const text = kept.map(textOf).join(',');
  return {
    items: text.length < LONG ? text : new TextEncoder().encode(text),
    more: found.length > limit,
    first: first && bornOf(first),
    last: last && bornOf(last),
  };
}

/** Characters from which on bytes are cheaper to hand over than text. */
const LONG = 16_384;
