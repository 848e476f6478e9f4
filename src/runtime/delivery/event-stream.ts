import { refuse } from '#src/kernel/errors.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { formatInstant, parseInstant, type Instant, type Micros } from '#src/kernel/instant.ts';
import type { SubscriptionFilters } from '#src/kernel/subscription.ts';
import { uuidTime } from '#src/kernel/uuid-time.ts';
import { Unavailable } from '#src/ports/errors.ts';
import type { EventFeed, FeedRequest } from '#src/ports/event-feed.ts';
import type { EventStore, Position } from '#src/ports/event-store.ts';
import { DEVIATION_MAX } from '#src/ports/position-at.ts';
import type { OutgoingRecord } from '#src/ports/publisher.ts';
import type { Scheduler } from '#src/ports/scheduler.ts';
import { LoggedEvent } from '#src/runtime/logged-event.ts';
import { createSignal, type Signal } from './signal.ts';
import type { DeliverySource, SourceEvent } from './source.ts';

type EventFeedOptions = Readonly<{
  log: Pick<EventStore, 'readAll' | 'positionAt' | 'end'>;
  /** Opens the source that all streams share. It is closed with the last of them. */
  openSource: (onNews: () => void) => DeliverySource;
  matches: (filters: SubscriptionFilters, record: OutgoingRecord) => boolean;
  scheduler: Scheduler;
  streamsMax?: number;
}>;

/** The first record of a stream: no event up to `after`, none recorded before `since`, none up to `beyond`. */
type StreamStart = Readonly<{ after: Position; since?: Instant; beyond?: Uuid }>;

/** Creates a feed that computes the events from the log. */
export function createEventFeed({
  log,
  openSource,
  matches,
  scheduler,
  streamsMax = STREAMS_MAX,
}: EventFeedOptions): EventFeed {
  const streams = new Set<Signal>();
  let shared: DeliverySource | undefined;
  let closed = false;

  const wakeAll = (): void => {
    for (const signal of streams) signal.notify();
  };

  const leave = async (signal: Signal): Promise<void> => {
    streams.delete(signal);
    if (streams.size > 0) return;
    const unused = shared;
    shared = undefined;
    await unused?.close();
  };

  /** Takes one of the places only when it is read from: a reply to HEAD never is. */
  async function* stream(
    request: FeedRequest,
    from: StreamStart | Uuid,
  ): AsyncGenerator<readonly OutgoingRecord[], void, undefined> {
    if (streams.size >= streamsMax) return;
    const signal = createSignal(scheduler);
    streams.add(signal);
    const source = (shared ??= openSource(wakeAll));
    try {
      const start = typeof from === 'string' ? await placeOf(from, request.tenantId, source) : from;
      yield* recordsFrom(start, request, { source, signal });
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error; // The client comes back with its last event.
    } finally {
      await leave(signal);
    }
  }

  async function* recordsFrom(
    { after, since = '' as Instant, beyond }: StreamStart,
    { tenantId, subscription, goesOn }: FeedRequest,
    { source, signal }: Readonly<{ source: DeliverySource; signal: Signal }>,
  ): AsyncGenerator<readonly OutgoingRecord[], void, undefined> {
    const { filters, startAt } = subscription;
    const first = startAt === 'now' || startAt < since ? since : startAt;
    let skippedTo = beyond;
    let sentMs = scheduler.elapsedMs();
    let checkedMs = sentMs;

    const recordsOf = (event: SourceEvent): readonly OutgoingRecord[] => {
      if (event.damage !== undefined) throw event.damage; // A stream has no other way to say that one is missing.
      let { records } = event;
      if (skippedTo !== undefined) {
        const last = records.findIndex(({ headers }) => headers['ce-id'] === skippedTo);
        if (last === -1) return [];
        records = records.slice(last + 1);
        skippedTo = undefined;
      }
      if (event.tenantId !== tenantId || event.recordedAt < first) return [];
      return records.filter((record) => record.fault === undefined && matches(filters, record));
    };

    for (let at = after; ;) {
      const events = await source.after(at, EVENTS_MAX);
      let chunk: OutgoingRecord[] = [];
      let characters = 0;
      for (const event of events) {
        at = event.position;
        for (const record of recordsOf(event)) {
          chunk.push(record);
          characters += record.value.length;
          if (characters < CHUNK_CHARACTERS) continue;
          yield chunk;
          chunk = [];
          characters = 0;
          if (isClosed()) return;
        }
      }
      const nowMs = scheduler.elapsedMs();
      if (chunk.length > 0 || nowMs - sentMs >= IDLE_MS) {
        sentMs = nowMs;
        yield chunk;
      }
      if (isClosed()) return;
      if (nowMs - checkedMs >= CHECK_MS) {
        checkedMs = nowMs;
        if (!(await goesOn())) return;
      }
      if (events.length > 0) await scheduler.yield();
      else {
        await signal.wait(CHECK_MS);
        await scheduler.sleep(GATHER_MS);
      }
    }
  }

  /** Finds an event of the tenant by the time in its ce-id; only events of its millisecond are mapped. */
  async function placeOf(id: Uuid, tenantId: string, source: DeliverySource): Promise<StreamStart> {
    const time = uuidTime(id)!;
    const millisecond = formatInstant(time).slice(0, MS_CHARACTERS);
    const latest = formatInstant((time + DEVIATION_MAX) as Micros);
    const from = await log.positionAt(time);
    const notFound: StreamStart = { after: from, since: formatInstant(time) };
    for (let at = from; ;) {
      const events = await log.readAll(at, SCAN_EVENTS_MAX);
      for (const stored of events) {
        const event = new LoggedEvent(stored);
        const { recordedAt } = event;
        if (recordedAt > latest) return notFound;
        const mayBe = recordedAt.startsWith(millisecond) && event.tenantId === tenantId;
        if (mayBe && (await source.record(stored.position, id))) return { after: at, beyond: id };
        at = stored.position;
      }
      if (events.length === 0 || isClosed()) return notFound;
      await scheduler.yield();
    }
  }

  const startOf = async ({ startAt }: FeedRequest['subscription']): Promise<StreamStart> =>
    startAt === 'now'
      ? { after: await log.end() }
      : { after: await log.positionAt(parseInstant(startAt)) };

  const isClosed = (): boolean => closed;

  return {
    async open(request) {
      const { lastEventId, subscription } = request;
      const from = lastEventId ?? (await startOf(subscription));
      if (closed) throw new Unavailable('This process ends');
      if (streams.size >= streamsMax) throw tooMany(streamsMax);
      return stream(request, from);
    },
    close() {
      closed = true;
      wakeAll();
    },
  };
}

const tooMany = (max: number) =>
  refuse('TOO_MANY_REQUESTS', `This process has ${max} event streams open, its maximum.`, {
    retryAfterSeconds: 5,
  });

const STREAMS_MAX = 64;
const EVENTS_MAX = 32;
const SCAN_EVENTS_MAX = 500;
const CHUNK_CHARACTERS = 64 * 1024;
const CHECK_MS = 1000;
/** Events that arrive within this time are sent together: many streams would otherwise write for each one. */
const GATHER_MS = 10;
/** Shorter than the time after which proxies commonly close a silent connection. */
const IDLE_MS = 15_000;
/** `2026-01-05T12:00:00.123` */
const MS_CHARACTERS = 23;
