import { refuse } from '#src/kernel/errors.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { unreachable } from '#src/kernel/unreachable.ts';
import { listed, type ListEnvelope, type Reply } from '#src/http/reply.ts';
import type { PageRequest, SortOrder } from '#src/http/request.ts';
import { TimeBudgetExceeded } from '#src/ports/errors.ts';
import type { ListPosition, Page, PageBounds } from '#src/ports/page.ts';
import type { Condition } from '#src/ports/read-store.ts';
import { badCursor, fingerprintOf, formatCursor, parseCursor, type Towards } from './cursor.ts';

/** A contiguous part of a sequence, read from one end. */
export type Stretch = Readonly<{
  order: SortOrder;
  /** Exclusive. */
  after?: ListPosition;
  skip?: number;
  limit: number;
}>;

export type Sequence = Readonly<{
  /** The listing and its filters; a cursor is valid for one listing only. */
  listing: unknown;
  page: (stretch: Stretch & PageBounds) => Promise<Page>;
  /** Returns the position of the record that another program's cursor names. */
  find: (id: Uuid) => Promise<ListPosition | undefined>;
  logId: Uuid;
}>;

/**
 * Lists by page number. Errors: Refusal LIST_TOO_LARGE, TimeBudgetExceeded, because there is no cursor to continue
 * from.
 */
export async function pageReply(sequence: Sequence, request: PageRequest): Promise<Reply> {
  const { limit, page = 1, sortOrder: order = 'asc', cursor } = request;
  if (cursor !== undefined) parseCursor(cursor); // Validated, but unused (§1.7).
  const { items } = whole(await sequence.page({ order, skip: (page - 1) * limit, limit }));
  return listed(items, { limit, page });
}

/**
 * Lists by keyset on `born`, the position at which a row entered its list. Rows keep that position, so a walk neither
 * repeats nor skips one, whatever is written meanwhile. A page whose read exhausts its time budget has fewer items than
 * requested, possibly none, and a cursor to continue. Errors: Refusal QUERY_INVALID for a cursor of another order,
 * filter or log.
 */
export async function cursorReply(
  sequence: Sequence,
  request: PageRequest,
  more: Pick<ListEnvelope, 'openTotal'> = {},
): Promise<Reply> {
  const { items, ...cursors } = await walk(sequence, request, 0);
  return listed(items, { limit: request.limit, ...cursors, ...more });
}

/** Lists by cursor or by page number; with a cursor, `page` has no effect. */
export async function unionReply(sequence: Sequence, request: PageRequest): Promise<Reply> {
  const { limit, page } = request;
  const { items, ...cursors } = await walk(sequence, request, page ?? 1);
  return listed(items, { limit, page, ...cursors });
}

/** Lists everything if the request has no parameters, as a union list otherwise. `most` exceeds any possible count. */
export async function wholeOrUnionReply(
  sequence: Sequence,
  request: PageRequest,
  most: number,
): Promise<Reply> {
  if (!request.bare) return unionReply(sequence, request);
  const { items } = whole(await sequence.page({ order: 'asc', limit: most }));
  return listed(items, { limit: request.limit });
}

/** The filters of every list. */
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

async function walk(sequence: Sequence, request: PageRequest, page: number) {
  const { limit } = request;
  const from = await placeOf(sequence, request);
  const order = from?.order ?? request.sortOrder ?? 'asc';
  const back = from?.towards === 'prev';
  const skip = from === undefined && page > 1 ? (page - 1) * limit : 0;

  const found = await sequence.page({
    order: back ? opposite(order) : order,
    reversed: back,
    ...(from !== undefined && { after: from.born }),
    ...(skip > 0 && { skip }),
    limit,
  });
  // A page that ended while skipping earlier pages has no position to continue from.
  const { items, more, first, last } = found.last === undefined ? whole(found) : found;

  const { logId } = sequence;
  const cursorAt = (born: ListPosition | undefined, towards: Towards): string | undefined => {
    if (born === undefined) return undefined;
    return formatCursor({ born, towards, order, listing: fingerprintOf(sequence.listing), logId });
  };
  const atStart = from === undefined && skip === 0;
  return {
    items,
    nextCursor: back || more ? cursorAt(last, 'next') : undefined,
    prevCursor: (back ? more : !atStart) ? cursorAt(first, 'prev') : undefined,
  };
}

async function placeOf(
  { listing, find, logId }: Omit<Sequence, 'page'>,
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

/** Requires a page that did not end early. Errors: Refusal LIST_TOO_LARGE, TimeBudgetExceeded. */
function whole(page: Page): Page {
  switch (page.cut) {
    case undefined:
      return page;
    case 'time':
      throw refuse('LIST_TOO_LARGE', TOO_MANY_ROWS);
    case 'bytes':
      throw refuse('LIST_TOO_LARGE', TOO_MANY_BYTES);
    case 'busy':
      throw new TimeBudgetExceeded('Too much else is being read; the list was ended.');
    default:
      return unreachable(page.cut);
  }
}

const TOO_MANY_ROWS =
  'Too many records had to be looked at for one page. Narrow start_date and end_date, leave filters out, or have the ' +
  'metadata key indexed.';
const TOO_MANY_BYTES =
  'The records of this page are too long for one answer. Ask for fewer with limit.';

const opposite = (order: SortOrder): SortOrder => (order === 'asc' ? 'desc' : 'asc');
