import type { DomainEvent } from '#src/kernel/decider.ts';
import { NONE, type Revision } from '#src/kernel/ids.ts';
import type { NewEvent } from '#src/ports/event-store.ts';
import {
  hasWritten,
  isEmpty,
  openBatch,
  type Batch,
  type Decided,
  type WaitingCommand,
} from './batch.ts';
import type { Head } from './resident.ts';

/** The batch that is being filled and the one that is being appended. Every reply waits for one of the two. */
export class Batches<Command, Event extends DomainEvent> {
  /** No other process writes the journal (EventStore.exclusive). */
  readonly #exclusive: boolean;
  #open: Batch<Command, Event> = openBatch(NONE);
  #inFlight: Batch<Command, Event> | undefined;

  constructor(exclusive: boolean) {
    this.#exclusive = exclusive;
  }

  get open(): Batch<Command, Event> {
    return this.#open;
  }

  get inFlight(): Batch<Command, Event> | undefined {
    return this.#inFlight;
  }

  /** No caller waits for an append. */
  get areEmpty(): boolean {
    return this.#inFlight === undefined && isEmpty(this.#open);
  }

  /** All events that were decided are in the log. */
  get areWritten(): boolean {
    return this.#inFlight === undefined && this.#open.events.length === 0;
  }

  /** Opens a batch for the events after a revision. */
  begin(after: Revision, head: Head | undefined): void {
    this.#open = openBatch(after, this.#exclusive ? undefined : head);
  }

  /** Hands out the open batch to be appended and opens the next one after it. */
  depart(head: Head | undefined): Batch<Command, Event> {
    const batch = this.#open;
    this.#inFlight = batch;
    this.begin(batch.after + batch.events.length, head);
    return batch;
  }

  /** The batch in flight is in the log. */
  arrive(): void {
    this.#inFlight = undefined;
  }

  /**
   * Adds a decision to the batch on which its reply depends. A decision without events depends on the state it was made
   * upon: on the open batch if that has events, otherwise on the one in flight.
   */
  settle(decided: Decided<Command, Event>): void {
    const batch = hasWritten(decided) ? this.#open : this.#toWaitFor();
    batch.decided.push(decided);
  }

  /** Resolves with true when everything decided so far is durable, or with false when it was lost. */
  durable(): Promise<boolean> {
    return new Promise((resolve) => this.#toWaitFor().barriers.push(resolve));
  }

  #toWaitFor(): Batch<Command, Event> {
    // Where other processes write too, one of them may have won the race against the batch in flight.
    if (!this.#exclusive) return this.#open;
    return this.#open.events.length > 0 ? this.#open : (this.#inFlight ?? this.#open);
  }

  /** Returns an event that is not in the log yet. */
  intended(revision: Revision): NewEvent | undefined {
    const batch = revision > this.#open.after ? this.#open : this.#inFlight;
    return batch?.events[revision - batch.after - 1];
  }

  /**
   * Takes the events of both batches out of the state and returns the end of the journal before them. Returns undefined,
   * having done nothing, if only a reload can restore the state.
   */
  undo(): Head | undefined {
    const { head } = this.#inFlight ?? this.#open;
    const batches = [this.#open, ...(this.#inFlight ? [this.#inFlight] : [])];
    const undo = batches.map((batch) => batch.undo);
    if (head === undefined || !undo.every((steps) => steps !== undefined)) return undefined;
    for (const steps of undo) for (const step of steps.toReversed()) step();
    return { ...head };
  }

  /** The commands of both batches. */
  *waiting(): Iterable<WaitingCommand<Command, Event>> {
    for (const { waiting } of this.#inFlight?.decided ?? []) yield waiting;
    for (const { waiting } of this.#open.decided) yield waiting;
  }

  /** Gives up both batches, of which one may have been written, and returns their commands in order. */
  abandon(): readonly WaitingCommand<Command, Event>[] {
    const inFlight = this.#inFlight;
    const lost = inFlight === undefined ? [this.#open] : [inFlight, this.#open];
    for (const { barriers } of lost) for (const resolve of barriers) resolve(false);
    for (const { decided } of lost) decided.forEach(noteAttempt);
    for (const { waiting } of inFlight?.decided ?? []) {
      if (waiting.attempted === undefined) continue;
      waiting.mayLandAfter = Math.max(waiting.mayLandAfter ?? NONE, inFlight?.after ?? NONE);
    }
    this.#inFlight = undefined;
    this.#open = openBatch(NONE);
    return lost.flatMap(({ decided }) => decided.map(({ waiting }) => waiting));
  }
}

/** Remembers the ids of a command's events, by which a reload recognizes that they were written. */
function noteAttempt<Command, Event extends DomainEvent>(decided: Decided<Command, Event>): void {
  const { waiting, answer } = decided;
  if (answer.is !== 'done' || answer.ids.length === 0) return;
  waiting.attempted ??= new Set();
  for (const id of answer.ids) waiting.attempted.add(id);
}
