import type { Uuid } from '#src/domain/ids.ts';
import { listed, type Reply } from '#src/http/reply.ts';
import type { PageRequest, SortOrder } from '#src/http/request.ts';
import type { Born, Condition } from '#src/ports/read-store.ts';
import { badCursor, fingerprintOf, formatCursor, parseCursor, type Towards } from './cursor.ts';

/** One item of a list: where it stands in its sequence is all that paging knows of it. */
export type Placed = Readonly<{ born: Born }>;

/** A stretch of a sequence, read from one end. */
export type Stretch = Readonly<{
  order: SortOrder;
  /** Exclusive. */
  after?: Born;
  skip?: number;
  limit: number;
}>;

export type Sequence<Found extends Placed = Placed> = Readonly<{
  /** What is listed and by which filters; a cursor is good for one of these only. */
  listing: unknown;
  read: (stretch: Stretch) => Promise<readonly Found[]>;
  /**
   * Writes an item. Called for a whole page at once, with nothing in between: pages that are answered at the
   * same time would otherwise all keep their half-written texts, and the garbage collector would carry them.
   */
  text: (found: Found) => string;
  /** Where the record stands that another program's cursor names. */
  find: (id: Uuid) => Promise<Born | undefined>;
  logId: Uuid;
}>;

/** A list whose pages are counted. */
export async function pageReply<Found extends Placed>(
  { read, text }: Sequence<Found>,
  request: PageRequest,
): Promise<Reply> {
  const { limit, page = 1, sortOrder: order = 'asc', cursor } = request;
  if (cursor !== undefined) parseCursor(cursor); // Without use here, yet checked (contract ledger §1.7).
  const items = await read({ order, skip: (page - 1) * limit, limit });
  return listed(items.map(text), { limit, page });
}

/**
 * A list whose pages follow each other by keyset on `born`, the place at which a row entered its list. Rows are
 * born in that order and keep their place, so a walk neither repeats nor skips one, whatever is written meanwhile.
 * Errors: Refusal QUERY_INVALID for a cursor of another order, filter or log.
 */
export async function cursorReply<Found extends Placed>(
  sequence: Sequence<Found>,
  request: PageRequest,
): Promise<Reply> {
  const { items, nextCursor, prevCursor } = await walk(sequence, request, 0);
  return listed(items.map(sequence.text), { limit: request.limit, nextCursor, prevCursor });
}

/** Takes either; beside a cursor `page` has no effect. */
export async function unionReply<Found extends Placed>(
  sequence: Sequence<Found>,
  request: PageRequest,
): Promise<Reply> {
  const { limit, page } = request;
  const { items, nextCursor, prevCursor } = await walk(sequence, request, page ?? 1);
  return listed(items.map(sequence.text), { limit, page, nextCursor, prevCursor });
}

/** The filters every list takes. */
export const pageFilters = ({ startDate, endDate, metadata }: PageRequest): Condition[] => [
  ...createdBetween({ startDate, endDate }),
  ...metadata.map(({ key, value }) => ({ metadata: key, is: value })),
];

export const createdBetween = ({
  startDate,
  endDate,
}: Pick<PageRequest, 'startDate' | 'endDate'>): Condition[] =>
  startDate === undefined && endDate === undefined
    ? []
    : [
        {
          key: 'createdAt',
          ...(startDate !== undefined && { from: startDate }),
          ...(endDate !== undefined && { to: endDate }),
        },
      ];

async function walk<Found extends Placed>(
  sequence: Sequence<Found>,
  request: PageRequest,
  page: number,
) {
  const { limit } = request;
  const from = await placeOf(sequence, request);
  const order = from?.order ?? request.sortOrder ?? 'asc';
  const back = from?.towards === 'prev';
  const skip = from === undefined && page > 1 ? (page - 1) * limit : 0;

  const found = await sequence.read({
    order: back ? opposite(order) : order,
    ...(from !== undefined && { after: from.born }),
    ...(skip > 0 && { skip }),
    limit: limit + 1, // One row too many tells us whether the walk can go on.
  });
  const more = found.length > limit;
  const items = back ? found.slice(0, limit).reverse() : found.slice(0, limit);

  const { logId } = sequence;
  const listing = fingerprintOf(sequence.listing);
  const cursorAt = (item: Found | undefined, towards: Towards): string | undefined =>
    item && formatCursor({ born: item.born, towards, order, listing, logId });
  const first = from === undefined && skip === 0;
  return {
    items,
    nextCursor: back || more ? cursorAt(items.at(-1), 'next') : undefined,
    prevCursor: (back ? more : !first) ? cursorAt(items[0], 'prev') : undefined,
  };
}

async function placeOf(
  { listing, find, logId }: Omit<Sequence, 'read' | 'text'>,
  { cursor, sortOrder }: PageRequest,
) {
  if (cursor === undefined) return undefined;
  const found = parseCursor(cursor);
  if ('id' in found) {
    const born = await find(found.id);
    if (born === undefined) throw badCursor('names no record of this list');
    return { born, towards: found.towards, order: sortOrder ?? 'asc' } as const;
  }
  if (found.logId !== logId) throw badCursor('belongs to another log');
  if (found.listing !== fingerprintOf(listing)) throw badCursor('belongs to another list');
  if (sortOrder !== undefined && sortOrder !== found.order) {
    throw badCursor('belongs to the other sort order');
  }
  return found;
}

const opposite = (order: SortOrder): SortOrder => (order === 'asc' ? 'desc' : 'asc');
