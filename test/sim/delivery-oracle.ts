import type { Uuid } from '#src/kernel/ids.ts';
import type { Micros } from '#src/kernel/instant.ts';
import type { Delivery, SubscriptionProgress } from '#src/ports/delivery-store.ts';
import type { OutgoingRecord } from '#src/ports/publisher.ts';
import type { MemoryDeliveries } from '#test/doubles/memory/delivery-store.ts';
import { assertThat } from './log-oracle.ts';
import { idOf } from './publishing.ts';
import type { StreamBooks } from './stream-books.ts';

type Options = Readonly<{
  /** One process alone delivers: nothing that is settled is sent again. */
  isAlone: boolean;
  /** The latest time that the clock has shown to anybody: it may step back. */
  latestShown: () => Micros;
  fail: (problem: string) => void;
}>;

/** Watches every change of a delivery and everything that receivers and consumers get. */
export class DeliveryOracle {
  /** The deliveries that the simulated store has. */
  readonly data: MemoryDeliveries;
  repeated = 0;
  readonly #options: Options;
  readonly #ids = new Map<string, Uuid>();
  readonly #planned = new Set<Uuid>();
  /** Deliveries that were dead once: later ones of their key no longer wait for them. */
  readonly #died = new Set<string>();
  /** Deliveries that somebody asked to be sent again. */
  readonly #asked = new Set<Uuid>();
  /** The records that arrived, by subscription and ce-id, in the order of their first arrival. */
  readonly #received = new Map<Uuid, Map<string, OutgoingRecord>>();

  constructor(options: Options) {
    this.#options = options;
    this.data = {
      rows: new Watched<Uuid, Delivery>((before, next) => {
        this.#check(() => {
          this.#changed(before, next);
        });
      }),
      progress: new Watched<Uuid, SubscriptionProgress>((before, next) => {
        this.#check(() => {
          const isAhead = before === undefined || before.cursor <= next.cursor;
          assertThat(isAhead, `A cursor went back from ${before?.cursor} to ${next.cursor}`);
        });
      }),
    };
  }

  /** Somebody asks for deliveries of these again. */
  readonly asked = (ids: readonly Uuid[]): void => {
    for (const id of ids) this.#asked.add(id);
  };

  /** A message leaves for its receiver. */
  sent(subscriptionId: Uuid, record: OutgoingRecord): void {
    const row = this.rowOf(subscriptionId, idOf(record));
    const isDue = row?.status === 'pending' || row?.status === 'retrying';
    if (!this.#options.isAlone || isDue) return;
    this.#options.fail(
      `${subscriptionId}: ${idOf(record)} is sent, and is ${row?.status ?? 'not planned'}`,
    );
  }

  /** A message came to its receiver or consumer. */
  received(subscriptionId: Uuid, record: OutgoingRecord): void {
    const messages = this.#received.get(subscriptionId) ?? new Map<string, OutgoingRecord>();
    this.#received.set(subscriptionId, messages);
    const id = idOf(record);
    const first = messages.get(id);
    if (first === undefined) messages.set(id, record);
    else {
      this.repeated += 1;
      this.#check(() => {
        assertThat(isSame(first, record), `${subscriptionId}: two messages are ${id}`);
      });
    }
  }

  /** A consumer was told that so many of its leases are settled by an acknowledgment. */
  acknowledged(ids: readonly Uuid[]): void {
    this.#check(() => {
      for (const id of ids) {
        const status = this.data.rows.get(id)?.status ?? 'gone';
        const isRight = status === 'delivered' || status === 'gone' || this.#asked.has(id);
        assertThat(isRight, `The delivery ${id} was acknowledged and is ${status}`);
      }
    });
  }

  rowOf(subscriptionId: Uuid, eventId: string): Delivery | undefined {
    const id = this.#ids.get(`${subscriptionId} ${eventId}`);
    return id && this.data.rows.get(id);
  }

  get total(): number {
    return [...this.#received.values()].reduce((sum, { size }) => sum + size, 0);
  }

  /** Returns a record that a live subscription has not delivered yet; undefined when there is none. */
  missing(books: StreamBooks): string | undefined {
    for (const stream of books.live) {
      for (const { record } of books.dueTo(stream).must) {
        const id = idOf(record);
        const isThere = this.#received.get(stream.id)?.has(id) === true;
        const status = this.rowOf(stream.id, id)?.status;
        if (isThere && status === 'delivered') continue;
        return `${stream.id} has not delivered ${id}, which is ${status ?? 'not planned'}`;
      }
    }
    return undefined;
  }

  /** Compares what came with the log. Throws at what is wrong. */
  end(books: StreamBooks): void {
    const known = new Map(books.records.map((one) => [idOf(one.record), one]));
    for (const stream of books.streams.values()) {
      const { may } = books.dueTo(stream);
      const { ordering } = stream.states[0]!.subscription;
      const last = new Map<string, number>();
      for (const [id, message] of this.#received.get(stream.id) ?? []) {
        const expected = known.get(id);
        const what = `${stream.id}: ${id}`;
        if (expected === undefined) throw new Error(`${what} is not of the log`);
        assertThat(isSame(expected.record, message), `${what} differs from the log`);
        assertThat(may.has(id), `${what} does not pass the filters`);
        if (ordering !== 'key' || this.#died.has(`${stream.id} ${id}`)) continue;
        const { key } = message;
        const isLater = expected.place > (last.get(key) ?? -1);
        assertThat(isLater, `${what} came after a later record of ${key}`);
        last.set(key, expected.place);
      }
    }
  }

  #changed(before: Delivery | undefined, next: Delivery): void {
    const { id, subscriptionId, eventId, status, version } = next;
    const what = `The delivery ${id} of ${eventId}`;
    if (status === 'dead') this.#died.add(`${subscriptionId} ${eventId}`);
    if (before === undefined) {
      assertThat(!this.#planned.has(id), `${what} was planned twice`);
      this.#planned.add(id);
      this.#ids.set(`${subscriptionId} ${eventId}`, id);
      return;
    }
    assertThat(version === before.version + 1, `${what} went from ${before.version} to ${version}`);
    const isOver = before.status === 'delivered' || before.status === 'dead';
    const isReopened = status === 'pending' && next.tries === 0 && this.#asked.has(id);
    assertThat(!isOver || isReopened, `${what} was ${before.status} and became ${status}`);
    const { lease, dueAt = 0 } = before;
    const isHeld = lease !== undefined && !isOver && dueAt > this.#options.latestShown();
    const isPassedOn = next.lease !== undefined && next.lease.token !== lease?.token;
    assertThat(!isHeld || !isPassedOn, `${what} was leased to two consumers`);
  }

  #check(check: () => void): void {
    try {
      check();
    } catch (error) {
      this.#options.fail(String(error));
    }
  }
}

/** Shows every write before it happens. */
class Watched<Key, Value> extends Map<Key, Value> {
  readonly #see: (before: Value | undefined, next: Value) => void;

  constructor(see: (before: Value | undefined, next: Value) => void) {
    super();
    this.#see = see;
  }

  override set(key: Key, value: Value): this {
    this.#see(this.get(key), value);
    return super.set(key, value);
  }
}

const isSame = (one: OutgoingRecord, other: OutgoingRecord): boolean =>
  JSON.stringify([one.key, one.headers, one.value]) ===
  JSON.stringify([other.key, other.headers, other.value]);
