/** Journal (stream name) → revision that a reader must have seen. */
export type ConsistencyToken = Readonly<Record<string, number>>;

/** An answer, its body already written as JSON: it goes out as it is. */
export type Reply = Readonly<{
  status: number;
  /** Text, or when it is long its bytes, in pieces that go out as they are. */
  body?: Body;
  /** Instead of `body`: an answer too long for memory, written as it comes. */
  chunks?: AsyncIterable<string>;
  headers?: Readonly<Record<string, string>>;
  /** Leaves as X-Consistency-Token: what the caller has written. */
  token?: ConsistencyToken;
  /** Leaves as X-Idempotency-Replayed; set by operations that take a key. */
  replayed?: boolean;
}>;

export type Body = string | readonly Uint8Array<ArrayBuffer>[];

/** Bytes of the body, or its characters where those are as good. */
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

export const created = (body: string, more?: ReplyMembers): Reply => ({
  status: 201,
  body,
  ...more,
});

/** An answer too long for memory, written no faster than it is read. */
export const streamed = (chunks: AsyncIterable<string>, media: string): Reply => ({
  status: 200,
  chunks,
  headers: { 'Content-Type': media },
});

export const noContent = (more?: ReplyMembers): Reply => ({ status: 204, ...more });

/** The answer of the counts (contract ledger §1.9). */
export const counted = (total: number): Reply => ({
  status: 204,
  headers: { 'X-Total-Count': String(total), 'Content-Length': '0' },
});

/** The envelope of a list. `page` for the page style, the cursors for the cursor style (§1.7). */
export type ListEnvelope = Readonly<{
  limit: number;
  page?: number | undefined;
  nextCursor?: string | undefined;
  prevCursor?: string | undefined;
}>;

/** A list whose items are written already: JSON texts joined by commas, or their bytes. */
export function listed(
  items: string | Uint8Array<ArrayBuffer>,
  { limit, page, nextCursor, prevCursor }: ListEnvelope,
): Reply {
  let tail = `],"limit":${String(limit)}`;
  if (page !== undefined) tail += `,"page":${String(page)}`;
  if (nextCursor !== undefined) tail += `,"next_cursor":${JSON.stringify(nextCursor)}`;
  if (prevCursor !== undefined) tail += `,"prev_cursor":${JSON.stringify(prevCursor)}`;
  tail += '}';
  if (typeof items === 'string') return ok(HEAD + items + tail);
  return ok([Buffer.from(HEAD), items, Buffer.from(tail)]);
}

/** Items written as for `listed`, and nothing around them. */
export function bareList(items: string | Uint8Array<ArrayBuffer>): Reply {
  if (typeof items === 'string') return ok(`[${items}]`);
  return ok([Buffer.from('['), items, Buffer.from(']')]);
}

const HEAD = '{"items":[';
