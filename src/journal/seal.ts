import type { DomainEvent, Stamp } from '#src/kernel/decider.ts';
import { storedData } from '#src/kernel/event-data.ts';
import type { CommandContext, EventMetadata } from '#src/kernel/event-metadata.ts';
import { formatInstant, type Instant, type Micros } from '#src/kernel/instant.ts';
import type { TraceContext } from '#src/kernel/trace-context.ts';
import type { NewEvent } from '#src/ports/event-store.ts';
import type { Envelope, IdempotencyKey } from './batch.ts';
import { sealText } from './chain.ts';
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
  const { cause, origin } = originOf(context);
  let { hash } = head;
  let bytes = 0;
  for (let n = 0; n < events.length; n += 1) {
    const { type, claims = NO_CLAIMS } = events[n]!;
    const id = ids.next();
    const { data, schemaVersion } = storedData(events[n]!);
    bytes += Buffer.byteLength(data);
    const keyed = n === 0 && idempotency ? keyMembers(idempotency, events.length, at) : '';
    const claimed = claims.length > 0 ? members({ claims }) : '';
    const recordedAt = n === 0 ? instant : formatInstant((at + n) as Micros);
    const open =
      `${cause}"schemaVersion":${schemaVersion},"recordedAt":"${recordedAt}",` +
      `${origin}${keyed}${claimed}"eventId":"${id}","prevHash":"${hash}"`;
    const link = sealText(type, data, open, hash);
    sealed.push({ id, type, data, metadata: link.metadata });
    hash = link.hash;
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

/** The members that are the same for all events with one context, as JSON that more members can be written around. */
type OriginTexts = Readonly<{ context: CommandContext; cause: string; origin: string }>;

/** The last context is remembered, because the items of a batch share one. */
function originOf(context: CommandContext): OriginTexts {
  if (lastOrigin?.context === context) return lastOrigin;
  const { requestId, correlationId = requestId, causationId = requestId } = context;
  const { actor, tenantId, trace } = context;
  const { traceparent, tracestate } = trace ?? NO_TRACE;
  lastOrigin = {
    context,
    cause: `{${members({ $correlationId: correlationId, $causationId: causationId })}`,
    origin: members({ actor, tenantId, requestId, traceparent, tracestate }),
  };
  return lastOrigin;
}
let lastOrigin: OriginTexts | undefined;

function keyMembers(idempotency: IdempotencyKey, events: number, at: Micros): string {
  const { key, requestHash, replyVersion } = idempotency;
  return members({
    idempotencyKey: key,
    requestHash,
    idempotencyExpiresAt: expiryOf(idempotency, at),
    keyedEvents: events > 1 ? events : undefined,
    replyVersion,
  });
}

/** Writes members of metadata as JSON with a comma after each. At least one has a value. */
const members = (some: OptionalMembers<Omit<EventMetadata, 'hash'>>): string =>
  `${JSON.stringify(some).slice(1, -1)},`;

type OptionalMembers<Members> = { readonly [Name in keyof Members]?: Members[Name] | undefined };

const NO_TRACE: Partial<TraceContext> = {};
const NO_CLAIMS: NonNullable<DomainEvent['claims']> = [];

/** Returns the moment from which a key counts as unused; undefined if it never expires. */
export function expiryOf(
  { ttlSeconds, releases }: IdempotencyKey,
  at: Micros,
): Instant | undefined {
  if (releases !== undefined) return formatInstant(at);
  return ttlSeconds === undefined ? undefined : formatInstant((at + ttlSeconds * 1e6) as Micros);
}
