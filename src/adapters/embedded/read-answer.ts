import { TimeBudgetExceeded } from '#src/ports/errors.ts';
import { pageOfWalk, PageSize, type Cut, type PageItem, type Page } from '#src/ports/page.ts';
import type {
  EntryListing,
  EntryPageListing,
  Listing,
  PageListing,
  Row,
  Renderers,
} from '#src/ports/read-store.ts';
import type { Where } from './read-sql.ts';
import { ReadView, type Walking } from './read-view.ts';

/** A question from the main thread to the reader thread. */
export type ReadRequest = Readonly<{ id: number; collection: string; version: number }> &
  Readonly<
    | { get: Where }
    | { getAll: Readonly<{ ids: readonly string[]; where: Where }> }
    | { list: Listing }
    | { listEntries: EntryListing }
    | { page: PageListing }
    | { pageEntries: EntryPageListing }
  >;

/** Rows, or for pages the page built from them. */
export type ReadResult = readonly Row[] | Page;

/** The work on a question, which pauses; a reason sent into the pause ends it early. */
export type ReadWork = Generator<undefined, ReadResult, Cut | undefined>;

/** The limits of a read, and the renderers of its rows. */
export type ReadRules = Readonly<{
  /** The milliseconds of the thread that one read may use. */
  budgetMs: number;
  pageBytes: number;
  renderers: Renderers;
}>;

/** Errors: TimeBudgetExceeded for rows that took too long; only a page can end early. */
export function* answer(
  question: ReadRequest,
  view: () => ReadView | undefined,
  rules: ReadRules,
): ReadWork {
  const { collection } = question;
  if ('get' in question) return view()?.get(collection, question.get) ?? [];
  if ('page' in question) return yield* page(collection, question.page, view, rules);
  if ('pageEntries' in question) {
    return yield* pageEntries(collection, question.pageEntries, view, rules);
  }
  const { found, ended } = yield* rows(question, view);
  if (ended === undefined) return found;
  throw new TimeBudgetExceeded(
    ended.cut === 'time'
      ? `Reading ${collection} took more than its ${String(rules.budgetMs)} ms.`
      : `Too much else is being read; reading ${collection} was ended.`,
  );
}

function rows(
  question: Exclude<ReadRequest, { get: Where } | { page: PageListing } | { pageEntries: object }>,
  view: () => ReadView | undefined,
): Walking<Row> {
  const { collection } = question;
  if ('getAll' in question) return ReadView.getAll(view, collection, question.getAll);
  if ('list' in question) {
    return ReadView.list(view, collection, question.list, { take: asItIs });
  }
  return ReadView.listEntries(view, collection, question.listEntries, { take: asItIs });
}

function* page(
  collection: string,
  listing: PageListing,
  view: () => ReadView | undefined,
  { pageBytes, renderers }: ReadRules,
): ReadWork {
  const show = renderers.rows[listing.as ?? collection] ?? (({ body }) => body);
  const size = new PageSize(pageBytes);
  const walked = yield* ReadView.list<PageItem>(
    view,
    collection,
    { ...listing, limit: listing.limit + 1 },
    {
      unnamed: true,
      take: (row) => ({ born: row.born, text: show(row) }),
      isFull: (items) => size.isFull(items),
    },
  );
  return pageOfWalk(walked, listing);
}

function* pageEntries(
  collection: string,
  listing: EntryPageListing,
  view: () => ReadView | undefined,
  { pageBytes, renderers }: ReadRules,
): ReadWork {
  const { as, wanted, sieves = false } = listing;
  const show = renderers.entries[as] ?? renderers.rows[as] ?? (({ body }) => body);
  const size = new PageSize(pageBytes);
  const walked = yield* ReadView.listEntries<PageItem>(
    view,
    collection,
    { ...listing, limit: listing.limit + 1 },
    {
      unnamed: true,
      take(row) {
        const text = show(row, wanted);
        return typeof text === 'string' ? { born: row.entryBorn, text } : text;
      },
      sieves,
      isFull: (items) => size.isFull(items),
    },
  );
  return pageOfWalk(walked, listing);
}

const asItIs = <Row>(row: Row): Row => row;
