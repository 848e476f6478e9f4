/**
 * The position of a row in its list: (revision × 65536 + ordinal) inside a journal, a position of the log across
 * journals; never both in one listing. It is fixed when the row is created, so the order of a list never changes.
 */
export type ListPosition = number | string;

/** One page of a list, as JSON text. */
export type Page = Readonly<{
  /**
   * JSON texts joined by commas: a string, or its UTF-8 bytes if it is long, which can be sent or transferred as they
   * are.
   */
  items: string | Uint8Array<ArrayBuffer>;
  /** There are more items in the direction of reading. */
  more: boolean;
  /** The positions of the page's first and last item; undefined for an empty page. */
  first: ListPosition | undefined;
  last: ListPosition | undefined;
  /** The reason why the page ended early, with fewer than `limit` items although there are more. */
  cut?: Cut;
}>;

/**
 * The reason why a page ended early: it used up the time that one read may take (`time`), its items reached the maximum
 * length of a page (`bytes`), or too many other reads waited for it to end (`busy`).
 */
export type Cut = 'time' | 'bytes' | 'busy';

/** The position at which a scan ended early; `reached` is undefined if it had not come to the first row of the page. */
export type Ending = Readonly<{ cut: Cut; reached: ListPosition | undefined }>;

/** One item of a page: its position and its JSON text. */
export type PageItem = Readonly<{ born: ListPosition; text: string }>;

/** The result of a scan. */
export type Walked<Found> = Readonly<{ found: readonly Found[]; ended?: Ending | undefined }>;

export type PageBounds = Readonly<{
  limit: number;
  /** The list was read backward; the page shows the items in the order of the list. */
  reversed?: boolean | undefined;
}>;

/** Builds a page from what a scan found, which is one item more than `limit` if there are more. */
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

/** Builds a page from the items that a scan found. */
export function pageOfWalk({ found, ended }: Walked<PageItem>, bounds: PageBounds): Page {
  const { limit } = bounds;
  if (found.length < limit) return pageOfItems(found, bounds, { more: false, ended });
  const more = found.length > limit || ended !== undefined;
  return pageOfItems(found.slice(0, limit), bounds, { more });
}

/** Takes `items` in the order in which they were read. A page that ended early continues where its scan ended. */
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
 * The maximum length of the items of one page, in bytes. A page has at least one item and may exceed this by its last
 * one; events, and so the records in them, have at most 900 KB.
 */
export const PAGE_BYTES = 4 * 1024 * 1024;

/** Counts the bytes of a page; exactly only once it may be too long, because most pages are far from it. */
export class PageSize {
  readonly #max: number;
  #characters = 0;
  #bytes: number | undefined;

  constructor(max = PAGE_BYTES) {
    this.#max = max;
  }

  /** Counts the last of these items. Returns whether the page has reached its maximum length. */
  isFull(items: readonly PageItem[]): boolean {
    const text = items.at(-1)?.text ?? '';
    this.#characters += text.length;
    if (this.#characters * BYTES_MAX < this.#max) return false;
    if (this.#bytes !== undefined) this.#bytes += Buffer.byteLength(text);
    else this.#bytes = items.reduce((sum, item) => sum + Buffer.byteLength(item.text), 0);
    return this.#bytes >= this.#max;
  }
}

/** The maximum number of UTF-8 bytes of one UTF-16 unit. */
const BYTES_MAX = 3;

/** The number of characters from which on bytes are cheaper to transfer than text. */
const LONG = 16_384;
