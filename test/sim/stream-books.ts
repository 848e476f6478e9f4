import { matchesFilters } from '#src/bridge/subscription-filter.ts';
import type { ReplayRecord, SubscriptionRecord } from '#src/events/streaming/streaming.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { Position } from '#src/ports/event-store.ts';
import type { OutgoingRecord } from '#src/ports/publisher.ts';
import { LoggedEvent } from '#src/runtime/logged-event.ts';
import { assertThat, type Recorded } from './log-oracle.ts';
import { TOPICS, idOf, type SimTopic } from './publishing.ts';

/** A subscription as the log shows it, with all of its states. */
export type BookedStream = {
  readonly id: Uuid;
  readonly states: Readonly<{ position: Position; subscription: SubscriptionRecord }>[];
  isRemoved: boolean;
};

/** A record that the log yields; `place` counts all of them in the order of the log. */
export type ExpectedRecord = Readonly<{
  topic: SimTopic;
  record: OutgoingRecord;
  position: Position;
  recordedAt: string;
  place: number;
}>;

/** Keeps the subscriptions and replays of the log and the records that it yields, and checks each completed replay. */
export class StreamBooks {
  readonly streams = new Map<Uuid, BookedStream>();
  readonly replays = new Map<Uuid, Readonly<{ replay: ReplayRecord; requestedAt: Position }>>();
  readonly records: ExpectedRecord[] = [];
  /** The last time of each half of the log, for windows. */
  readonly times: string[] = [];
  completed = 0;
  /** The ce-ids that a replayer was told are published, since the last replay was completed. */
  readonly #replayed = new Set<string>();

  take({ stored, metadata: { recordedAt }, data }: Recorded): void {
    const event = new LoggedEvent(stored);
    const { position } = stored;
    this.times.push(recordedAt);
    for (const topic of TOPICS) {
      if (!topic.types.has(event.type)) continue;
      for (const record of topic.drafts(event)) {
        this.records.push({ topic, record, position, recordedAt, place: this.records.length });
      }
    }
    if (!stored.stream.startsWith('streaming-')) return;
    if ('replay' in data) this.#takeReplay(data['replay'] as ReplayRecord, position);
    if (!('subscription' in data)) return;
    const subscription = data['subscription'] as SubscriptionRecord;
    const { id } = subscription;
    const stream = this.streams.get(id) ?? { id, states: [], isRemoved: false };
    this.streams.set(id, stream);
    stream.states.push({ position, subscription });
    stream.isRemoved = stored.type === 'SubscriptionDeleted';
  }

  /** Records that a replayer was told of an acknowledgment. */
  acknowledged(records: readonly OutgoingRecord[]): void {
    for (const record of records) this.#replayed.add(idOf(record));
  }

  get live(): readonly BookedStream[] {
    return [...this.streams.values()].filter(({ isRemoved }) => !isRemoved);
  }

  get pending(): number {
    return [...this.replays.values()].filter(({ replay }) => replay.status === 'pending').length;
  }

  /**
   * Returns the records that a subscription has to deliver, and those that it may deliver: filters that were changed
   * while an event waited to be planned may have been applied to it or not.
   */
  dueTo({ states }: BookedStream): Readonly<{ must: ExpectedRecord[]; may: Set<string> }> {
    const [first] = states;
    if (first === undefined) throw new Error('A subscription has a state');
    const { startAt } = first.subscription;
    const due = this.records.filter(({ position, recordedAt }) =>
      startAt === 'now' ? position > first.position : recordedAt >= startAt,
    );
    const may = new Set<string>();
    const must = due.filter(({ record, position }) => {
      const before = states.filter((state) => state.position < position).slice(-1);
      const after = states.filter((state) => state.position > position);
      const answers = [...before, ...after].map(({ subscription: { filters } }) =>
        matchesFilters(filters, record),
      );
      if (answers.includes(true)) may.add(idOf(record));
      return !answers.includes(false);
    });
    return { must, may };
  }

  #takeReplay(replay: ReplayRecord, position: Position): void {
    const { id, status, from, to, keys, subjects } = replay;
    const known = this.replays.get(id);
    const requestedAt = known?.requestedAt ?? position;
    this.replays.set(id, { replay, requestedAt });
    if (status !== 'completed') return;
    assertThat(known?.replay.status === 'pending', `The replay ${id} was completed twice`);
    const missing = this.records.find(
      ({ record, topic, position, recordedAt }) =>
        position <= requestedAt &&
        recordedAt >= from &&
        recordedAt <= to &&
        (keys?.includes(topic.key) ?? true) &&
        (subjects?.includes(record.headers['ce-subject'] ?? '') ?? true) &&
        !this.#replayed.has(idOf(record)),
    );
    assertThat(
      missing === undefined,
      `The replay ${id} is completed without ${missing === undefined ? '' : idOf(missing.record)}`,
    );
    this.completed += 1;
    this.#replayed.clear();
  }
}
