import type { Uuid } from './ids.ts';
import type { Instant } from './instant.ts';
import type { TraceContext } from './trace-context.ts';
import type { ValueName } from './unique-values.ts';

/** The authenticated caller; `anonymous` without access management. */
export type Actor = Readonly<{ type: string; id: string; clientId?: string }>;

/** The origin of a command, stored with every event it causes. */
export type CommandContext = Readonly<{
  actor: Actor;
  tenantId: string;
  requestId: string;
  correlationId?: string;
  /** Identifies a command that was forwarded to another process; without it, the request is the cause of the events. */
  causationId?: Uuid;
  trace?: TraceContext;
}>;

/** The metadata of a stored event, in this member order; `hash` is always the last. */
export type EventMetadata = Readonly<{
  $correlationId: string;
  $causationId: string;
  schemaVersion: number;
  recordedAt: Instant;
  actor: Actor;
  tenantId: string;
  requestId: string;
  /** The trace of the request, if it had one (W3C Trace Context). */
  traceparent?: string;
  tracestate?: string;
  idempotencyKey?: string;
  /** SHA-256 of operation and canonical request, hexadecimal. */
  requestHash?: string;
  /** From this moment the key counts as unused; absent for a key that never expires. */
  idempotencyExpiresAt?: Instant;
  /** The number of events that the command with this key caused, beginning with this one; absent for one. */
  keyedEvents?: number;
  /** The format of the response, so that a replay returns the same bytes in any later release. */
  replyVersion?: number;
  /** Values of the record's metadata that no other record may have; see docs/adr/0020. */
  claims?: readonly ValueName[];
  /** The id of the event, so that the hash covers it too; 0.1.0 did not write it. */
  eventId?: Uuid;
  prevHash: string;
  hash: string;
}>;

/** Finds the cause of an event without parsing its metadata; correct for the ids of commands, which are never escaped. */
export function causationIn(metadata: string): Uuid {
  const from = metadata.indexOf(CAUSATION_MEMBER) + CAUSATION_MEMBER.length;
  return metadata.slice(from, metadata.indexOf('"', from)) as Uuid;
}

const CAUSATION_MEMBER = '"$causationId":"';
