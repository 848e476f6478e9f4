import type { IncomingMessage } from '#src/ports/message-source.ts';

/** An event as a consumer sees it. */
export type ReceivedEvent = Readonly<{
  id: string;
  source: string;
  type: string;
  /** The event key, such as `balance.changed`. */
  key: string;
  time: string;
  schemaVersion: string;
  subject?: string;
  /** Absent in single-tenant mode. */
  tenantId?: string;
  recordKey: string;
  headers: Readonly<Record<string, string>>;
  data: Readonly<Record<string, unknown>>;
}>;

/** An event that no retry helps; it goes to the dead letters at once. */
export class EventRefused extends Error {
  readonly kind: 'malformed' | 'backlog_full';
  constructor(kind: EventRefused['kind'], message: string) {
    super(message);
    this.name = 'EventRefused';
    this.kind = kind;
  }
}

/** A message is not an event of this contract. */
export class MalformedEvent extends EventRefused {
  constructor(message: string) {
    super('malformed', message);
    this.name = 'MalformedEvent';
  }
}

/**
 * Reads an event in binary mode; attributes that are not known are left in the headers. Errors: MalformedEvent.
 */
export function receivedEvent({
  key: recordKey,
  headers,
  value,
  bytes,
}: IncomingMessage): ReceivedEvent {
  if (bytes !== undefined) throw new MalformedEvent('Its payload is not UTF-8');
  const need = (name: string): string => {
    const text = headers[name];
    if (text === undefined || text === '') throw new MalformedEvent(`There is no ${name}`);
    return text;
  };
  if (need('ce-specversion') !== '1.0') throw new MalformedEvent('Its ce-specversion is not 1.0');
  const schemaVersion = headers['ce-schemaversion'] ?? '1.0.0';
  if (!/^\d+\.\d+\.\d+/.test(schemaVersion)) {
    throw new MalformedEvent('Its ce-schemaversion is not a version');
  }
  const tenantId = headers['ce-tenantid'];
  const subject = headers['ce-subject'];
  return {
    id: need('ce-id'),
    source: need('ce-source'),
    type: need('ce-type'),
    key: `${need('ce-resourcetype')}.${need('ce-eventtype')}`,
    time: need('ce-time'),
    schemaVersion,
    ...(subject !== undefined && { subject }),
    // Older producers name a tenant where there is none.
    ...(tenantId !== undefined && tenantId !== 'default' && { tenantId }),
    recordKey,
    headers,
    data: objectIn(value),
  };
}

function objectIn(value: string): Readonly<Record<string, unknown>> {
  let data: unknown;
  try {
    data = JSON.parse(value);
  } catch {
    throw new MalformedEvent('Its payload is not JSON');
  }
  if (typeof data !== 'object' || data === null || Array.isArray(data)) {
    throw new MalformedEvent('Its payload is not an object');
  }
  return data as Record<string, unknown>;
}
