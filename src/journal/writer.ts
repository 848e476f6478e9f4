import type { Decider, DomainEvent, JournalFact } from '#src/kernel/decider.ts';
import { NONE, type Revision, type Uuid } from '#src/kernel/ids.ts';
import { Ambiguous, Unavailable } from '#src/ports/errors.ts';
import { WrongExpectedRevision, type Position } from '#src/ports/event-store.ts';
import { reply } from './reply.ts';
import {
  hasRoom,
  isEmpty,
  type Batch,
  type Committed,
  type Envelope,
  type Outcome,
  type WaitingCommand,
} from './batch.ts';
import { Batches } from './batches.ts';
import { Decisions } from './decide.ts';
import { Doubts } from './doubts.ts';
import { FilterWatch } from './filter-watch.ts';
import { errorAsAbsent } from './refuse-as-absent.ts';
import { FoundFacts } from './facts.ts';
import { Loader } from './loader.ts';
import { createFactLookup, type FactLookup, type OtherJournals } from './fact-lookup.ts';
import type { Attempts } from './reload.ts';
import type { Resident } from './resident.ts';
import { NotYetIndexed } from './not-yet-indexed.ts';
import { LIMITS, type Limits, type WriterEvents, type WriterPorts } from './writer-ports.ts';
import { noAnswer, startedAnew, tooBusy, Undecided, unlessInDoubt } from './writer-refusals.ts';

/**
 * Writes one journal. It decides commands in their order, each against the state that the previous ones left. At most one
 * append is in flight, while the next batch is decided. A reply is sent only after everything it rests on is durable.
 */
export class JournalWriter<State, Command, Event extends DomainEvent> {
  readonly journal: string;
  readonly #decider: Decider<State, Command, Event>;
  readonly #ports: WriterPorts;
  readonly #others: OtherJournals;
  readonly #events: WriterEvents;
  readonly #limits: Limits;
  readonly #unindexed = new NotYetIndexed();
  readonly #batches: Batches<Command, Event>;
  readonly #loader: Loader<State, Command, Event>;
  readonly #deciding: Decisions<State, Command, Event>;
  readonly #lookingUp: FactLookup;
  readonly #filterWatch = new FilterWatch();

  #queue: WaitingCommand<Command, Event>[] = [];
  readonly #preparing = new Set<WaitingCommand<Command, Event>>();
  readonly #asking = new Set<PendingFact>();
  readonly #doubts = new Doubts();
  #flushDue = false;
  #sinceSnapshot = 0;
  /** The index holds the journal up to here. */
  #indexed: Revision = NONE;
  /** The last acknowledged revision, which readers must see. */
  #acknowledged: Revision = NONE;
  /** The journal was last read from the log up to here; what follows was written by this process. */
  #read: Revision = NONE;
  /** When the log last confirmed the end of the journal. */
  #seenMs = Number.NEGATIVE_INFINITY;
  #lastUsed: number;

