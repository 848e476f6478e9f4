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

/** The batch that is being filled, and the one on its way into the log. Every answer waits in one of the two. */
export class Batches<Command, Event extends DomainEvent> {
  /** No other process writes here (EventStore.exclusive). */
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

  /** Nobody waits for an append. */
  get areEmpty(): boolean {
    return this.#inFlight === undefined && isEmpty(this.#open);
  }

  /** No event waits for an append, and none is on its way. */
  get areWritten(): boolean {
    return this.#inFlight === undefined && this.#open.events.length === 0;
  }

  /** Fills a batch that goes after the end of the journal, as it is or will be. */
  begin(after: Revision, head: Head | undefined): void {
    this.#open = openBatch(after, this.#exclusive ? undefined : head);
  }

  /** The open batch leaves, and the next one is filled, after it. */
  depart(head: Head | undefined): Batch<Command, Event> {
    const batch = this.#open;
    this.#inFlight = batch;
    this.begin(batch.after + batch.events.length, head);
    return batch;
  }

  /** What was in flight is in the log. */
  arrive(): void {
    this.#inFlight = undefined;
  }

  /**
   * A decision that wrote nothing still waits for what it was decided upon: it joins the open batch when that
   * holds events, else the one in flight.
   */
  settle(decided: Decided<Command, Event>): void {
    const batch = hasWritten(decided) ? this.#open : this.#toWaitFor();
    batch.decided.push(decided);
  }

  /** Resolves when everything decided so far is durable: true; or it was lost, and the state with it: false. */
  durable(): Promise<boolean> {
    return new Promise((resolve) => this.#toWaitFor().barriers.push(resolve));
  }

  #toWaitFor(): Batch<Command, Event> {
    // Where others write too, what is in flight may have been overtaken since it left.
    if (!this.#exclusive) return this.#open;
    return this.#open.events.length > 0 ? this.#open : (this.#inFlight ?? this.#open);
  }

  /** An event on its way into the log. */
  intended(revision: Revision): NewEvent | undefined {
    const batch = revision > this.#open.after ? this.#open : this.#inFlight;
    return batch?.events[revision - batch.after - 1];
  }

  /**
   * Takes the events of both out of the state again, and answers the end of the journal before them. Undefined, and
   * nothing done, when only the log can tell what the state was.
   */
  undo(): Head | undefined {
    const { head } = this.#inFlight ?? this.#open;
    const batches = [this.#open, ...(this.#inFlight ? [this.#inFlight] : [])];
    const undo = batches.map((batch) => batch.undo);
    if (head === undefined || !undo.every((steps) => steps !== undefined)) return undefined;
    for (const steps of undo) for (const step of steps.toReversed()) step();
    return { ...head };
  }

  /** Who waits for an append, or for what it was decided upon. */
  *waiting(): Iterable<WaitingCommand<Command, Event>> {
    for (const { waiting } of this.#inFlight?.decided ?? []) yield waiting;
    for (const { waiting } of this.#open.decided) yield waiting;
  }

  /** Neither will be written, or it is not known whether one was: the commands not answered, in their order. */
  abandon(): readonly WaitingCommand<Command, Event>[] {
    const inFlight = this.#inFlight;
    const lost = inFlight === undefined ? [this.#open] : [inFlight, this.#open];
    for (const { barriers } of lost) for (const resolve of barriers) resolve(false);
    for (const { decided } of lost) decided.forEach(noteAttempt);
    for (const { waiting } of inFlight?.decided ?? []) {
      if (waiting.attempted !== undefined) waiting.mayLandAfter = inFlight?.after ?? NONE;
    }
    this.#inFlight = undefined;
    this.#open = openBatch(NONE);
    return lost.flatMap(({ decided }) => decided.map(({ waiting }) => waiting));
  }
}

/** If an event that was minted for it shows up in the log, the command happened. */
function noteAttempt<Command, Event extends DomainEvent>(decided: Decided<Command, Event>): void {
  const { waiting, answer } = decided;
  if (answer.is !== 'done' || answer.ids.length === 0) return;
  waiting.attempted ??= new Set();
  for (const id of answer.ids) waiting.attempted.add(id);
}
