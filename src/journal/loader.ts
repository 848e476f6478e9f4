import type { Decider, DomainEvent } from '#src/kernel/decider.ts';
import { NONE, type Revision } from '#src/kernel/ids.ts';
import { backoffMs, createRetry, type Retry } from '#src/ports/retry.ts';
import type { Committed, WaitingCommand } from './batch.ts';
import { catchUp, reload, type Attempts, type Reloaded } from './reload.ts';
import type { Resident } from './resident.ts';
import { TurnTaking } from './contention.ts';
import type { NotYetIndexed } from './not-yet-indexed.ts';
import type { WriterPorts } from './writer-ports.ts';
import { startedAnew } from './writer-refusals.ts';

/** Supplies what a load needs from the writer, and hears how it went. */
export type LoadObserver<State, Command, Event extends DomainEvent> = Readonly<{
  /** Waiting commands whose events may have been written after the last durable revision. */
  attempts: () => Attempts<WaitingCommand<Command, Event>>;
  /** The journal is in memory; `happened` are the attempts that were found in the log. */
  loaded: (
    resident: Resident<State>,
    happened: ReadonlyMap<WaitingCommand<Command, Event>, readonly Committed<Event>[]>,
  ) => void;
  failed: (error: unknown) => void;
  /** Called after a load that succeeded or failed. */
  done: () => void;
}>;

/** Loads a journal and catches up with its log; it pauses first after a lost race, or to let other processes write. */
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
  /** A durable but older state, from which a load continues instead of from a snapshot. */
  #behind: Resident<State> | undefined;
  #durable: Revision = NONE;
  /** The number of batches in a row that failed. */
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

  /** Undefined until the journal is loaded and during a reload, when nothing is decided. */
  get resident(): Resident<State> | undefined {
    return this.#resident;
  }

  /** The last revision known to be in the log; appends with an unknown outcome lie above it. */
  get durable(): Revision {
    return this.#durable;
  }

  get isLoading(): boolean {
    return this.#loading !== undefined;
  }

  /** The error of the last load that failed. */
  get fault(): Error {
    return this.#fault;
  }

  /** Reports that a batch is in the log. */
  reached(durable: Revision): void {
    this.#durable = durable;
    this.#setbacks = 0;
  }

  /** Leaves the journal to other processes for as long as a turn takes, and then catches up. */
  standAside(): void {
    this.turns.took(this.#ports.scheduler.elapsedMs() - this.#turnStartedMs);
    this.readOn(this.#resident);
  }

  /** Reports that a batch failed. Returns how many in a row have. */
  setBack(): number {
    return (this.#setbacks += 1);
  }

  /** Catches up from a durable state, or reloads the journal if there is none. */
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
    // A single failure may be chance; several in a row mean a fault, or another writer as busy as this one.
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
    this.#behind = undefined; // A state that was caught up halfway is useless.
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
