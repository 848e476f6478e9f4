import type { Uuid } from './ids.ts';
import type { Instant } from './instant.ts';
import type { ValueName } from './unique-values.ts';

/** Who asked. `anonymous` without access management. */
export type Actor = Readonly<{ type: string; id: string; clientId?: string }>;

/** What surrounds a command from outside; nothing is appended without it. */
export type CommandContext = Readonly<{
  actor: Actor;
  tenantId: string;
  requestId: string;
  correlationId?: string;
}>;

/** Stored beside the data of every event, in this member order; `hash` is always the last. */
export type EventMetadata = Readonly<{
  $correlationId: string;
  $causationId: string;
  schemaVersion: number;
  recordedAt: Instant;
  actor: Actor;
  tenantId: string;
  requestId: string;
  idempotencyKey?: string;
  /** SHA-256 of operation and canonical request, hexadecimal. */
  requestHash?: string;
  /** Only when the key was given a life: from this moment it counts as unused. */
  idempotencyExpiresAt?: Instant;
  /** How many events the keyed command caused, this one first; left out for one. */
  keyedEvents?: number;
  /** The format of the answer, so that a repeat gets the same bytes in any later release. */
  replyVersion?: number;
  /** Values of the metadata in it that no other record may have; see docs/adr/0020. */
  claims?: readonly ValueName[];
  /** The event's own id, so that the hash covers it too; 0.1.0 did not write it. */
  eventId?: Uuid;
  prevHash: string;
  hash: string;
}>;
