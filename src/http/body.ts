import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { refuse, type Refusal } from '#src/domain/errors.ts';
import { unreadable } from './json.ts';
import type { Route } from './route.ts';

export const BODY_LIMIT_DEFAULT = 1024 * 1024;

/**
 * Collects the body of a request, at most `limit` bytes. Calls `done` once: with the bytes, or with
 * TOO_LARGE as soon as the limit is passed. What comes after is read and dropped for a while, since a caller
 * cut off while it sends would not see the answer. Never called when the connection breaks first.
 */
export function readBody(
  request: IncomingMessage,
  limit: number,
  done: (bytes: Buffer | Refusal) => void,
): void {
  const announced = Number(request.headers['content-length'] ?? 0);
  let refused = announced > limit;
  let first: Buffer | undefined;
  let more: Buffer[] | undefined;
  let size = 0;
  request.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (refused) {
      if (size > limit + DROPPED_MAX) request.destroy();
    } else if (size > limit) {
      refused = true;
      first = more = undefined;
      done(tooLarge(limit));
    } else if (first === undefined) {
      first = chunk;
    } else {
      (more ??= [first]).push(chunk);
    }
  });
  request.on('end', () => {
    if (!refused) done(more === undefined ? (first ?? NOTHING) : Buffer.concat(more, size));
  });
  request.on('error', ignored); // The connection is gone, and with it whoever would be answered.
  if (refused) done(tooLarge(limit));
}

/** Errors: BODY_UNREADABLE for bytes that are not UTF-8. */
export function textOf(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw unreadable('it is not valid UTF-8');
  return bytes.toString();
}

/** The refusal names what else the operation takes. Errors: BODY_UNREADABLE for another type, or none. */
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

/** Without its parameters. */
export const mediaType = (contentType: string | undefined): string | undefined =>
  contentType === JSON_TYPE ? contentType : contentType?.split(';', 1)[0]?.trim().toLowerCase();

const tooLarge = (limit: number): Refusal =>
  refuse('TOO_LARGE', `The body has more than ${limit} bytes.`, { entityType: 'request' });

const JSON_TYPE = 'application/json';
export const NDJSON = 'application/x-ndjson';
const DROPPED_MAX = 8 * 1024 * 1024;
const NOTHING = Buffer.alloc(0);

const ignored = (): void => {};
