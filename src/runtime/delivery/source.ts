import { isIntact } from '#src/kernel/event-hash.ts';
import type { Instant } from '#src/kernel/instant.ts';
import type { EventStore, Position, StoredEvent } from '#src/ports/event-store.ts';
import type { Damaged } from '#src/ports/errors.ts';
import { damaged } from '#src/ports/intact.ts';
import type { Draft, OutgoingRecord } from '#src/ports/publisher.ts';
import type { Scheduler } from '#src/ports/scheduler.ts';
import { LoggedEvent } from '#src/runtime/logged-event.ts';
import { createTail } from '#src/runtime/tail.ts';

/** An event of the log and the records of all topics that it yields. */
export type SourceEvent = Readonly<{
  position: Position;
  stream: string;
  tenantId: string;
  recordedAt: Instant;
  records: readonly Draft[];
  /** Set if the event does not match its hash: its records are only what could still be read, and must not be sent. */
  damage?: Damaged;
}>;

/** Reads the records of all topics from the log; nothing is copied. Errors: Unavailable. */
export type DeliverySource = Readonly<{
  /** Returns up to `limit` events after a position; none at the end of the log. */
  after(position: Position, limit: number): Promise<readonly SourceEvent[]>;
  /** Returns the record with a ce-id that the event at a position yields. Errors: Damaged. */
  record(position: Position, eventId: string): Promise<OutgoingRecord | undefined>;
  end(): Promise<Position>;
  /** Returns the number of damaged events that were read. */
  damagedEvents(): number;
  /** Reports that there may be more in the log. */
  look(): void;
  close(): Promise<void>;
}>;

type SourceOptions = Readonly<{
  log: Pick<EventStore, 'readAll' | 'subscribe' | 'at' | 'end'>;
  topics: readonly SourceTopic[];
  scheduler: Scheduler;
  onNews: () => void;
  /** Called for each damaged event, once. */
  onDamage?: (damage: Damaged) => void;
}>;

export type SourceTopic = Readonly<{
  types: ReadonlySet<string>;
  drafts: (event: LoggedEvent) => readonly Draft[];
}>;

export function createDeliverySource({
  log,
  topics,
  scheduler,
  onNews,
  onDamage = () => {},
}: SourceOptions): DeliverySource {
  const tail = createTail({ log, scheduler, onNews });
  const topicsByType = new Map<string, SourceTopic[]>();
  for (const topic of topics) {
    for (const type of topic.types) {
      topicsByType.set(type, [...(topicsByType.get(type) ?? []), topic]);
    }
  }
  /** The last events that were read, which are usually sent next. */
  const recent = new Map<Position, SourceEvent>();
  let recentChars = 0;
  const damagedAt = new Set<Position>();

  const mapped = (stored: StoredEvent): SourceEvent => {
    const known = recent.get(stored.position);
    if (known !== undefined) return known;
    if (!isIntact(stored)) return salvaged(stored);
    const fresh = read(stored);
    if (fresh.records.length > 0) keep(fresh);
    return fresh;
  };

  const read = (stored: StoredEvent): SourceEvent => {
    const event = new LoggedEvent(stored);
    const records = topicsByType.get(stored.type)?.flatMap((topic) => topic.drafts(event)) ?? NONE;
    const { position, stream } = stored;
    const { tenantId, recordedAt } = event;
    return { position, stream, tenantId, recordedAt, records };
  };

  const salvaged = (stored: StoredEvent): SourceEvent => {
    const { position, stream } = stored;
    const damage = damaged(stored);
    if (!damagedAt.has(position)) {
      damagedAt.add(position);
      onDamage(damage);
    }
    try {
      return { ...read(stored), damage };
    } catch {
      return { position, stream, tenantId: '', recordedAt: '' as Instant, records: NONE, damage };
    }
  };

  const keep = (event: SourceEvent): void => {
    recent.set(event.position, event);
    recentChars += charsOf(event);
    for (const [position, oldest] of recent) {
      if (recentChars <= CHARS_MAX || recent.size === 1) return;
      recent.delete(position);
      recentChars -= charsOf(oldest);
    }
  };

  return {
    async after(position, limit) {
      return (await tail.readAll(position, limit)).map(mapped);
    },
    async record(position, eventId) {
      let event = recent.get(position);
      if (event === undefined) {
        const stored = await log.at(position);
        event = stored && mapped(stored);
      }
      if (event?.damage !== undefined) throw event.damage;
      return event?.records.find(
        ({ headers, fault }) => headers['ce-id'] === eventId && fault === undefined,
      );
    },
    end: () => log.end(),
    damagedEvents: () => damagedAt.size,
    look: () => {
      onNews();
    },
    close: () => tail.close(),
  };
}

const charsOf = ({ records }: SourceEvent): number =>
  records.reduce((sum, { value }) => sum + value.length + OVERHEAD_CHARS, 0);

const NONE: readonly Draft[] = [];
const CHARS_MAX = 16 * 1024 * 1024;
/** The headers and keys of a record, roughly. */
const OVERHEAD_CHARS = 1000;
