import { PublishFailed, type OutgoingRecord, type Publisher } from '#src/ports/publisher.ts';
import type { Scheduler } from '#src/ports/scheduler.ts';

/** What befalls a call: it goes well, fails before or after the first so many records arrived, or never ends. */
export type PublishFate = 'ok' | 'hangs' | Readonly<{ fails: PublishFailed; arrived?: number }>;

export type PublisherFaults = (
  topic: string,
  records: readonly OutgoingRecord[],
) => PublishFate | undefined;

export type Arrived = OutgoingRecord & Readonly<{ topic: string; isReplayed?: true }>;

/** A client of a broker in memory; `arrived` is all that ever came there, in the order in which it came. */
export class MemoryPublisher implements Publisher {
  readonly target = 'memory';
  readonly arrived: Arrived[];
  readonly #scheduler: Scheduler;
  readonly #faults: PublisherFaults;
  readonly #marks: Pick<Arrived, 'isReplayed'>;
  #closed = false;

  constructor(
    scheduler: Scheduler,
    faults: PublisherFaults = () => 'ok',
    arrived: Arrived[] = [],
    marks: Pick<Arrived, 'isReplayed'> = {},
  ) {
    this.arrived = arrived;
    this.#scheduler = scheduler;
    this.#faults = faults;
    this.#marks = marks;
  }

  async publish(topic: string, records: readonly OutgoingRecord[]): Promise<void> {
    if (this.#closed) throw new PublishFailed('context_canceled', 'The publisher is closed');
    const fate = this.#faults(topic, records) ?? 'ok';
    await this.#scheduler.yield();
    if (fate === 'hangs') return never();
    const arrived = fate === 'ok' ? records : records.slice(0, fate.arrived ?? 0);
    this.arrived.push(...arrived.map((record) => ({ ...record, topic, ...this.#marks })));
    await this.#scheduler.yield(); // The acknowledgement takes its time too.
    if (fate !== 'ok') throw fate.fails;
  }

  bury(topic: string, record: OutgoingRecord): Promise<void> {
    return this.publish(`${topic}.dlq`, [record]);
  }

  async provision(): Promise<readonly string[]> {
    return [];
  }

  async close(): Promise<void> {
    this.#closed = true;
  }
}

const never = (): Promise<never> => new Promise(() => {});
