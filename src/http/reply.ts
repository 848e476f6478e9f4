/** The revision of each journal (stream name) that a reader must have seen. */
export type ConsistencyToken = Readonly<Record<string, number>>;

/** A reply whose body is already serialized and is sent as it is. */
export type Reply = Readonly<{
  status: number;
  /** Text, or its bytes if it is long, in pieces that are sent as they are. */
  body?: Body;
  /** The body is a text that is known to have ASCII characters only. */
  isAscii?: boolean;
  /** Used instead of `body` for a reply too long for memory, which is sent as it is produced. */
  chunks?: AsyncIterable<string>;
  headers?: Readonly<Record<string, string>>;
  /** Sent as X-Consistency-Token: the writes of the caller. */
  token?: ConsistencyToken;
  /** Sent as X-Idempotency-Replayed, by operations that take a key. */
  replayed?: boolean;
}>;

export type Body = string | readonly Uint8Array<ArrayBuffer>[];

/** Returns the size of the body in bytes, or in characters where that is close enough. */
export const sizeOf = ({ body = '' }: Reply): number =>
  typeof body === 'string'
    ? body.length
    : body.reduce((length, piece) => length + piece.byteLength, 0);

type ReplyMembers = Omit<Reply, 'status' | 'body' | 'chunks'>;

export const ok = (body: Body, more?: ReplyMembers): Reply => ({
  status: 200,
  body,
  ...more,
});

export const created = (body: Body, more?: ReplyMembers): Reply => ({
  status: 201,
  body,
  ...more,
});

/** Creates a reply too long for memory, which is sent no faster than it is read. */
export const streamed = (chunks: AsyncIterable<string>, media: string): Reply => ({
  status: 200,
  chunks,
  headers: { 'Content-Type': media },
});

export const noContent = (more?: ReplyMembers): Reply => ({ status: 204, ...more });

/** Creates the reply of a count (contract ledger §1.9). */
export const counted = (total: number): Reply => ({
  status: 204,
  headers: { 'X-Total-Count': String(total), 'Content-Length': '0' },
});

/** The envelope of a list: `page` for the page style, the cursors for the cursor style (§1.7). */
export type ListEnvelope = Readonly<{
  limit: number;
  page?: number | undefined;
  nextCursor?: string | undefined;
  prevCursor?: string | undefined;
  /** The number of records on all pages. */
  total?: number | undefined;
  /** A sum over the whole list. */
  openTotal?: string | undefined;
}>;

/** Creates a list from serialized items: JSON texts joined by commas, or their bytes. */
export function listed(
  items: string | Uint8Array<ArrayBuffer>,
  { limit, page, nextCursor, prevCursor, total, openTotal }: ListEnvelope,
): Reply {
  let tail = `],"limit":${String(limit)}`;
  if (page !== undefined) tail += `,"page":${String(page)}`;
  if (nextCursor !== undefined) tail += `,"next_cursor":${JSON.stringify(nextCursor)}`;
  if (prevCursor !== undefined) tail += `,"prev_cursor":${JSON.stringify(prevCursor)}`;
  if (total !== undefined) tail += `,"total":${String(total)}`;
  if (openTotal !== undefined) tail += `,"openTotal":${JSON.stringify(openTotal)}`;
  tail += '}';
  if (typeof items === 'string') return ok(HEAD + items + tail);
  return ok([Buffer.from(HEAD), items, Buffer.from(tail)]);
}

/** Creates a list from serialized items as for `listed`, without an envelope. */
export function bareList(items: string | Uint8Array<ArrayBuffer>): Reply {
  if (typeof items === 'string') return ok(`[${items}]`);
  return ok([Buffer.from('['), items, Buffer.from(']')]);
}

const HEAD = '{"items":[';
