import { refuse, type Refusal } from '#src/kernel/errors.ts';
import { parseUuid, type Uuid } from '#src/kernel/ids.ts';
import type { SortOrder } from '#src/http/request.ts';
import type { ListPosition } from '#src/ports/page.ts';

export type Towards = 'next' | 'prev';

/** A position in a listing, and the listing it belongs to. */
export type PageCursor = Readonly<{
  born: ListPosition;
  towards: Towards;
  order: SortOrder;
  /** A fingerprint of the listing and its filters. */
  listing: string;
  logId: Uuid;
}>;

/** A cursor issued by another program. It names a record, but no order and no filters. */
export type ForeignCursor = Readonly<{ id: Uuid; towards: Towards }>;

export function formatCursor({ born, towards, order, listing, logId }: PageCursor): string {
  const json = JSON.stringify({ b: born, t: towards, o: order, f: listing, l: logId });
  return Buffer.from(json).toString('base64url');
}

/** Errors: Refusal QUERY_INVALID if the text is not a cursor. */
export function parseCursor(text: string): PageCursor | ForeignCursor {
  const found = decoded(text);
  if (found === undefined) throw badCursor('is no cursor');
  const { b: born, t: towards, o: order, f: listing, l: logId } = found;
  if (
    (typeof born === 'string' || (Number.isSafeInteger(born) && typeof born === 'number')) &&
    (towards === 'next' || towards === 'prev') &&
    (order === 'asc' || order === 'desc') &&
    typeof listing === 'string' &&
    typeof logId === 'string'
  ) {
    const cursor: PageCursor = { born, towards, order, listing, logId: logId as Uuid };
    if (formatCursor(cursor) === text) return cursor;
    throw badCursor('is no cursor'); // Decoding ignores what is cut off or appended.
  }
  const id = typeof found['id'] === 'string' ? parseUuid(found['id']) : undefined;
  const direction = foreignDirection(found);
  if (id === undefined || direction === undefined) throw badCursor('is no cursor');
  return { id, towards: direction };
}

export const badCursor = (message: string): Refusal =>
  refuse('QUERY_INVALID', `query.cursor ${message}.`, {
    findings: [{ location: 'query.cursor', message }],
  });

/** Returns a short name for a listing with its filters. It protects no secret: forging it gains nothing. */
export function fingerprintOf(listing: unknown): string {
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  const text = JSON.stringify(listing);
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, 0x9e3779b1);
    b = Math.imul(b ^ unit, 0x5f356495);
  }
  return (a >>> 0).toString(36) + (b >>> 0).toString(36);
}

function decoded(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString()); // Both alphabets.
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

function foreignDirection({ points_next: pointsNext, direction }: Record<string, unknown>) {
  if (typeof pointsNext === 'boolean') return pointsNext ? 'next' : 'prev';
  return direction === 'next' || direction === 'prev' ? direction : undefined;
}
