import type { Revision, Uuid } from '#src/kernel/ids.ts';
import type { Micros } from '#src/kernel/instant.ts';
import { Ambiguous, Unavailable } from '#src/ports/errors.ts';
import {
  WrongExpectedRevision,
  type Appended,
  type EventStore,
  type NewEvent,
  type Position,
  type StoredEvent,
  type LogSubscription,
  type Take,
} from '#src/ports/event-store.ts';
import { follow } from '#src/ports/follow.ts';
import type { Scheduler } from '#src/ports/scheduler.ts';
import { NO_FAULTS, type AppendFate, type Faults } from './faults.ts';
import { MemoryLog } from './log.ts';

export type MemoryEventStoreOptions = Readonly<{
  scheduler: Scheduler;
  faults?: Faults;
  /** What is stored; it outlives the clients opened over it. */
  log?: MemoryLog;
  /** What the client believes about other writers (EventStore.exclusive). */
  exclusive?: boolean;
}>;

/** One client of a log in memory. Every operation first waits for the scheduler, then meets its fate. */
export class MemoryEventStore implements EventStore {
  readonly exclusive: boolean;
  readonly #log: MemoryLog;
  readonly #scheduler: Scheduler;
  readonly #faults: Faults;
  #gone: 'closed' | 'crashed' | undefined;

  constructor({ scheduler, faults, log, exclusive }: MemoryEventStoreOptions) {
    this.exclusive = exclusive ?? false;
    this.#log = log ?? new MemoryLog();
    this.#scheduler = scheduler;
    this.#faults = faults ?? NO_FAULTS;
  }

  get logId(): Uuid {
    return this.#log.id;
  }

  async append(stream: string, events: readonly NewEvent[], expected: Revision): Promise<Appended> {
    if (events.length === 0) throw new Error('An append needs an event');
    this.#mustBeOpen();
    const fate = this.#faults.append?.(stream) ?? 'ok';
    await this.#scheduler.yield();
    if (this.#isCrashed()) {
      // The request had left before: the log may still get it.
      if (this.#faults.landsAfterCrash?.(stream) ?? false)
        this.#log.append(stream, events, expected);
      return never();
    }
    const answer = this.#meet(fate, stream, events, expected);
    await this.#turn(); // The answer takes its time too; readers may see the events before it.
    if (answer instanceof Error) throw answer;
    return answer;
  }

  async read(stream: string, from: Revision, limit: number): Promise<readonly StoredEvent[]> {
    this.#mustBeOpen();
    await this.#turn();
    this.#mayFail(stream);
    return this.#log.read(stream, from, limit);
  }

  async readAll(after: Position, limit: number): Promise<readonly StoredEvent[]> {
    this.#mustBeOpen();
    await this.#turn();
    this.#mayFail(undefined);
    return this.#log.readAll(after, limit);
  }

  async at(position: Position): Promise<StoredEvent | undefined> {
    this.#mustBeOpen();
    await this.#turn();
    this.#mayFail(undefined);
    return this.#log.at(position);
  }

  async last(stream: string): Promise<StoredEvent | undefined> {
    this.#mustBeOpen();
    await this.#turn();
    this.#mayFail(stream);
    return this.#log.last(stream);
  }

  async end(): Promise<Position> {
    this.#mustBeOpen();
    await this.#turn();
    this.#mayFail(undefined);
    return this.#log.end();
  }

  async positionAt(instant: Micros): Promise<Position> {
    this.#mustBeOpen();
    await this.#turn();
    this.#mayFail(undefined);
    return this.#log.positionAt(instant);
  }

  subscribe(after: Position, take: Take): LogSubscription {
    return follow(this, (ms) => this.#scheduler.sleep(ms), after, take);
  }

  async close(): Promise<void> {
    this.#gone ??= 'closed';
  }

  /**
   * The process of this client dies. Nothing it waits for ever settles; appends under way land or vanish
   * (Faults.landsAfterCrash, and those with a late fate land late). Open another client over the same log.
   */
  crash(): void {
    this.#gone = 'crashed';
  }

  #meet(
    fate: AppendFate,
    stream: string,
    events: readonly NewEvent[],
    expected: Revision,
  ): Appended | Error {
    const write = (): Appended | undefined => this.#log.append(stream, events, expected);
    const lost = new Ambiguous(`No answer to an append to ${stream}`);
    switch (fate) {
      case 'ok':
        return write() ?? this.#conflict(stream, expected);
      case 'refused':
        return new Unavailable(`The append to ${stream} was not taken`);
      case 'conflict':
        return this.#conflict(stream, expected);
      case 'lost':
        return lost;
      case 'unanswered':
        write();
        return lost;
      default:
        void this.#scheduler.sleep(fate.lateMs).then(write);
        return lost;
    }
  }

  #conflict(stream: string, expected: Revision): WrongExpectedRevision {
    return new WrongExpectedRevision(stream, expected, this.#log.revision(stream));
  }

  /** Waits for the scheduler. A client that crashed meanwhile never comes back. */
  async #turn(): Promise<void> {
    await this.#scheduler.yield();
    if (this.#isCrashed()) await never();
  }

  #isCrashed(): boolean {
    return this.#gone === 'crashed';
  }

  #mustBeOpen(): void {
    if (this.#gone === 'closed') throw new Unavailable('The event store is closed');
  }

  #mayFail(stream: string | undefined): void {
    if (this.#faults.readFails?.(stream) ?? false) throw new Unavailable('The log cannot be read');
  }
}

const never = (): Promise<never> => new Promise(() => {});
