import { CloudEvent } from 'cloudevents';
import type { Draft } from '#src/ports/publisher.ts';
import { ceId } from './ce-id.ts';
import type { Definition } from './definition.ts';
import { headerFault } from './header-limits.ts';
import type { JournalEvent } from './journal-event.ts';
import { PAYLOAD_BYTES_MAX, type Emission, type Payload } from './payload.ts';

/** The settings that all events of one producer share. */
export type Producer = Readonly<{
  /** The first part of every ce-type and topic. */
  platform: string;
  /** The ce-source attribute. */
  source: string;
  /** The key that keeps records in order: their aggregate, or only their tenant (contract events §9.4). */
  partitionKey: 'aggregate' | 'tenant';
}>;

/**
 * Builds the record of a CloudEvent in binary mode: attributes are headers, the body is the payload (contract events
 * §2). The SDK validates the attributes; its own bindings write other headers than the contract's (`content-type` for
 * `ce-datacontenttype`, times cut to milliseconds, on Kafka `ce_` for `ce-`).
 */
export function draftOf(
  event: JournalEvent,
  definition: Definition,
  emission: Emission,
  producer: Producer,
): Draft {
  const cloudEvent = cloudEventOf(event, definition, emission, producer);
  const headers = headersOf(cloudEvent);
  const value = textOf(emission.payload, definition);
  const fault = faultOf(cloudEvent, headers, value);
  return {
    key: recordKeyOf(event, emission, producer),
    headers,
    value,
    ...(fault !== undefined && { fault }),
  };
}

/** Builds the dead letter of an event that cannot be read. */
export function unreadable(
  event: JournalEvent,
  definition: Definition,
  producer: Producer,
  cause: unknown,
): Draft {
  const nothing = { recordKey: event.id, payload: {} };
  const headers = headersOf(cloudEventOf(event, definition, nothing, producer));
  return { key: event.id, headers, value: '', fault: String(cause) };
}

/** Builds the event without validation and without its data, which is the body and is serialized once. */
function cloudEventOf(
  event: JournalEvent,
  { key, schemaVersion }: Definition,
  { subject, part }: Partial<Emission>,
  { platform, source }: Producer,
): CloudEvent {
  const [resourcetype, eventtype] = key.split('.');
  const attributes = {
    specversion: '1.0',
    id: ceId(event.id, event.recordedAt, key, part),
    source,
    type: `studio.${platform}.${key}`,
    time: event.recordedAt,
    resourcetype,
    eventtype,
    schemaversion: schemaVersion,
    ...(subject !== undefined && { subject }),
    ...(event.tenantId !== SINGLE_TENANT && { tenantid: event.tenantId }),
    datacontenttype: 'application/json',
  };
  return new CloudEvent(attributes, false);
}

function headersOf(cloudEvent: CloudEvent): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(cloudEvent)) {
    if (typeof value === 'string') headers[`ce-${name}`] = value;
  }
  return headers;
}

function textOf(payload: Payload, { shortened }: Definition): string {
  const text = JSON.stringify(payload);
  const fits = text.length <= PAYLOAD_UNITS_SAFE || Buffer.byteLength(text) <= PAYLOAD_BYTES_MAX;
  return fits || shortened === undefined ? text : JSON.stringify(shortened(payload));
}

function faultOf(
  cloudEvent: CloudEvent,
  headers: Record<string, string>,
  value: string,
): string | undefined {
  if (value.length > PAYLOAD_UNITS_SAFE && Buffer.byteLength(value) > PAYLOAD_BYTES_MAX) {
    return `The payload exceeds ${PAYLOAD_BYTES_MAX} bytes`;
  }
  const fault = headerFault(headers);
  if (fault !== undefined) return fault;
  try {
    cloudEvent.validate();
    return undefined;
  } catch (error) {
    return String(error);
  }
}

function recordKeyOf(
  { tenantId }: JournalEvent,
  { recordKey }: Emission,
  { partitionKey }: Producer,
): string {
  if (partitionKey === 'tenant') return tenantId;
  return tenantId === SINGLE_TENANT ? recordKey : `${tenantId}:${recordKey}`;
}

/** The tenant of a single-tenant deployment, whose id is not part of record keys. */
const SINGLE_TENANT = 'default';

/** A UTF-16 unit is at most three bytes of UTF-8, so a shorter payload need not be measured. */
const PAYLOAD_UNITS_SAFE = Math.floor(PAYLOAD_BYTES_MAX / 3);
