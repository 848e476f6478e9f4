import type { Decider, DomainEvent } from '#src/kernel/decider.ts';
import { NONE, type Revision, type Uuid } from '#src/kernel/ids.ts';
import { backoffMs, createRetry, type Retry } from '#src/ports/retry.ts';
import type { Committed, WaitingCommand } from './batch.ts';
import { catchUp, reload, type Reloaded } from './reload.ts';
import type { Resident } from './resident.ts';
import { TurnTaking } from './contention.ts';
import type { NotYetIndexed } from './not-yet-indexed.ts';
import type { WriterPorts } from './writer-ports.ts';
import { startedAnew } from './writer-refusals.ts';

/** Who works with the journal while it is in memory. */
export type LoadObserver<State, Command, Event extends DomainEvent> = Readonly<{
  /** Ids of events that may have been written since the last one known to be, and who waits for them. */
  attempts: () => ReadonlyMap<Uuid, WaitingCommand<Command, Event>>;
  /** It is in memory; `happened`: what of the attempts was written. */
  loaded: (
    resident: Resident<State>,
    happened: ReadonlyMap<WaitingCommand<Command, Event>, readonly Committed<Event>[]>,
  ) => void;
  failed: (error: unknown) => void;
  /** After either: things go on. */
  done: () => void;
}>;

/** Brings a journal into memory, whenever it is not or has to be read on, and waits first when that helps. */
export class Loader<State, Command, Event extends DomainEvent> {
  readonly turns: TurnTaking;
  readonly #journal: string;
  readonly #decider: Decider<State, Command, Event>;
  readonly #ports: WriterPorts;
  readonly #unindexed: NotYetIndexed;
  readonly #owner: LoadObserver<State, Command, Event>;
  readonly #retry: Retry;

  #resident: Resident<State> | undefined;
  #loading: Promise<void> | undefined;
  /** The state at some durable revision, from which loading goes on instead of from a snapshot. */
  #behind: Resident<State> | undefined;
  #durable: Revision = NONE;
  /** Batches that failed since the last one that did not. */
  #setbacks = 0;
  #fault: Error = startedAnew();
  #turnStartedMs = 0;

  constructor(
    journal: string,
    decider: Decider<State, Command, Event>,
    ports: WriterPorts,
    unindexed: NotYetIndexed,
    owner: LoadObserver<State, Command, Event>,
  ) {
    this.#journal = journal;
    this.#decider = decider;
    this.#ports = ports;
    this.#unindexed = unindexed;
    this.#owner = owner;
    const { scheduler } = ports;
    this.#retry = createRetry({ scheduler, backoff: BACKOFF, attemptsMax: ATTEMPTS_MAX });
    this.turns = new TurnTaking(() => scheduler.elapsedMs());
  }

  /** Undefined until loaded, and while it is loaded anew: nothing is decided then. */
  get resident(): Resident<State> | undefined {
    return this.#resident;
  }

  /** The last revision known to be in the log; what an earlier append may have left lies above it. */
  get durable(): Revision {
    return this.#durable;
  }

  get isLoading(): boolean {
    return this.#loading !== undefined;
  }

  /** Why the last load failed. */
  get fault(): Error {
    return this.#fault;
  }

  /** A batch is in the log. */
  reached(durable: Revision): void {
    this.#durable = durable;
    this.#setbacks = 0;
  }

  /** Leaves the journal to others for as long as a turn takes, and then catches up. */
  standAside(): void {
    this.turns.took(this.#ports.scheduler.elapsedMs() - this.#turnStartedMs);
    this.readOn(this.#resident);
  }

  /** A batch failed: answers how many did since the last one that did not. */
  setBack(): number {
    return (this.#setbacks += 1);
  }

  /** Goes on from a durable state, or starts all anew when there is none. */
  readOn(behind: Resident<State> | undefined): void {
    this.#behind = behind;
    this.#resident = undefined;
    void this.load();
  }

  /** Concurrent calls share one load. Never rejects: see `fault`. */
  load(): Promise<void> {
    this.#loading ??= this.#loadWithRetries().finally(() => {
      this.#loading = undefined;
      this.#owner.done();
    });
    return this.#loading;
  }

  async #loadWithRetries(): Promise<void> {
    const { scheduler } = this.#ports;
    if (this.#setbacks === 0 && this.#behind !== undefined) {
      await scheduler.sleep(this.turns.asideMs(scheduler.random()));
    }
    // The first one may be bad luck; several in a row mean trouble, or another writer as busy as this one.
    if (this.#setbacks > 1) {
      const doubled = Math.min(this.#setbacks - 1, this.turns.isOn ? 2 : ATTEMPTS_MAX);
      await scheduler.sleep(backoffMs(BACKOFF, doubled, scheduler.random()));
    }
    try {
      await this.#retry(() => this.#loadOnce());
    } catch (error) {
      this.#fault = error instanceof Error ? error : new Error(String(error));
      this.#owner.failed(error);
    }
  }

  async #loadOnce(): Promise<void> {
    this.#turnStartedMs = this.#ports.scheduler.elapsedMs();
    const { resident, unindexed, happened } = await this.#fromLog();
    this.#resident = resident;
    this.#durable = resident.head.revision;
    this.#unindexed.adopt(unindexed);
    this.#owner.loaded(resident, happened);
  }

  async #fromLog(): Promise<Reloaded<State, Event, WaitingCommand<Command, Event>>> {
    const attempts = this.#owner.attempts();
    const behind = this.#behind;
    this.#behind = undefined; // Half caught up it is of no use.
    if (behind === undefined) {
      const { trimmed } = this.#unindexed;
      return reload(this.#decider, this.#journal, this.#ports, attempts, this.#durable, trimmed);
    }
    const { revision } = behind.head;
    const kept = { resident: behind, unindexed: this.#unindexed };
    try {
      return await catchUp(this.#decider, this.#journal, this.#ports, attempts, kept);
    } catch (error) {
      if (behind.head.revision === revision) this.#behind = behind; // Nothing was folded yet.
      throw error;
    }
  }
}

const BACKOFF = { firstMs: 20, maxMs: 2560 };
const ATTEMPTS_MAX = 8;
