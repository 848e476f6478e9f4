import { CloudEvent } from 'cloudevents';
import type { Uuid } from '#src/kernel/ids.ts';
import { formatInstant, parseInstant, type Instant } from '#src/kernel/instant.ts';
import { SINGLE_TENANT } from '#src/kernel/tenant.ts';
import type { TraceContext } from '#src/kernel/trace-context.ts';
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
  /** The tenant that owns what was recorded for a single one; undefined while there is no multi-tenancy. */
  defaultTenant?: string | undefined;
}>;

/** The attributes of one occurrence of an event. */
export type EventStamp = Readonly<{
  ceId: Uuid;
  time: Instant;
  tenantId: string;
  trace?: TraceContext | undefined;
}>;

/** Builds the records of one definition. */
export type RecordEnvelope = Readonly<{
  draft(event: JournalEvent, emission: Emission): Draft;
  /** Builds the record of an event that no journal event yields: its id was minted. */
  stamped(stamp: EventStamp, emission: Emission): Draft;
  /** Builds the dead letter of an event that cannot be read. */
  unreadable(event: JournalEvent, cause: unknown): Draft;
}>;

/**
 * Creates an envelope for CloudEvents in binary mode: attributes are headers, the body is the payload (contract events
 * §2). The SDK names, orders and validates the attributes of a sample once; each record changes the values that differ,
 * and the SDK validates again only those that are unusual. Its own bindings write other headers than the contract's
 * (`content-type` for `ce-datacontenttype`, times cut to milliseconds, on Kafka `ce_` for `ce-`).
 */
export function createEnvelope(definition: Definition, producer: Producer): RecordEnvelope {
  const eventOf = (stamp: EventStamp, subject?: string): CloudEvent =>
    cloudEventOf(stamp, definition, subject, producer);
  const sample = eventOf(SAMPLE, SAMPLE.ceId);
  const sampleHeaders = headersOf(sample);
  const isSampleValid = attributesFault(sample, sampleHeaders) === undefined;

  const headersFor = (stamp: EventStamp, subject: string) => {
    const { ceId: id, time } = stamp;
    const headers = { ...sampleHeaders, 'ce-id': id, 'ce-time': time, 'ce-subject': subject };
    const tenant = tenantOf(stamp, producer);
    const { trace } = stamp;
    if (tenant === undefined && trace === undefined) return headers;
    return { ...headers, ...(tenant !== undefined && { 'ce-tenantid': tenant }), ...trace };
  };
  const stamped = (stamp: EventStamp, emission: Emission): Draft => {
    const { subject, payload } = emission;
    const headers = headersFor(stamp, subject);
    const value = textOf(payload, definition);
    const isValid = isSampleValid && isUsual(stamp) && USUAL.test(subject);
    const fault =
      payloadFault(value) ??
      (isValid ? undefined : attributesFault(eventOf(stamp, subject), headers));
    const record = { key: recordKeyOf(stamp, emission, producer), headers, value };
    return fault === undefined ? record : { ...record, fault };
  };
  return {
    draft: (event, emission) => stamped(stampOf(event, definition, emission), emission),
    stamped,
    unreadable(event, cause) {
      const headers = headersOf(eventOf(stampOf(event, definition, {})));
      return { key: event.id, headers, value: '', fault: String(cause) };
    },
  };
}

const stampOf = (
  { id, recordedAt, tenantId, trace }: JournalEvent,
  { key }: Definition,
  { part }: Partial<Emission>,
): EventStamp => ({ ceId: ceId(id, recordedAt, key, part), time: recordedAt, tenantId, trace });

/** Builds the event without validation and without its data, which is the body and is serialized once. */
function cloudEventOf(
  stamp: EventStamp,
  { key, schemaVersion }: Definition,
  subject: string | undefined,
  producer: Producer,
): CloudEvent {
  const { ceId: id, time } = stamp;
  const { platform, source } = producer;
  const tenantid = tenantOf(stamp, producer);
  const [resourcetype, eventtype] = key.split('.');
  const attributes = {
    specversion: '1.0',
    id,
    source,
    type: `studio.${platform}.${key}`,
    time,
    resourcetype,
    eventtype,
    schemaversion: schemaVersion,
    ...(subject !== undefined && { subject }),
    ...(tenantid !== undefined && { tenantid }),
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

const payloadFault = (value: string): string | undefined =>
  value.length > PAYLOAD_UNITS_SAFE && Buffer.byteLength(value) > PAYLOAD_BYTES_MAX
    ? `The payload exceeds ${PAYLOAD_BYTES_MAX} bytes`
    : undefined;

function attributesFault(
  cloudEvent: CloudEvent,
  headers: Readonly<Record<string, string>>,
): string | undefined {
  const ofHeaders = headerFault(headers);
  if (ofHeaders !== undefined) return ofHeaders;
  const fault = attributeFault(cloudEvent);
  if (fault === undefined) return undefined;
  // The contract permits every source that is not empty (events §4), CloudEvents only references to a URI.
  return attributeFault(cloudEvent.cloneWith({ source: 'any' }, false));
}

function attributeFault(cloudEvent: CloudEvent): string | undefined {
  try {
    cloudEvent.validate();
    return undefined;
  } catch (error) {
    return String(error);
  }
}

function recordKeyOf(stamp: EventStamp, { recordKey }: Emission, producer: Producer): string {
  const tenant = tenantOf(stamp, producer);
  if (producer.partitionKey === 'tenant') return tenant ?? SINGLE_TENANT;
  return tenant === undefined ? recordKey : `${tenant}:${recordKey}`;
}

/** Returns the tenant as consumers know it; undefined without multi-tenancy. */
const tenantOf = ({ tenantId }: EventStamp, { defaultTenant }: Producer): string | undefined =>
  tenantId === SINGLE_TENANT ? defaultTenant : tenantId;

/** Returns true for values that are valid in every event. */
const isUsual = ({ ceId: id, time, tenantId }: EventStamp): boolean =>
  USUAL.test(id) && USUAL.test(tenantId) && isWritten(time);

/** Printable, and shorter than the limit of any header. */
const USUAL = /^[ -~]{1,256}$/;

/** Returns true if formatInstant wrote the time. Remembers the last one, because the records of an event share it. */
function isWritten(time: Instant): boolean {
  if (time !== lastTime) {
    const at = parseInstant(time);
    lastTime = time;
    isLastWritten = Number.isFinite(at) && formatInstant(at) === time;
  }
  return isLastWritten;
}
let lastTime = '';
let isLastWritten = false;

const SAMPLE: EventStamp = {
  ceId: '00000000-0000-7000-8000-000000000000' as Uuid,
  time: '2026-01-01T00:00:00.000000Z' as Instant,
  tenantId: SINGLE_TENANT,
};

/** A UTF-16 unit is at most three bytes of UTF-8, so a shorter payload need not be measured. */
const PAYLOAD_UNITS_SAFE = Math.floor(PAYLOAD_BYTES_MAX / 3);
