import { structuredEvent } from '#src/kernel/structured-event.ts';
import type { Subscription, WebhookTarget } from '#src/kernel/subscription.ts';
import type { OutgoingRecord } from '#src/ports/publisher.ts';
import { signaturesOf } from './signature.ts';

export type WebhookRequest = Readonly<{ headers: Readonly<Record<string, string>>; body: Buffer }>;

/**
 * Builds the request of one attempt. Attempts differ only in `webhook-timestamp` and signatures: the body is the same
 * each time. Errors: SyntaxError if the value of the record is not JSON.
 */
export function requestOf(
  record: OutgoingRecord,
  { format }: Pick<Subscription, 'format'>,
  { headers: userHeaders = {} }: Pick<WebhookTarget, 'headers'>,
  secrets: readonly string[],
  nowMs: number,
): WebhookRequest {
  JSON.parse(record.value);
  const isStructured = format === 'structured';
  const body = Buffer.from(isStructured ? structuredEvent(record) : record.value);
  const id = record.headers['ce-id'] ?? '';
  const seconds = Math.floor(nowMs / 1000);
  return {
    headers: {
      ...allowedHeaders(userHeaders),
      ...(isStructured ? { 'content-type': STRUCTURED } : binaryHeaders(record)),
      'content-length': String(body.length),
      'user-agent': 'quipu',
      'webhook-id': id,
      'webhook-timestamp': String(seconds),
      'webhook-signature': signaturesOf(id, seconds, body, secrets),
    },
    body,
  };
}

const STRUCTURED = 'application/cloudevents+json; charset=utf-8';

function binaryHeaders({ headers }: OutgoingRecord): Record<string, string> {
  const { 'ce-datacontenttype': contentType, ...others } = headers;
  const encoded = Object.entries(others).map(([name, value]) => [
    name,
    name === 'tracestate' && VISIBLE.test(value) ? value : percentEncoded(value),
  ]);
  return {
    ...(Object.fromEntries(encoded) as Record<string, string>),
    'content-type': contentType ?? 'application/json',
    ...(contentType !== undefined && { 'ce-datacontenttype': percentEncoded(contentType) }),
  };
}

/** The state of a trace is no attribute, so it is sent as it is if a header can hold it. */
const VISIBLE = /^[ -~]*$/;

/** Encodes what header values cannot hold as the HTTP binding of CloudEvents does (§3.1.3.2). */
const percentEncoded = (value: string): string =>
  value.replace(/[^\x21\x23\x24\x26-\x7e]/gu, (character) =>
    [...Buffer.from(character)].map((byte) => `%${hex(byte)}`).join(''),
  );
const hex = (byte: number): string => byte.toString(16).toUpperCase().padStart(2, '0');

/** Leaves out the headers of a subscription that are the service's own to set; subscriptions are refused with them. */
function allowedHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const lowered = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  return Object.fromEntries(lowered.filter(([name = '']) => !RESERVED.test(name))) as Record<
    string,
    string
  >;
}

const RESERVED =
  /^(ce-.*|webhook-.*|content-.*|proxy-.*|host|user-agent|connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect|date|traceparent|tracestate)$/;
