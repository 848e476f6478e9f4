import type { List } from './operation-types.ts';
import type { QueryParameters } from './request-url.ts';

/** Yields the items of a list, which `read` gets page by page. */
export async function* itemsOf(
  read: (query: QueryParameters) => Promise<List>,
  query: QueryParameters = {},
): AsyncGenerator<unknown, void, undefined> {
  let asked: QueryParameters | undefined = { limit: LIMIT, ...query };
  while (asked !== undefined) {
    const list = await read(asked);
    yield* list.items;
    asked = nextQuery(asked, list);
  }
}

/** A list by cursor ends where there is no next one, and a list by page with a page that is not full. */
function nextQuery(asked: QueryParameters, list: List): QueryParameters | undefined {
  const { page: _, cursor, ...rest } = asked;
  if (list.next_cursor !== undefined) return { ...rest, cursor: list.next_cursor };
  const isFull = list.items.length >= list.limit;
  const byPage = cursor === undefined && list.page !== undefined && isFull;
  return byPage ? { ...rest, page: list.page + 1 } : undefined;
}

/** The highest limit that servers accept by default. */
const LIMIT = 100;
