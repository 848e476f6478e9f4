import type { IncomingHttpHeaders } from 'node:http';
import { refuse, refuseAny, type Refusal } from '#src/kernel/errors.ts';
import { parseUuid, type Uuid } from '#src/kernel/ids.ts';
import { readTraceContext, type TraceContext } from '#src/kernel/trace-context.ts';
import type { Ids } from '#src/ports/ids.ts';
import type { HeaderParameter } from './mount.ts';
import type { ConsistencyToken } from './reply.ts';
import type { Idempotency } from './request.ts';

/** Returns the client's request id if it can be echoed, else a new one (contract ledger §1.2). */
export function requestIdOf(headers: IncomingHttpHeaders, ids: Ids): string {
  const sent = headers['x-request-id'];
  return typeof sent === 'string' && REQUEST_ID.test(sent) ? sent : ids.next();
}

/** Returns the id of the last message of a stream that its client processed; undefined if there is none. */
export function lastEventIdOf(headers: IncomingHttpHeaders): string | undefined {
  const sent = String(headers['last-event-id'] ?? '');
  return sent === '' ? undefined : sent;
}

/** Returns the correlation id if it can be stored in an event; any other value counts as absent. */
export function correlationIdOf(headers: IncomingHttpHeaders): string | undefined {
  const sent = headers['x-correlation-id'];
  return typeof sent === 'string' && REQUEST_ID.test(sent) ? sent : undefined;
}

/** Returns the trace that the request belongs to; undefined if it names none, or not in the form of W3C Trace Context. */
export function traceContextOf(headers: IncomingHttpHeaders): TraceContext | undefined {
  const { traceparent, tracestate } = headers;
  if (traceparent === undefined) return undefined;
  return readTraceContext(String(traceparent), tracestate?.toString());
}

/**
 * Reads the idempotency headers. A time to live that is not a positive integer counts as absent (§7.9). Errors:
 * MALFORMED_FIELD.
 */
export function idempotencyOf(headers: IncomingHttpHeaders): Idempotency | undefined {
  const own = headers['x-idempotency'] ?? '';
  const name = own === '' ? 'Idempotency-Key' : 'X-Idempotency';
  const key = own === '' ? headers['idempotency-key'] : own;
  if (key === undefined || key === '') return undefined;
  if (typeof key !== 'string' || !KEY.test(key)) {
    const message = `must be at most ${KEY_MAX} visible ASCII characters`;
    throw refuse('MALFORMED_FIELD', `${name} ${message}.`, {
      findings: [{ location: `header.${name}`, message }],
    });
  }
  const ttl = headers['x-ttl'];
  if (typeof ttl !== 'string' || !POSITIVE.test(ttl)) return { key };
  const ttlSeconds = Number(ttl);
  return ttlSeconds > CENTURY_SECONDS ? { key } : { key, ttlSeconds };
}

/** Reads the UUID in a header. Throws the refusals that the mount names when it is absent, or not a UUID. */
export function headerUuidOf(
  headers: IncomingHttpHeaders,
  { header, absent, malformed }: HeaderParameter,
): Uuid {
  const sent = headers[header.toLowerCase()] ?? '';
  const value = typeof sent === 'string' ? sent : sent.join();
  const id = parseUuid(value);
  if (id !== undefined) return id;
  const isAbsent = value === '';
  const message = isAbsent ? 'is required' : 'must be a UUID';
  const shown = isAbsent ? {} : { value: value.slice(0, SHOWN_MAX) };
  throw refuseAny(isAbsent ? absent : malformed, `${header} ${message}.`, {
    findings: [{ location: `header.${header}`, message, ...shown }],
  });
}

/** A key with a longer life does not expire, because no date could express its end. */
const CENTURY_SECONDS = 100 * 366 * 86_400;

/** Reads the token of the writes that the response must at least show. Errors: QUERY_INVALID. */
export function consistencyTokenOf(headers: IncomingHttpHeaders): ConsistencyToken | undefined {
  const sent = headers['x-consistency-token'];
  if (sent === undefined || sent === '') return undefined;
  const token = typeof sent === 'string' ? decoded(sent) : undefined;
  if (token === undefined) throw badToken();
  return token;
}

export function badToken(): Refusal {
  const message = 'does not come from an earlier response';
  return refuse('QUERY_INVALID', `X-Consistency-Token ${message}.`, {
    findings: [{ location: 'header.X-Consistency-Token', message }],
  });
}

export const encodeToken = (token: ConsistencyToken): string =>
  Buffer.from(JSON.stringify(token)).toString('base64url');

function decoded(text: string): ConsistencyToken | undefined {
  if (text.length > TOKEN_MAX || !/^[\w-]+={0,2}$/.test(text)) return undefined;
  try {
    const token: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    if (typeof token !== 'object' || token === null || Array.isArray(token)) return undefined;
    const revisions: unknown[] = Object.values(token);
    if (!revisions.every((n) => Number.isSafeInteger(n) && (n as number) >= 0)) return undefined;
    return Object.assign(Object.create(null) as object, token) as ConsistencyToken;
  } catch {
    return undefined;
  }
}

const REQUEST_ID = /^[\x21-\x7e]{1,128}$/;
export const KEY_MAX = 1024;
const KEY = /^[\x21-\x7e]{1,1024}$/;
const POSITIVE = /^0*[1-9]\d{0,14}$/;
export const TOKEN_MAX = 4096;
const SHOWN_MAX = 256;
