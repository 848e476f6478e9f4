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
import { FoundFacts } from './facts.ts';
import { Loader } from './loader.ts';
import { createFactLookup, type FactLookup, type OtherJournals } from './fact-lookup.ts';
import type { Resident } from './resident.ts';
import { NotYetIndexed } from './not-yet-indexed.ts';
import { LIMITS, type Limits, type WriterEvents, type WriterPorts } from './writer-ports.ts';
import { noAnswer, startedAnew, tooBusy } from './writer-refusals.ts';

/**
 * The one writer of one journal. Commands are decided in the order they come, each against the state that the
 * ones before it left; one append is in flight at most, and the next batch is decided meanwhile. An answer
 * leaves when everything it was decided upon is durable. design.md §2 is the specification.
 */
export class JournalWriter<State, Command, Event extends DomainEvent> {
  readonly journal: string;
  readonly #decider: Decider<State, Command, Event>;
  readonly #ports: WriterPorts;
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
  /** The last revision that this process told of: what it answered, readers must see. */
  #told: Revision = NONE;
  /** When the end of the stream was last seen to be what is known here. */
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

  /** Answers once the command's events, or its refusal, rest on durable ground. Errors: Refusal, Unavailable. */
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
      this.#queue.push(waitsOn);
      this.#advance();
    });
  }

  /** What other journals and the outside may know of this one. Errors: Unavailable. */
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

  /** The same as far as it is known without waiting; undefined when it is not, null for what does not exist. */
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

  /** Resolves when all that was decided so far is durable, or lost and decided anew. */
  async settled(): Promise<void> {
    if (this.#loader.isLoading) await this.#loader.load();
    if (!this.#batches.areEmpty) await this.#isDurable();
  }

  /**
   * Everything decided is durable, and what it says holds: nobody else can have written, or it is good and was so a
   * moment ago. Others may have ended it since, which is seen that much later; that it is absent is looked up.
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
   * Rejects what has waited for longer, whatever it waits for, so that no caller waits for a store that does not answer.
   * What was not on its way into the log is not written any more; of the rest the log will tell.
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

  /** `mayLandAfter`: its append has left, or is about to. */
  #giveUp(waiting: WaitingCommand<Command, Event>, mayLandAfter = waiting.mayLandAfter): void {
    waiting.givenUp = true;
    if (mayLandAfter === undefined) waiting.reject(noAnswer(this.journal));
    else {
      this.#doubts.note(waiting, mayLandAfter);
      waiting.reject(new Ambiguous(`It is not known what became of an append to ${this.journal}`));
    }
  }

  /** The index holds this journal up to a revision now. */
  indexed(through: Revision): void {
    this.#indexed = Math.max(this.#indexed, through);
    this.#trim();
  }

  /** Never an intention: another process may have written, and the index heard of, what this one has not read. */
  #trim(): void {
    this.#unindexed.trim(Math.min(this.#indexed, this.#loader.durable));
  }

  /** Another process waits to write here. */
  share(): void {
    this.#loader.turns.contended();
  }

  /** Whether it can be forgotten: nothing waits, and it was not used for a while (or never existed). */
  idle(forMs: number): boolean {
    if (this.#queue.length > 0 || this.#preparing.size > 0) return false;
    if (!this.#batches.areEmpty || this.#loader.isLoading) return false;
    const { resident } = this.#loader;
    if (resident === undefined) return true;
    if (resident.head.revision === NONE && this.#decider.isOftenAbsent !== true) return true;
    return this.#ports.scheduler.elapsedMs() - this.#lastUsed >= forMs;
  }

  // Deciding

  /** Decides what waits as far as the open batch has room, and sees that it leaves. */
  #advance(): void {
    const { resident } = this.#loader;
    if (resident === undefined) {
      void this.#loader.load();
      return;
    }
    // Whoever comes next may write before us.
    if (this.#batches.inFlight !== undefined && this.#loader.turns.isOn) return;
    let next: WaitingCommand<Command, Event> | undefined;
    while (hasRoom(this.#batches.open) && (next = this.#queue.shift()) !== undefined) {
      if (this.#needsLookUp(resident, next)) {
        void this.#prepare(resident, next);
      } else if (!this.#deciding.decide(resident, next, this.#lookingUp.atHand, undefined)) {
        this.#queue.unshift(next); // It leads the next batch.
        break;
      }
      if (this.#loader.resident === undefined) return; // A defect lost the state.
    }
    this.#flushSoon();
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

  /** The filter knows keys that the index lacks, and more of them than it errs about. */
  #lacks({ keys }: Resident<State>, key: string): boolean {
    if (this.#unindexed.key(key) !== undefined || !keys.mayHave(key)) return false;
    return this.#filterWatch.lacks(key, keys.errorRate);
  }

  #doubted(reason: string): Error {
    this.#events.doubted(this.journal, reason);
    void this.#ports.index.doubt(reason).catch((error: unknown) => {
      this.#events.fault(this.journal, error);
    });
    return new Unavailable(`The index of ${this.journal} is wrong and is built again: ${reason}`);
  }

  /**
   * The asynchronous part: what other journals, the index and the log know. Then the command is decided at once,
   * unless the state went on meanwhile and it needs more, or something else.
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
        const known = idempotency && (await this.#lookingUp.key(idempotency.key));
        if (!this.#preparing.has(waiting)) return; // Found in the log meanwhile.
        if (this.#loader.resident !== resident || !hasRoom(this.#batches.open)) {
          this.#queue.unshift(waiting); // Loaded anew, or full: its turn comes again.
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
      waiting.reject(tooBusy());
    } catch (error) {
      // What was read may have been a mere intention of a state that is gone by now.
      const current = this.#loader.resident === resident;
      const overtaken = error instanceof WrongExpectedRevision;
      if (!this.#preparing.has(waiting) || (current && !overtaken)) waiting.reject(error);
      else this.#queue.unshift(waiting);
      if (current && overtaken) this.#startAnew(error);
    } finally {
      this.#preparing.delete(waiting);
      this.#advance();
    }
  }

  // Appending

  /** At the end of this turn, so that all requests read from the sockets in one go share an append. */
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
    if (this.#batches.inFlight !== batch) return; // Started anew meanwhile; what was written will be found.
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
      // Nothing to write, so nothing that fails if another process wrote first: look whether one did.
      const [newer] = await store.read(this.journal, batch.after + 1, 1);
      if (newer) throw new WrongExpectedRevision(this.journal, batch.after, newer.revision);
    }
  }

  #acknowledge(revision: Revision, position: Position): void {
    if (revision <= this.#told) return;
    this.#told = revision;
    this.#events.acknowledged(this.journal, revision, position);
  }

  #countTowardsSnapshot(events: number): void {
    this.#sinceSnapshot += events;
    if (this.#sinceSnapshot < SNAPSHOT_EVERY) return;
    this.#sinceSnapshot = 0;
    this.#events.grown(this.journal);
  }

  // Loading, and loading anew

  /**
   * What we thought would be written was not, or may not have been. The speculative state goes, every command
   * not answered goes back to the queue in its order, and the log decides what happened.
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
      if (waiting.givenUp === true) continue;
      // Others may succeed meanwhile, with nothing to write: each command has a bound of its own too.
      waiting.setbacks = (waiting.setbacks ?? 0) + 1;
      if (Math.max(setbacks, waiting.setbacks) < attemptsMax(error)) again.push(waiting);
      else waiting.reject(new Unavailable(`${this.journal} cannot be written`, { cause: error }));
    }
    this.#queue.unshift(...again);
    this.#loader.readOn(behind);
  }

  /** The state without all that is not durable; undefined when only the log can tell. */
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

  #attempts(): ReadonlyMap<Uuid, WaitingCommand<Command, Event>> {
    const attempts = new Map<Uuid, WaitingCommand<Command, Event>>();
    for (const waiting of [...this.#queue, ...this.#preparing]) {
      for (const id of waiting.attempted ?? []) attempts.set(id, waiting);
    }
    return attempts;
  }

  #loaded(
    resident: Resident<State>,
    happened: ReadonlyMap<WaitingCommand<Command, Event>, readonly Committed<Event>[]>,
  ): void {
    const { head, position } = resident;
    // Whoever wrote it, and whether or not its append was answered: from now on decisions rest upon it.
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

  /** A load that had much to read asks for a snapshot itself: otherwise every restart would read as much again. */
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

/** Who waits for what is known of the journal. */
type PendingFact = Readonly<{ sinceMs: number; reject: (error: Error) => void }>;

/** Bounds what a start has to fold to a second or two. */
const SNAPSHOT_EVERY = 100_000;
/** A server hands over some 15,000 events a second, so that this many delay a first write by about a second. */
const READ_WITHOUT_SNAPSHOT_MAX = 20_000;
const ATTEMPTS_MAX = 8;
/** How old what another journal is told of this one may be, where other processes write it too; 5 s is the bound. */
const FACT_MS = 1000;
/** Others may win often before they hear that this one waits; see contention.ts. */
const CONFLICTS_MAX = 32;

/** The state goes on while facts are looked up; so often at most are others looked up for one command. */
const ROUNDS_MAX = 64;

const attemptsMax = (error: unknown): number =>
  error instanceof WrongExpectedRevision ? CONFLICTS_MAX : ATTEMPTS_MAX;

/** No defect: the state is what the rules say. */
const isOutside = (error: unknown): boolean =>
  error instanceof WrongExpectedRevision ||
  error instanceof Unavailable ||
  error instanceof Ambiguous;
