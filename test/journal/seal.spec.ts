import { expect } from 'chai';
import fc from 'fast-check';
import { GENESIS, seal } from '#src/journal/chain.ts';
import { sealEvents } from '#src/journal/seal.ts';
import type { DomainEvent } from '#src/kernel/decider.ts';
import type { CommandContext } from '#src/kernel/event-metadata.ts';
import { NONE, type Uuid } from '#src/kernel/ids.ts';
import { formatInstant, type Micros } from '#src/kernel/instant.ts';
import type { ValueName } from '#src/kernel/unique-values.ts';

describe('sealed events', () => {
  it('have the metadata that JSON makes of its members, whatever they hold', () => {
    fc.assert(
      fc.property(contexts, keys, eventLists, (context, idempotency, events) => {
        const stamp = { at: AT, instant: formatInstant(AT), ids: numbered() };
        const sealed = sealEvents(events, { context, idempotency }, stamp, HEAD);
        expect(sealed.events).to.deep.equal(written(events, context, idempotency));
      }),
    );
  });

  it('carry the context of their own command after that of another', () => {
    const event = { type: 'Happened', data: {} };
    const [one, other] = ['one', 'other'].map((requestId) => ({ ...ANYONE, requestId }));
    for (const context of [one!, other!, one!]) {
      const stamp = { at: AT, instant: formatInstant(AT), ids: numbered() };
      const { events } = sealEvents([event], { context, idempotency: undefined }, stamp, HEAD);
      expect(JSON.parse(events[0]!.metadata)).to.have.property('requestId', context.requestId);
    }
  });
});

const AT = 1_790_000_000_000_000 as Micros;
const HEAD = { revision: NONE, hash: GENESIS, recordedAt: 0 as Micros, tenantId: undefined };
const ANYONE = { actor: { type: 'anonymous', id: 'anonymous' }, tenantId: 'default' };

const words = fc.string({ unit: 'binary' });
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });

/** Without the members that are undefined, as callers leave them out. */
const defined = <T extends object>(record: T): T =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as T;

const contexts = fc
  .record({
    actor: fc.record({ type: words, id: words, clientId: maybe(words) }).map(defined),
    tenantId: words,
    requestId: words,
    correlationId: maybe(words),
    causationId: maybe(fc.uuid()),
    trace: maybe(fc.record({ traceparent: words, tracestate: maybe(words) }).map(defined)),
  })
  .map((context) => defined(context) as CommandContext);

const keys = maybe(
  fc.record({
    key: words,
    requestHash: words,
    ttlSeconds: maybe(fc.nat(100)),
    replyVersion: fc.constantFrom(1, 2),
  }),
);

const eventLists = fc.array(
  fc
    .record({
      type: fc.constant('Happened'),
      data: fc.dictionary(words, words),
      claims: maybe(fc.array(words.map((text) => text as ValueName))),
    })
    .map((event) => defined(event) as DomainEvent),
  { maxLength: 4 },
);

type Key = Parameters<typeof sealEvents>[1]['idempotency'];

/** Writes the expected metadata of the events, which the log stores, member by member by JSON.stringify. */
function written(events: readonly DomainEvent[], context: CommandContext, key: Key) {
  const { actor, tenantId, requestId, trace } = context;
  const ids = numbered();
  let prevHash: string = GENESIS;
  return events.map(({ type, data, claims = [] }, n) => {
    const id = ids.next();
    const keyed = n === 0 ? key : undefined;
    const { ttlSeconds } = keyed ?? {};
    const text = JSON.stringify(data);
    const link = seal(type, text, {
      $correlationId: context.correlationId ?? requestId,
      $causationId: context.causationId ?? requestId,
      schemaVersion: 1,
      recordedAt: formatInstant((AT + n) as Micros),
      ...{ actor, tenantId, requestId },
      traceparent: trace?.traceparent,
      tracestate: trace?.tracestate,
      idempotencyKey: keyed?.key,
      requestHash: keyed?.requestHash,
      idempotencyExpiresAt:
        ttlSeconds === undefined ? undefined : formatInstant((AT + ttlSeconds * 1e6) as Micros),
      keyedEvents: keyed && events.length > 1 ? events.length : undefined,
      replyVersion: keyed?.replyVersion,
      claims: claims.length > 0 ? claims : undefined,
      eventId: id,
      prevHash,
    });
    prevHash = link.hash;
    return { id, type, data: text, metadata: link.metadata };
  });
}

function numbered() {
  let last = 0;
  const next = () => `0197f3a0-0000-7000-8000-${String((last += 1)).padStart(12, '0')}` as Uuid;
  return { next, nextWhole: next };
}
