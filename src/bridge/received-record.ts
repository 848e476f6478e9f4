import { CloudEvent } from 'cloudevents';
import { parseTime } from '#src/kernel/instant.ts';
import type { IncomingMessage } from '#src/ports/message-source.ts';
import type { Draft } from '#src/ports/publisher.ts';
import { headerFault } from './header-limits.ts';
import { PAYLOAD_BYTES_MAX } from './payload.ts';

/**
 * Returns the record of another producer as subscriptions get it: with its attributes and trace context only, because
 * any other header would become one of the request. `fault` says why it cannot be delivered.
 */
export function receivedRecord({ key, headers: received, value }: IncomingMessage): Draft {
  const headers = Object.fromEntries(Object.entries(received).filter(([name]) => isSent(name)));
  const fault = sizeFault(key, headers, value) ?? headerFault(headers) ?? attributeFault(headers);
  return { key, headers, value, ...(fault !== undefined && { fault }) };
}

/** In structured mode, an attribute named `data` would take the place of the payload. */
const isSent = (name: string): boolean =>
  /^(ce-[a-z0-9]{1,64}|traceparent|tracestate)$/.test(name) && name !== 'ce-data';

function sizeFault(
  key: string,
  headers: Readonly<Record<string, string>>,
  value: string,
): string | undefined {
  if (Buffer.byteLength(value) > PAYLOAD_BYTES_MAX) {
    return `The payload exceeds ${PAYLOAD_BYTES_MAX} bytes`;
  }
  if (Buffer.byteLength(key) > KEY_BYTES_MAX) return `The key exceeds ${KEY_BYTES_MAX} bytes`;
  const bytes = Buffer.byteLength(Object.entries(headers).flat().join(''));
  return bytes > HEADERS_BYTES_MAX ? `The headers exceed ${HEADERS_BYTES_MAX} bytes` : undefined;
}

function attributeFault(headers: Readonly<Record<string, string>>): string | undefined {
  const contentType = headers['ce-datacontenttype'] ?? 'application/json';
  if (!/^application\/([^;]+\+)?json\s*(;|$)/i.test(contentType)) {
    return 'Its ce-datacontenttype is not JSON';
  }
  if (parseTime(headers['ce-time'] ?? '') === undefined) return 'Its ce-time is not RFC 3339';
  const given = VALIDATED.filter((name) => headers[`ce-${name}`] !== undefined);
  const attributes = Object.fromEntries(given.map((name) => [name, headers[`ce-${name}`]]));
  try {
    // The contract permits every source that is not empty (events §4), CloudEvents only references to a URI.
    new CloudEvent({ ...attributes, source: 'any' }, false).validate();
    return undefined;
  } catch (error) {
    return String(error);
  }
}

/** The attributes on which CloudEvents has rules; an extension may have any value. */
const VALIDATED = ['specversion', 'id', 'type', 'time', 'subject', 'dataschema'];
/** A subject and a tenant of the longest that the contract permits fit. */
const KEY_BYTES_MAX = 2048;
/** All attributes of the contract at their longest fit. */
const HEADERS_BYTES_MAX = 16_384;
