/**
 * Where a row entered its list: (revision × 65536 + ordinal) inside a journal, a position across journals.
 * Never both in one listing. Fixes list order; nothing reorders a row later.
 */
export type ListPosition = number | string;

/** One page of a list, written. */
export type Page = Readonly<{
  /** JSON texts joined by commas: a text, or when it is long its UTF-8 bytes, ready for the wire and to be handed over. */
  items: string | Uint8Array<ArrayBuffer>;
  /** The walk can go on in the direction it was read in. */
  more: boolean;
  /** Where the page's first and last item stand; undefined for an empty page. */
  first: ListPosition | undefined;
  last: ListPosition | undefined;
  /** Why the page ended early: fewer than `limit` items although the walk can go on. */
  cut?: Cut;
}>;

/**
 * A page ends early when its walk used up the time that one read may take, when its items are as long as a page may be,
 * or when too many other reads waited for it to end.
 */
export type Cut = 'time' | 'bytes' | 'busy';

/** Where a walk stood when it ended early. Undefined `reached`: it had not come to the first row of the page. */
export type Ending = Readonly<{ cut: Cut; reached: ListPosition | undefined }>;

/** One item of a page: where it stands, and its JSON text. */
export type PageItem = Readonly<{ born: ListPosition; text: string }>;

/** What a walk found. */
export type Walked<Found> = Readonly<{ found: readonly Found[]; ended?: Ending | undefined }>;

export type PageBounds = Readonly<{
  limit: number;
  /** It was read away from the end of the list: the page shows it in the order of the list. */
  reversed?: boolean | undefined;
}>;

/** Makes a page of what was found, which is one more than `limit` when the walk can go on. */
export function pageOf<Found>(
  found: readonly Found[],
  bounds: PageBounds,
  bornOf: (found: Found) => ListPosition,
  textOf: (found: Found) => string,
): Page {
  const { limit } = bounds;
  const items = found.slice(0, limit).map((one) => ({ born: bornOf(one), text: textOf(one) }));
  return pageOfItems(items, bounds, { more: found.length > limit });
}

/** Makes a page of a walk over items. */
export function pageOfWalk({ found, ended }: Walked<PageItem>, bounds: PageBounds): Page {
  const { limit } = bounds;
  if (found.length < limit) return pageOfItems(found, bounds, { more: false, ended });
  const more = found.length > limit || ended !== undefined;
  return pageOfItems(found.slice(0, limit), bounds, { more });
}

/** `items` in the order in which they were read. A page that ended early goes on where its walk stood. */
function pageOfItems(
  items: readonly PageItem[],
  { reversed = false }: PageBounds,
  { more, ended }: Readonly<{ more: boolean; ended?: Ending | undefined }>,
): Page {
  const near = items[0]?.born ?? ended?.reached;
  const far = ended === undefined ? items.at(-1)?.born : ended.reached;
  const shown = reversed ? items.toReversed() : items;
  const text = shown.map((item) => item.text).join(',');
  return {
    items: text.length < LONG ? text : new TextEncoder().encode(text),
    more: more || ended !== undefined,
    first: reversed ? far : near,
    last: reversed ? near : far,
    ...(ended && { cut: ended.cut }),
  };
}

/**
 * Bytes of the items of one page. A page may be longer by its last item, and has one item at least: events, and so
 * the records in them, are at most 900 KB.
 */
export const PAGE_BYTES = 4 * 1024 * 1024;

/** Counts the bytes of a page, exactly only once it may be too long: most pages are far from it. */
export class PageSize {
  readonly #max: number;
  #characters = 0;
  #bytes: number | undefined;

  constructor(max = PAGE_BYTES) {
    this.#max = max;
  }

  /** Counts the last one of these items. Answers whether the page is as long as it may be. */
  isFull(items: readonly PageItem[]): boolean {
    const text = items.at(-1)?.text ?? '';
    this.#characters += text.length;
    if (this.#characters * BYTES_MAX < this.#max) return false;
    if (this.#bytes !== undefined) this.#bytes += Buffer.byteLength(text);
    else this.#bytes = items.reduce((sum, item) => sum + Buffer.byteLength(item.text), 0);
    return this.#bytes >= this.#max;
  }
}

/** Of one character (UTF-16 unit). */
const BYTES_MAX = 3;

/** Characters from which on bytes are cheaper to hand over than text. */
const LONG = 16_384;
