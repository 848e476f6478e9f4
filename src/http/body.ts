import { isUtf8 } from 'node:buffer';
import { refuse, type Refusal } from '#src/kernel/errors.ts';
import { unreadable } from './json.ts';
import { noRoom, PIECE_BYTES, SMALL_BODY_BYTES } from './memory-budget.ts';
import type { Route } from './route.ts';
import type { HttpRequest } from './transport.ts';

export const BODY_LIMIT_DEFAULT = 1024 * 1024;

/** The owner of a body that is being read. */
export interface BodyOwner {
  /** Takes memory for a piece of the body; `bodyBytes` counts all of it so far. Returns false when there is no room. */
  hasRoomFor(bytes: number, bodyBytes: number): boolean;
  /** Called once: with the bytes, or with the error that refuses them, as soon as it is known. */
  bodyRead(body: Buffer | Error): void;
  /** Frees the memory of a body that is dropped. */
  dropBody(): void;
  /** Called once a body turns out not to be small, before more of it is read. Errors: why it is refused. */
  admitLargeBody(): Promise<void> | undefined;
}

/**
 * Collects the body of a request, at most `limit` bytes. After a refusal, the rest is read and dropped for a while,
 * because a caller that is cut off while it sends would not see the reply. The owner is not called when the connection
 * breaks first.
 */
export function readBody(request: HttpRequest, limit: number, owner: BodyOwner): void {
  const { whole } = request;
  if (whole !== undefined) {
    takeWhole(whole, limit, owner);
    return;
  }
  const announced = Number(request.headers['content-length'] ?? 0);
  let refused = false;
  let first: Buffer | undefined;
  let more: Buffer[] | undefined;
  let size = 0;
  const refuseBody = (error: Error): void => {
    refused = true;
    first = more = undefined;
    owner.dropBody();
    owner.bodyRead(error);
  };
  request.on('data', (chunk: Buffer) => {
    const wasSmall = size <= SMALL_BODY_BYTES;
    size += chunk.length;
    if (refused) {
      if (size > limit + DROPPED_MAX) request.destroy();
    } else if (size > limit) {
      refuseBody(tooLarge(limit));
    } else if (!owner.hasRoomFor(chunk.length + PIECE_BYTES, size)) {
      refuseBody(noRoom());
    } else if (first === undefined) {
      first = chunk;
    } else {
      (more ??= [first]).push(chunk);
    }
    if (wasSmall && size > SMALL_BODY_BYTES && !refused) admit();
  });
  request.on('end', () => {
    if (!refused)
      owner.bodyRead(more === undefined ? (first ?? NOTHING) : Buffer.concat(more, size));
  });
  request.on('error', () => owner.dropBody()); // The connection is gone, and nobody is left to reply to.
  if (announced > limit) refuseBody(tooLarge(limit));

  function admit(): void {
    const admitted = owner.admitLargeBody();
    if (admitted === undefined) return;
    request.pause();
    admitted.catch(refuseBody).finally(() => request.resume());
  }
}

/** Takes a body that arrived with its head, and is small therefore. */
function takeWhole(body: Buffer, limit: number, owner: BodyOwner): void {
  if (body.length > limit) owner.bodyRead(tooLarge(limit));
  else if (!owner.hasRoomFor(body.length + PIECE_BYTES, body.length)) owner.bodyRead(noRoom());
  else owner.bodyRead(body);
}

/** Requires a body without encoding. Errors: BODY_UNREADABLE for one that is compressed or otherwise encoded. */
export function requireIdentity(contentEncoding: string | undefined): void {
  if (contentEncoding === undefined || /^(identity)?$/i.test(contentEncoding.trim())) return;
  const message = 'must be identity: a body is sent as it is';
  throw refuse('BODY_UNREADABLE', `Content-Encoding ${message}.`, {
    findings: [{ location: 'header.Content-Encoding', message }],
  });
}

/** Decodes UTF-8. Errors: BODY_UNREADABLE for other bytes. */
export function textOf(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw unreadable('it is not valid UTF-8');
  return bytes.toString();
}

/**
 * Requires JSON; the refusal names the other types that the operation accepts. Errors: BODY_UNREADABLE for another
 * type, or none.
 */
export function requireJson(
  contentType: string | undefined,
  { forms = {}, handleLines }: Pick<Route, 'forms' | 'handleLines'>,
): void {
  if (mediaType(contentType) !== JSON_TYPE) {
    const types = [JSON_TYPE, ...(handleLines ? [NDJSON] : []), ...Object.keys(forms)].join(' or ');
    throw refuse('BODY_UNREADABLE', `The body must be sent as Content-Type: ${types}.`, {
      findings: [{ location: 'header.Content-Type', message: `must be ${types}` }],
    });
  }
}

/** Returns the media type without its parameters. */
export const mediaType = (contentType: string | undefined): string | undefined =>
  contentType === JSON_TYPE ? contentType : contentType?.split(';', 1)[0]?.trim().toLowerCase();

const tooLarge = (limit: number): Refusal =>
  refuse('TOO_LARGE', `The body has more than ${limit} bytes.`, { entityType: 'request' });

const JSON_TYPE = 'application/json';
export const NDJSON = 'application/x-ndjson';
const DROPPED_MAX = 8 * 1024 * 1024;
const NOTHING = Buffer.alloc(0);