  constructor(
    journal: string,
    decider: Decider<State, Command, Event>,
    ports: WriterPorts,
    events: WriterEvents,
    others: OtherJournals,
    limits: Limits = LIMITS,
  ) {
    this.#limits = limits;
    this.journal = journal;
    this.#decider = decider;
    this.#ports = ports;
    this.#others = others;
    this.#events = events;
    this.#lastUsed = ports.scheduler.elapsedMs();
    const unindexed = this.#unindexed;
    const batches = new Batches<Command, Event>(ports.store.exclusive);
    const loader = new Loader(journal, decider, ports, unindexed, {
      attempts: () => this.#attempts(),
      loaded: (resident, happened) => this.#loaded(resident, happened),
      failed: (error) => this.#notLoaded(error),
      done: () => {
        if (loader.resident !== undefined || this.#queue.length > 0) this.#advance();
      },
    });
    this.#batches = batches;
    this.#loader = loader;
    this.#lookingUp = createFactLookup(journal, ports, others, unindexed, batches, {
      durable: () => loader.durable,
      tenantId: () => loader.resident?.head.tenantId,
      doubted: (reason) => this.#doubted(reason),
    });
    this.#deciding = new Decisions(decider, ports, batches, unindexed, (defect) =>
      this.#startAnew(defect),
    );
  }

  /** Resolves when the events of the command, or the state that refuses it, are durable. Errors: Refusal, Unavailable. */
  submit(envelope: Envelope<Command>): Promise<Outcome<Event>> {
    this.#lastUsed = this.#ports.scheduler.elapsedMs();
    return new Promise((resolve, reject) => {
      const waiting = this.#queue.length + this.#preparing.size;
      if (waiting >= this.#limits.waiting || this.#unindexed.size >= this.#limits.recentKeys) {
        reject(tooBusy());
        return;
      }
      const waitsOn: WaitingCommand<Command, Event> = {
        envelope,
        resolve,
        reject,
        sinceMs: this.#lastUsed,
      };
      this.#doubts.recall(waitsOn);
      if (envelope.forwarded?.isDoubtful) waitsOn.mayLandAfter = Number.POSITIVE_INFINITY;
      this.#queue.push(waitsOn);
      this.#advance();
    });
  }

  /** Returns the public state of the journal. Errors: Unavailable. */
  async fact(tenantId: string): Promise<JournalFact | undefined> {
    const known = this.factAtHand(tenantId);
    if (known !== undefined) return known ?? undefined;
    return new Promise((resolve, reject) => {
      const asking: PendingFact = { sinceMs: this.#ports.scheduler.elapsedMs(), reject };
      this.#asking.add(asking);
      void this.#fact(tenantId)
        .then(resolve, reject)
        .finally(() => this.#asking.delete(asking));
    });
  }

  async #fact(tenantId: string): Promise<JournalFact | undefined> {
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
      if (this.#loader.resident === undefined) await this.#loader.load();
      if (this.#loader.resident === undefined) throw this.#loader.fault;
      const found = this.#factIn(this.#loader.resident, tenantId);
      if (this.#rests(found) || (await this.#isDurable())) return found;
    }
    throw startedAnew();
  }

  /** Returns the public state without waiting: undefined if that is not possible, null if the journal does not exist. */
  factAtHand(tenantId: string): JournalFact | null | undefined {
    const { resident } = this.#loader;
    if (resident === undefined) return undefined;
    const found = this.#factIn(resident, tenantId);
    if (!this.#rests(found)) return undefined;
    this.#lastUsed = this.#ports.scheduler.elapsedMs();
    return found ?? null;
  }

  #factIn({ state, head }: Resident<State>, tenantId: string): JournalFact | undefined {
    const fact = head.tenantId === tenantId ? this.#decider.fact(state) : undefined;
    return fact && { ...fact, revision: head.revision };
  }

  /** Resolves when everything decided so far is durable, or was lost and will be decided again. */
  async settled(): Promise<void> {
    if (this.#loader.isLoading) await this.#loader.load();
    if (!this.#batches.areEmpty) await this.#isDurable();
  }

  /**
   * Returns whether a fact can be relied on without asking the log: all decisions are durable, and no other process can
   * write, or the log confirmed a live journal a moment ago. An absent journal is looked up, unless absence is common.
   */
  #rests(found: JournalFact | undefined): boolean {
    if (!this.#batches.areWritten) return false;
    const { store, scheduler } = this.#ports;
    if (store.exclusive) return true;
    const isBelieved = found === undefined ? this.#decider.isOftenAbsent : found.live;
    return isBelieved === true && scheduler.elapsedMs() - this.#seenMs < FACT_MS;
  }

  #isDurable(): Promise<boolean> {
    const durable = this.#batches.durable();
    this.#flushSoon();
    return durable;
  }

  /**
   * Rejects callers that have waited for longer, so that none waits for a store that does not respond. Commands that are
   * not being appended will not be written; the outcome of the others is unknown.
   */
  giveUpWaiting(forMs: number): void {
    const beforeMs = this.#ports.scheduler.elapsedMs() - forMs;
    const isLate = ({ sinceMs }: PendingFact): boolean => sinceMs < beforeMs;
    for (const asking of this.#asking) if (isLate(asking)) asking.reject(noAnswer(this.journal));
    for (const waiting of this.#preparing) {
      if (!isLate(waiting)) continue;
      this.#preparing.delete(waiting);
      this.#giveUp(waiting);
    }
    if (this.#queue.some(isLate)) {
      const late = this.#queue.filter(isLate);
      this.#queue = this.#queue.filter((waiting) => !isLate(waiting));
      for (const waiting of late) this.#giveUp(waiting);
    }
    for (const waiting of this.#batches.waiting()) {
      if (isLate(waiting) && waiting.givenUp !== true) this.#giveUp(waiting, this.#loader.durable);
    }
  }

  /** With `mayLandAfter`, an append of the command may still be written. */
  #giveUp(waiting: WaitingCommand<Command, Event>, mayLandAfter = waiting.mayLandAfter): void {
    waiting.givenUp = true;
    if (mayLandAfter === undefined) waiting.reject(noAnswer(this.journal));
    else {
      this.#noteDoubt(waiting, mayLandAfter);
      waiting.reject(new Ambiguous(`The outcome of an append to ${this.journal} is not known`));
    }
  }

  #noteDoubt(waiting: WaitingCommand<Command, Event>, mayLandAfter: Revision): void {
    this.#doubts.note(waiting, Math.min(mayLandAfter, this.#loader.durable));
  }

  /** Reports that the index holds this journal up to a revision. */
  indexed(through: Revision): void {
    this.#indexed = Math.max(this.#indexed, through);
    this.#trim();
  }

  /** Trims only what is durable: the index may hold events of another process that this one has not read. */
  #trim(): void {
    this.#unindexed.trim(Math.min(this.#indexed, this.#loader.durable));
  }

  /** Reports that another process waits to write the journal. */
  share(): void {
    this.#loader.turns.contended();
  }

  /** Returns whether the journal can be unloaded: nothing waits, and it was not used for a while or does not exist. */
  idle(forMs: number): boolean {
    if (this.#queue.length > 0 || this.#preparing.size > 0) return false;
    if (!this.#batches.areEmpty || this.#loader.isLoading) return false;
    const { resident } = this.#loader;
    if (resident === undefined) return this.#doubts.areNone;
    if (resident.head.revision === NONE && this.#decider.isOftenAbsent !== true) return true;
    return this.#ports.scheduler.elapsedMs() - this.#lastUsed >= forMs;
  }

  // Deciding

  /** Decides waiting commands as long as the open batch has room, and schedules its append. */
  #advance(): void {
    const { resident } = this.#loader;
    if (resident === undefined) {
      void this.#loader.load();
      return;
    }
    // Another process may write first.
    if (this.#batches.inFlight !== undefined && this.#loader.turns.isOn) return;
    let next: WaitingCommand<Command, Event> | undefined;
    while (hasRoom(this.#batches.open) && (next = this.#queue.shift()) !== undefined) {
      const { tenantId = next.envelope.context.tenantId } = resident.head;
      if (this.#mayBeDecided(next)) {
        next.reject(new Undecided(this.#read));
      } else if (tenantId !== next.envelope.context.tenantId) {
        void this.#refuseAsAbsent(next);
      } else if (this.#needsLookUp(resident, next)) {
        void this.#prepare(resident, next);
      } else if (!this.#deciding.decide(resident, next, this.#lookingUp.atHand, undefined)) {
        this.#queue.unshift(next); // It leads the next batch.
        break;
      }
      if (this.#loader.resident === undefined) return; // A defect lost the state.
    }
    this.#flushSoon();
  }

  /**
   * Returns whether another process may have decided a forwarded command in a part of the journal that was read without
   * looking for it. From its first turn on, every load looks for it.
   */
  #mayBeDecided(waiting: WaitingCommand<Command, Event>): boolean {
    const { forwarded } = waiting.envelope;
    if (forwarded === undefined || waiting.isWatched) return false;
    if (forwarded.undecidedThrough < this.#read) return true;
    waiting.isWatched = true;
    return false;
  }

  /** Refuses a command of another tenant. It has no effect on the journal, and its keys are not looked at. */
  async #refuseAsAbsent(waiting: WaitingCommand<Command, Event>): Promise<void> {
    this.#preparing.add(waiting);
    const error = await errorAsAbsent(this.#decider, waiting.envelope, this.#others, this.#ports);
    if (this.#preparing.delete(waiting)) waiting.reject(error);
  }

  #needsLookUp(
    { state, keys }: Resident<State>,
    { envelope }: WaitingCommand<Command, Event>,
  ): boolean {
    const key = envelope.idempotency?.key;
    const isAsked = key !== undefined && this.#unindexed.key(key) === undefined;
    if (isAsked) this.#filterWatch.asked();
    this.#lookingUp.lookAgain();
    return (
      this.#decider.needs(state, envelope.command, this.#lookingUp.atHand) !== undefined ||
      (isAsked && keys.mayHave(key))
    );
  }

  /** Looks up a key in the index, unless it was never used or is still in memory. */
  async #knownKey({ keys }: Resident<State>, key: string | undefined) {
    if (key === undefined || this.#unindexed.key(key) !== undefined || !keys.mayHave(key)) return;
    return this.#lookingUp.key(key);
  }

  /** Returns whether the index lacks more keys of the filter than errors of the filter explain. */
  #lacks({ keys }: Resident<State>, key: string): boolean {
    if (this.#unindexed.key(key) !== undefined || !keys.mayHave(key)) return false;
    return this.#filterWatch.lacks(key, keys.errorRate);
  }

  #doubted(reason: string): Error {
    this.#events.doubted(this.journal, reason);
    void this.#ports.index.doubt(reason).catch((error: unknown) => {
      this.#events.fault(this.journal, error);
    });
    return new Unavailable(`The index of ${this.journal} is wrong and is being rebuilt: ${reason}`);
  }

  /**
   * Looks up the facts of a command in other journals, the index and the log, and then decides it. If the state changed
   * meanwhile and the command requires more, it looks up again.
   */
  async #prepare(
    resident: Resident<State>,
    waiting: WaitingCommand<Command, Event>,
  ): Promise<void> {
    const { command, idempotency, context } = waiting.envelope;
    const facts = new FoundFacts(this.#lookingUp.inMemory, context.tenantId);
    const elsewhere = this.#lookingUp.elsewhere(context.tenantId);
    this.#preparing.add(waiting);
    try {
      for (let round = 1; round <= ROUNDS_MAX; round += 1) {
        const { trimmed } = this.#unindexed;
        this.#lookingUp.lookAgain();
        const needs = this.#decider.needs(resident.state, command, facts);
        if (needs !== undefined) await facts.gather(needs, elsewhere);
        const known = await this.#knownKey(resident, idempotency?.key);
        if (!this.#preparing.has(waiting)) return; // A reload found it in the log meanwhile.
        if (this.#loader.resident !== resident || !hasRoom(this.#batches.open)) {
          this.#queue.unshift(waiting); // Reloaded or full: it is decided later.
          return;
        }
        // A name, a key, or a new use of one that had a life, may have moved from memory to the index meanwhile.
        if (this.#unindexed.trimmed !== trimmed) {
          facts.forgetNames();
          const final = known !== undefined && known.expiresAt === undefined;
          const moved = !final && idempotency !== undefined;
          if (moved && this.#unindexed.key(idempotency.key) === undefined) continue;
        }
        this.#lookingUp.lookAgain();
        if (this.#decider.needs(resident.state, command, facts) !== undefined) continue;
        if (idempotency && known === undefined && this.#lacks(resident, idempotency.key)) {
          throw this.#doubted('it lacks keys that were used');
        }
        if (!this.#deciding.decide(resident, waiting, facts, known)) this.#queue.unshift(waiting);
        return;
      }
      waiting.reject(unlessInDoubt(tooBusy(), waiting));
    } catch (error) {
      // The facts may have come from decisions that were lost meanwhile.
      const current = this.#loader.resident === resident;
      const overtaken = error instanceof WrongExpectedRevision;
      if (!this.#preparing.has(waiting) || (current && !overtaken)) {
        waiting.reject(unlessInDoubt(error, waiting));
      } else this.#queue.unshift(waiting);
      if (current && overtaken) this.#startAnew(error);
    } finally {
      this.#preparing.delete(waiting);
      this.#advance();
    }
  }

  // Appending

  /** Appends at the end of this turn, so that all requests that were read from sockets in this turn share an append. */
  #flushSoon(): void {
    if (this.#flushDue || !this.#mayFlush()) return;
    this.#flushDue = true;
    void this.#ports.scheduler.yield().then(() => {
      this.#flushDue = false;
      if (this.#mayFlush()) void this.#flush();
    });
  }

  #mayFlush(): boolean {
    return this.#batches.inFlight === undefined && !isEmpty(this.#batches.open);
  }

  async #flush(): Promise<void> {
    const leftMs = this.#ports.scheduler.elapsedMs();
    const batch = this.#batches.depart(this.#loader.resident?.head);
    this.#advance();
    try {
      await this.#commit(batch);
    } catch (error) {
      if (this.#batches.inFlight === batch) this.#startAnew(error);
      return;
    }
    if (this.#batches.inFlight !== batch) return; // It was abandoned meanwhile; a reload finds what was written.
    const durable = batch.after + batch.events.length;
    this.#batches.arrive();
    this.#loader.reached(durable);
    this.#trim();
    this.#doubts.end(durable);
    this.#seenMs = leftMs;
    for (const decided of batch.decided) reply(decided, this.journal, durable, this.#ports.store);
    for (const resolve of batch.barriers) resolve(true);
    this.#countTowardsSnapshot(batch.events.length);
    const isShared = this.#loader.turns.isOn && batch.events.length > 0;
    if (isShared && isEmpty(this.#batches.open)) this.#loader.standAside();
    else this.#advance();
  }

  async #commit(batch: Batch<Command, Event>): Promise<void> {
    const { store } = this.#ports;
    if (batch.events.length > 0) {
      const { revision, position } = await store.append(this.journal, batch.events, batch.after);
      this.#acknowledge(revision, position);
    } else if (!store.exclusive) {
      // There is nothing to write, so no append reveals whether another process wrote first: read the log instead.
      const [newer] = await store.read(this.journal, batch.after + 1, 1);
      if (newer) throw new WrongExpectedRevision(this.journal, batch.after, newer.revision);
    }
  }

  #acknowledge(revision: Revision, position: Position): void {
    if (revision <= this.#acknowledged) return;
    this.#acknowledged = revision;
    this.#events.acknowledged(this.journal, revision, position);
  }

  #countTowardsSnapshot(events: number): void {
    this.#sinceSnapshot += events;
    if (this.#sinceSnapshot < SNAPSHOT_EVERY) return;
    this.#sinceSnapshot = 0;
    this.#events.grown(this.journal);
  }

  // Loading and reloading

  /**
   * Discards the speculative state after an append that failed or may have failed. All unanswered commands return to the
   * queue in their order, and a reload finds out which were written.
   */
  #startAnew(error: unknown): void {
    if (!(error instanceof WrongExpectedRevision)) this.#events.fault(this.journal, error);
    const setbacks = this.#loader.setBack();
    const behind = isOutside(error) ? this.#takenBack() : undefined;
    if (error instanceof WrongExpectedRevision) {
      this.#loader.turns.contended();
      if (setbacks > 1) this.#events.contended(this.journal);
    }
    const again: WaitingCommand<Command, Event>[] = [];
    for (const waiting of this.#batches.abandon()) {
      const { mayLandAfter } = waiting;
      // Whatever its caller is told, a repeat must know; Unavailable alone says that nothing will be written.
      const inDoubt = mayLandAfter !== undefined && !(error instanceof Unavailable);
      if (inDoubt) this.#noteDoubt(waiting, mayLandAfter);
      if (waiting.givenUp === true) continue;
      // Others may succeed meanwhile, with nothing to write: each command has a bound of its own too.
      waiting.setbacks = (waiting.setbacks ?? 0) + 1;
      if (Math.max(setbacks, waiting.setbacks) < attemptsMax(error)) again.push(waiting);
      else waiting.reject(new Unavailable(`${this.journal} cannot be written`, { cause: error }));
    }
    this.#queue.unshift(...again);
    this.#loader.readOn(behind);
  }

  /** Undoes everything that is not durable; undefined if only a reload can restore the state. */
  #takenBack(): Resident<State> | undefined {
    const { resident } = this.#loader;
    if (resident === undefined) return undefined;
    try {
      const head = this.#batches.undo();
      if (head === undefined) return undefined;
      resident.head = head;
      this.#filterWatch.excuse(this.#unindexed.takeBack(head.revision));
      return resident;
    } catch (defect) {
      this.#events.fault(this.journal, defect);
      return undefined;
    }
  }

  #attempts(): Attempts<WaitingCommand<Command, Event>> {
    const byEvent = new Map<Uuid, WaitingCommand<Command, Event>>();
    const byCausation = new Map<Uuid, WaitingCommand<Command, Event>>();
    for (const waiting of [...this.#queue, ...this.#preparing]) {
      for (const id of waiting.attempted ?? []) byEvent.set(id, waiting);
      const { causationId } = waiting.envelope.context;
      if (waiting.isWatched && causationId !== undefined) byCausation.set(causationId, waiting);
    }
    return { byEvent, byCausation };
  }

  #loaded(
    resident: Resident<State>,
    happened: ReadonlyMap<WaitingCommand<Command, Event>, readonly Committed<Event>[]>,
  ): void {
    const { head, position } = resident;
    this.#read = head.revision;
    // Decisions rest on it from now on, whichever process wrote it.
    if (position !== undefined) this.#acknowledge(head.revision, position);
    this.#batches.begin(head.revision, head);
    this.#trim();
    this.#doubts.end(head.revision);
    this.#queue = this.#queue.filter((waiting) => !happened.has(waiting));
    for (const [waiting, events] of happened) {
      this.#preparing.delete(waiting);
      const revision = events.at(-1)?.revision ?? head.revision;
      waiting.resolve({ events, revision, replayed: false });
    }
    this.#countRead(resident);
  }

  /** Requests a snapshot after a long load, because every restart would have to read as much again. */
  #countRead(resident: Resident<State>): void {
    const { folded } = resident;
    resident.folded = 0;
    if (folded >= READ_WITHOUT_SNAPSHOT_MAX) this.#sinceSnapshot = SNAPSHOT_EVERY;
    this.#countTowardsSnapshot(folded);
  }

  #notLoaded(error: unknown): void {
    this.#events.fault(this.journal, error);
    const unanswered = this.#queue;
    this.#queue = [];
    for (const { reject } of unanswered) reject(error);
  }
}

/** A caller that waits for the public state of the journal. */
type PendingFact = Readonly<{ sinceMs: number; reject: (error: Error) => void }>;

/** Bounds the time to fold a journal at start to a second or two. */
const SNAPSHOT_EVERY = 100_000;
/** A server delivers about 15,000 events a second, so that this many delay the first write by about a second. */
const READ_WITHOUT_SNAPSHOT_MAX = 20_000;
const ATTEMPTS_MAX = 8;
/** The age up to which a fact is used without a look at the log; 5 s is the bound of the contract. */
const FACT_MS = 1000;
/** Other processes may win often before they hear that this one waits; see contention.ts. */
const CONFLICTS_MAX = 32;

/** The most look-ups for one command whose needs change with the state. */
const ROUNDS_MAX = 64;

const attemptsMax = (error: unknown): number =>
  error instanceof WrongExpectedRevision ? CONFLICTS_MAX : ATTEMPTS_MAX;

/** Errors from outside the program, which leave the state sound. */
const isOutside = (error: unknown): boolean =>
  error instanceof WrongExpectedRevision ||
  error instanceof Unavailable ||
  error instanceof Ambiguous;
