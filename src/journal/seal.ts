import type { DomainEvent, Stamp } from '#src/kernel/decider.ts';
import { storedData } from '#src/kernel/event-data.ts';
import { formatInstant, type Instant, type Micros } from '#src/kernel/instant.ts';
import type { NewEvent } from '#src/ports/event-store.ts';
import type { Envelope, IdempotencyKey } from './batch.ts';
import { seal } from './chain.ts';
import type { Head } from './resident.ts';

/** The stored form of a decision's events, and the end of the journal after them. */
export type Sealed = Readonly<{ events: readonly NewEvent[]; head: Head; bytes: number }>;

/**
 * Seals the events of a decision: each is dated a microsecond after the previous one, chained to it by hash, and carries the
 * context of the command. The first one carries the idempotency key.
 */
export function sealEvents(
  events: readonly DomainEvent[],
  { context, idempotency }: Pick<Envelope<unknown>, 'context' | 'idempotency'>,
  { at, instant, ids }: Stamp,
  head: Head,
): Sealed {
  const sealed: NewEvent[] = [];
  let { hash } = head;
  let bytes = 0;
  for (let n = 0; n < events.length; n += 1) {
    const { type, claims = NO_CLAIMS } = events[n]!;
    const id = ids.next();
    const { data, schemaVersion } = storedData(events[n]!);
    const keyed = n === 0 ? idempotency : undefined;
    const link = seal(type, data, {
      $correlationId: context.correlationId ?? context.requestId,
      $causationId: context.causationId ?? context.requestId,
      schemaVersion,
      recordedAt: n === 0 ? instant : formatInstant((at + n) as Micros),
      actor: context.actor,
      tenantId: context.tenantId,
      requestId: context.requestId,
      traceparent: context.trace?.traceparent,
      tracestate: context.trace?.tracestate,
      idempotencyKey: keyed?.key,
      requestHash: keyed?.requestHash,
      idempotencyExpiresAt: keyed && expiryOf(keyed, at),
      keyedEvents: keyed && events.length > 1 ? events.length : undefined,
      replyVersion: keyed?.replyVersion,
      claims: claims.length > 0 ? claims : undefined,
      eventId: id,
      prevHash: hash,
    });
    sealed.push({ id, type, data, metadata: link.metadata });
    hash = link.hash;
    bytes += Buffer.byteLength(data);
    for (const claim of claims) bytes += Buffer.byteLength(claim);
  }
  if (events.length === 0) return { events: sealed, head, bytes };
  return {
    events: sealed,
    head: {
      revision: head.revision + events.length,
      hash,
      recordedAt: (at + events.length - 1) as Micros,
      tenantId: context.tenantId,
    },
    bytes,
  };
}

const NO_CLAIMS: NonNullable<DomainEvent['claims']> = [];

/** Returns the moment from which a key counts as unused; undefined if it never expires. */
export function expiryOf(
  { ttlSeconds, releases }: IdempotencyKey,
  at: Micros,
): Instant | undefined {
  if (releases !== undefined) return formatInstant(at);
  return ttlSeconds === undefined ? undefined : formatInstant((at + ttlSeconds * 1e6) as Micros);
}
