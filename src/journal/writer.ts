import { APPEND_BYTES_MAX } from '#src/domain/append-limit.ts';
import type {
  Decider,
  Decision,
  DomainEvent,
  Facts,
  JournalFact,
  Stamp,
} from '#src/domain/decider.ts';
import { Refusal } from '#src/domain/errors.ts';
import { NONE, type Revision, type Uuid } from '#src/domain/ids.ts';
import { formatInstant, type Micros } from '#src/domain/instant.ts';
import { settingsJournal, type JournalName } from '#src/domain/journal-name.ts';
import { claimedNames, eventNames, transactionIn } from '#src/events/event-names.ts';
import type { EventMetadata } from '#src/events/metadata.ts';
import { Ambiguous, Unavailable } from '#src/ports/errors.ts';
import { WrongExpectedRevision, type NewEvent, type Position } from '#src/ports/event-store.ts';
import {
  fits,
  hasRoom,
  isEmpty,
  openBatch,
  type Batch,
  type Decided,
  type Envelope,
  type Idempotency,
  type Outcome,
  type Waiting,
} from './batch.ts';
import { FoundFacts, type InMemory, type LookUp } from './found-facts.ts';
import { RecentKeys, type KnownKey } from './recent-keys.ts';
import { RecentNames } from './recent-names.ts';
import { catchUp, recalled, reload, type Reloaded } from './reload.ts';
import { knownKeyOf, type Resident } from './resident.ts';
import { expiryOf, sealEvents } from './sealing.ts';
import { Sharing } from './sharing.ts';
import { LIMITS, type Limits, type WriterEvents, type WriterPorts } from './writer-ports.ts';
import { keyInUse, notYours, startedAnew, tooBusy, tooLarge } from './writer-refusals.ts';

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
  readonly #others: OtherJournals;
  readonly #limits: Limits;

  /** Undefined until loaded, and while it is loaded anew: nothing is decided then. */
  #resident: Resident<State> | undefined;
  #loading: Promise<void> | undefined;
  /** The state at some durable revision, from which loading goes on instead of from a snapshot. */
  #behind: Resident<State> | undefined;
  readonly #sharing: Sharing;
  #turnStartedMs = 0;
  /** When the end of the stream was last seen to be what is known here. */
  #seenMs = Number.NEGATIVE_INFINITY;
  #recent = new RecentKeys();
  #names = new RecentNames();
  /** Keys and names up to here are in the index and may be gone from memory. */
  #trimmed: Revision = NONE;
  #queue: Waiting<Command, Event>[] = [];
  readonly #preparing = new Set<Waiting<Command, Event>>();
  #open: Batch<Command, Event>;
  #inFlight: Batch<Command, Event> | undefined;
  #flushDue = false;
  #sinceSnapshot = 0;
  /** The last revision known to be in the log; what an earlier append may have left lies above it. */
  #durable: Revision = NONE;
  /** The last revision that this process told of: what it answered, readers must see. */
  #told: Revision = NONE;
  #loadFault: Error = startedAnew();
  /** Batches that failed since the last one that did not. */
  #setbacks = 0;
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
    this.#others = others;
    this.#open = openBatch(NONE);
    this.#lastUsed = ports.scheduler.elapsedMs();
    this.#sharing = new Sharing(() => ports.scheduler.elapsedMs());
  }

  /** Answers once the command's events, or its refusal, rest on durable ground. Errors: Refusal, Unavailable. */
  submit(envelope: Envelope<Command>): Promise<Outcome<Event>> {
    this.#lastUsed = this.#ports.scheduler.elapsedMs();
    return new Promise((resolve, reject) => {
      const waiting = this.#queue.length + this.#preparing.size;
      const unindexed = Math.max(this.#recent.size, this.#names.size);
      if (waiting >= this.#limits.waiting || unindexed >= this.#limits.recentKeys) {
        reject(tooBusy());
        return;
      }
      this.#queue.push({ envelope, resolve, reject });
      this.#advance();
    });
  }

  /** What other journals and the outside may know of this one. Errors: Unavailable. */
  async fact(tenantId: string): Promise<JournalFact | undefined> {
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
      if (this.#resident === undefined) await this.#load();
      if (this.#resident === undefined) throw this.#loadFault;
      const found = this.#factIn(this.#resident, tenantId);
      if (this.#rests(found) || (await this.#isDurable())) return found;
    }
    throw startedAnew();
  }

  /** The same as far as it is known without waiting; undefined when it is not, null for what does not exist. */
  factAtHand(tenantId: string): JournalFact | null | undefined {
    if (this.#resident === undefined) return undefined;
    const found = this.#factIn(this.#resident, tenantId);
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
    await this.#loading;
    if (this.#inFlight !== undefined || !isEmpty(this.#open)) await this.#isDurable();
  }

  /**
   * Everything decided is durable, and what it says holds: nobody else can have written, or it is good and was so a
   * moment ago. Others may have ended it since, which is seen that much later; that it is absent is looked up.
   */
  #rests(found: JournalFact | undefined): boolean {
    if (this.#inFlight !== undefined || this.#open.events.length > 0) return false;
    const { store, scheduler } = this.#ports;
    if (store.exclusive) return true;
    const isBelieved = found === undefined ? this.#decider.isOftenAbsent : found.live;
    return isBelieved === true && scheduler.elapsedMs() - this.#seenMs < FACT_MS;
  }

  /** Resolves when everything decided so far is durable: true; or it was lost, and the state with it: false. */
  #isDurable(): Promise<boolean> {
    return new Promise((resolve) => {
      this.#batchToWaitFor().barriers.push(resolve);
      this.#flushSoon();
    });
  }

  /** The index holds this journal up to a revision now. */
  indexed(through: Revision): void {
    if (through <= this.#trimmed) return;
    this.#trimmed = through;
    this.#recent.trim(through);
    this.#names.trim(through);
  }

  /** Another process waits to write here. */
  share(): void {
    this.#sharing.met();
  }

  /** Whether it can be forgotten: nothing waits, and it was not used for a while (or never existed). */
  idle(forMs: number): boolean {
    if (this.#busy() || this.#loading !== undefined) return false;
    if (this.#resident === undefined) return true;
    if (this.#resident.head.revision === NONE && this.#decider.isOftenAbsent !== true) return true;
    return this.#ports.scheduler.elapsedMs() - this.#lastUsed >= forMs;
  }

  #busy(): boolean {
    return (
      this.#queue.length > 0 ||
      this.#preparing.size > 0 ||
      this.#inFlight !== undefined ||
      !isEmpty(this.#open)
    );
  }

  // Deciding

  /** Decides what waits as far as the open batch has room, and sees that it leaves. */
  #advance(): void {
    if (this.#resident === undefined) {
      void this.#load();
      return;
    }
    if (this.#inFlight !== undefined && this.#sharing.isOn) return; // Whoever comes next may write before us.
    let next: Waiting<Command, Event> | undefined;
    while (hasRoom(this.#open) && (next = this.#queue.shift()) !== undefined) {
      if (this.#needsLookUp(this.#resident, next)) {
        void this.#prepare(this.#resident, next);
      } else if (!this.#decide(this.#resident, next, this.#atHand, undefined)) {
        this.#queue.unshift(next); // It leads the next batch.
        break;
      }
      if (this.#isLoading()) return; // A defect lost the state.
    }
    this.#flushSoon();
  }

  #isLoading(): boolean {
    return this.#resident === undefined;
  }

  #needsLookUp({ state, keys }: Resident<State>, { envelope }: Waiting<Command, Event>): boolean {
    const key = envelope.idempotency?.key;
    return (
      this.#decider.needs(state, envelope.command, this.#atHand) !== undefined ||
      (key !== undefined && this.#recent.get(key) === undefined && keys.mayHave(key))
    );
  }

  /**
   * The asynchronous part: what other journals, the index and the log know. Then the command is decided at once,
   * unless the state went on meanwhile and it needs more, or something else.
   */
  async #prepare(resident: Resident<State>, waiting: Waiting<Command, Event>): Promise<void> {
    const { command, idempotency } = waiting.envelope;
    const facts = new FoundFacts(this.#inMemory);
    const lookUp = this.#lookUp(waiting.envelope.context.tenantId);
    this.#preparing.add(waiting);
    try {
      for (let round = 1; round <= ROUNDS_MAX; round += 1) {
        const trimmed = this.#trimmed;
        const needs = this.#decider.needs(resident.state, command, facts);
        if (needs !== undefined) await facts.gather(needs, lookUp);
        const known = idempotency && (await this.#lookUpKey(idempotency.key));
        if (!this.#preparing.has(waiting)) return; // Found in the log meanwhile.
        if (this.#resident !== resident || !hasRoom(this.#open)) {
          this.#queue.unshift(waiting); // Loaded anew, or full: its turn comes again.
          return;
        }
        // A name, a key, or a new use of one that had a life, may have moved from memory to the index meanwhile.
        if (this.#trimmed !== trimmed) {
          facts.forgetNames();
          const final = known !== undefined && known.expiresAt === undefined;
          const moved = !final && idempotency !== undefined;
          if (moved && this.#recent.get(idempotency.key) === undefined) continue;
        }
        if (this.#decider.needs(resident.state, command, facts) !== undefined) continue;
        if (!this.#decide(resident, waiting, facts, known)) this.#queue.unshift(waiting);
        return;
      }
      waiting.reject(tooBusy());
    } catch (error) {
      // What was read may have been a mere intention of a state that is gone by now.
      const current = this.#resident === resident;
      const overtaken = error instanceof WrongExpectedRevision;
      if (!this.#preparing.has(waiting) || (current && !overtaken)) waiting.reject(error);
      else this.#queue.unshift(waiting);
      if (current && overtaken) this.#startAnew(error);
    } finally {
      this.#preparing.delete(waiting);
      this.#advance();
    }
  }

  /** What is known without waiting: names above the index, events on their way into the log. */
  readonly #inMemory: InMemory = {
    revisionOf: (name) => this.#names.get(name),
    event: (revision) => {
      const event = this.#intended(revision);
      return event && { type: event.type, data: JSON.parse(event.data) as object };
    },
    settings: () => {
      const tenantId = this.#resident?.head.tenantId;
      return tenantId === undefined
        ? undefined
        : this.#others.factAtHand(settingsJournal(tenantId), tenantId);
    },
  };
  readonly #atHand: Facts = { journal: () => undefined, ...this.#inMemory };

  #lookUp(tenantId: string): LookUp {
    const { index, store } = this.#ports;
    return {
      journal: (name) => this.#others.fact(name, tenantId),
      settings: () => this.#others.fact(settingsJournal(tenantId), tenantId),
      revisions: (kind, keys) => index.find(this.journal, kind, keys),
      event: async (revision) => {
        const [stored] = await store.read(this.journal, revision, 1);
        const isKnown = revision <= this.#durable || this.#intended(revision)?.id === stored?.id;
        // Another process wrote it, and the index heard of it before this one: the state is behind.
        if (!isKnown) throw new WrongExpectedRevision(this.journal, this.#durable, revision);
        return stored && recalled(stored);
      },
    };
  }

  /** An event on its way into the log. */
  #intended(revision: Revision): NewEvent | undefined {
    const batch = revision > this.#open.after ? this.#open : this.#inFlight;
    return batch?.events[revision - batch.after - 1];
  }

  async #lookUpKey(key: string): Promise<KnownKey | undefined> {
    const found = await this.#ports.index.find(this.journal, 'idempotency', [key]);
    const revision = found.get(key);
    if (revision === undefined) return undefined;
    const [event] = await this.#ports.store.read(this.journal, revision, 1);
    return event && knownKeyOf(event);
  }

  /** Answers false when the open batch has no room for it; nothing has changed then. */
  #decide(
    resident: Resident<State>,
    waiting: Waiting<Command, Event>,
    facts: Facts,
    looked: KnownKey | undefined,
  ): boolean {
    const { envelope } = waiting;
    const { tenantId } = resident.head;
    if (tenantId !== undefined && tenantId !== envelope.context.tenantId) {
      this.#settle({ waiting, answer: { is: 'refused', refusal: notYours() } });
      return true;
    }
    const stamp = this.#stamp(resident);
    const known = envelope.idempotency && (this.#recent.get(envelope.idempotency.key) ?? looked);
    const releases = envelope.idempotency?.releases;
    if (releases === undefined && known !== undefined && !hasExpired(known, stamp)) {
      const same = known.requestHash === envelope.idempotency?.requestHash;
      const answer = same
        ? ({ is: 'known', revision: known.revision } as const)
        : ({ is: 'refused', refusal: keyInUse() } as const);
      this.#settle({ waiting, answer });
      return true;
    }

    let decision: Decision<Event>;
    try {
      decision = this.#decider.decide(resident.state, envelope.command, facts, stamp);
    } catch (error) {
      if (error instanceof Refusal) {
        this.#settle({ waiting, answer: { is: 'refused', refusal: error } });
      } else {
        waiting.reject(error); // A defect; deciding is pure, so nothing has changed.
      }
      return true;
    }
    if ('unchanged' in decision) {
      const revision = decision.at ?? resident.head.revision;
      const events = [{ ...decision.unchanged, revision }];
      this.#settle({ waiting, answer: { is: 'done', events, ids: [] } });
      return true;
    }
    const key =
      releases === known?.revision || releases === undefined ? envelope.idempotency : undefined;
    return this.#record(resident, waiting, decision, stamp, key);
  }

  /** Writes a decision's events into the open batch and into the state. */
  #record(
    resident: Resident<State>,
    waiting: Waiting<Command, Event>,
    events: readonly Event[],
    stamp: Stamp,
    idempotency: Idempotency | undefined,
  ): boolean {
    const { context } = waiting.envelope;
    const sealed = sealEvents(events, { context, idempotency }, stamp, resident.head);
    if (sealed.bytes > APPEND_BYTES_MAX) {
      this.#settle({ waiting, answer: { is: 'refused', refusal: tooLarge() } });
      return true;
    }
    if (!fits(this.#open, sealed)) {
      this.#open.closed = true;
      return false;
    }

    const first = resident.head.revision + 1;
    try {
      events.forEach((event, n) => {
        if (this.#open.undo !== undefined) {
          noteUndo(this.#open, this.#decider.undoing?.(resident.state, event));
        }
        this.#decider.evolve(resident.state, event, first + n);
      });
    } catch (error) {
      waiting.reject(error); // A defect half way: the state cannot be trusted any more.
      this.#startAnew(error);
      return true;
    }
    resident.head = sealed.head;
    if (events.length > 0) this.#remember(resident, idempotency, first, stamp);
    events.forEach(({ type, data, claims = [] }, n) => {
      for (const name of eventNames(type, () => transactionIn(data))) {
        this.#names.add(name, first + n);
      }
      for (const name of claimedNames(claims)) this.#names.add(name, first + n);
    });
    this.#open.events.push(...sealed.events);
    this.#open.bytes += sealed.bytes;

    const replyVersion = idempotency?.replyVersion;
    const committed = events.map((event, n) => ({ ...event, revision: first + n, replyVersion }));
    const ids = sealed.events.map(({ id }) => id);
    this.#settle({ waiting, answer: { is: 'done', events: committed, ids } });
    return true;
  }

  #stamp({ head }: Resident<State>): Stamp {
    const at = Math.max(this.#ports.clock.now(), head.recordedAt + 1) as Micros;
    return { at, instant: formatInstant(at), ids: this.#ports.ids };
  }

  #remember(
    { keys }: Resident<State>,
    idempotency: Idempotency | undefined,
    revision: Revision,
    { at }: Stamp,
  ): void {
    if (idempotency === undefined) return;
    const { key, requestHash } = idempotency;
    this.#recent.add(key, { revision, requestHash, expiresAt: expiryOf(idempotency, at) });
    keys.add(key);
  }

  // Answering

  /**
   * A decision that wrote nothing still waits for what it was decided upon: it joins the open batch when that
   * holds events, else the one in flight.
   */
  #settle(decided: Decided<Command, Event>): void {
    const wrote = hasWritten(decided);
    const batch = wrote ? this.#open : this.#batchToWaitFor();
    batch.decided.push(decided);
  }

  #batchToWaitFor(): Batch<Command, Event> {
    // Where others write too, what is in flight may have been overtaken since it left.
    if (!this.#ports.store.exclusive) return this.#open;
    return this.#open.events.length > 0 ? this.#open : (this.#inFlight ?? this.#open);
  }

  #answer(decided: Decided<Command, Event>, revision: Revision): void {
    const { waiting, answer } = decided;
    const wrote = hasWritten(decided);
    if (!wrote && waiting.mayLandAfter !== undefined && waiting.mayLandAfter >= revision) {
      // Decided differently this time; but its first append may still land, and no other one prevents that.
      waiting.reject(
        new Unavailable(`It is not known what became of an append to ${this.journal}`),
      );
      return;
    }
    switch (answer.is) {
      case 'done':
        waiting.resolve({
          events: answer.events,
          revision: wrote ? (answer.events.at(-1)?.revision ?? revision) : revision,
          replayed: false,
        });
        break;
      case 'refused':
        waiting.reject(answer.refusal);
        break;
      case 'known':
        void this.#replay(waiting, answer.revision, revision);
        break;
    }
  }

  /** Answers a repeated request from the event its first one caused. */
  async #replay(waiting: Waiting<Command, Event>, at: Revision, durable: Revision): Promise<void> {
    try {
      const [first] = await this.#ports.store.read(this.journal, at, 1);
      if (first === undefined) throw new Error(`${this.journal} lacks revision ${at}`);
      const { keyedEvents = 1, replyVersion } = JSON.parse(first.metadata) as EventMetadata;
      const others =
        keyedEvents === 1
          ? []
          : await this.#ports.store.read(this.journal, at + 1, keyedEvents - 1);
      const events = [first, ...others].map((stored) => recalled<Event>(stored, replyVersion));
      waiting.resolve({ events, revision: durable, replayed: true });
    } catch (error) {
      waiting.reject(error);
    }
  }

  // Appending

  /** At the end of this turn, so that all requests read from the sockets in one go share an append. */
  #flushSoon(): void {
    if (this.#flushDue || this.#inFlight !== undefined || isEmpty(this.#open)) return;
    this.#flushDue = true;
    void this.#ports.scheduler.yield().then(() => {
      this.#flushDue = false;
      if (this.#inFlight === undefined && !isEmpty(this.#open)) void this.#flush();
    });
  }

  async #flush(): Promise<void> {
    const batch = this.#open;
    this.#inFlight = batch;
    this.#open = this.#newBatch(batch.after + batch.events.length);
    this.#advance();
    try {
      await this.#commit(batch);
    } catch (error) {
      if (this.#inFlight === batch) this.#startAnew(error);
      return;
    }
    if (this.#inFlight !== batch) return; // Started anew meanwhile; what was written will be found.
    this.#inFlight = undefined;
    this.#setbacks = 0;
    this.#durable = batch.after + batch.events.length;
    this.#seenMs = this.#ports.scheduler.elapsedMs();
    for (const decided of batch.decided) this.#answer(decided, this.#durable);
    for (const resolve of batch.barriers) resolve(true);
    this.#countTowardsSnapshot(batch.events.length);
    if (this.#sharing.isOn && batch.events.length > 0 && isEmpty(this.#open)) this.#standAside();
    else this.#advance();
  }

  #newBatch(after: Revision): Batch<Command, Event> {
    return openBatch(after, this.#ports.store.exclusive ? undefined : this.#resident?.head);
  }

  /** Leaves the journal to others for as long as a turn takes, and then catches up before it decides anything. */
  #standAside(): void {
    this.#sharing.took(this.#ports.scheduler.elapsedMs() - this.#turnStartedMs);
    this.#behind = this.#resident;
    this.#resident = undefined;
    void this.#load();
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
    const undecided = [...(this.#inFlight?.decided ?? []), ...this.#open.decided];
    const barriers = [...(this.#inFlight?.barriers ?? []), ...this.#open.barriers];
    for (const resolve of barriers) resolve(false);
    for (const { waiting, answer } of undecided) {
      if (answer.is !== 'done' || answer.ids.length === 0) continue;
      waiting.attempted ??= new Set();
      for (const id of answer.ids) waiting.attempted.add(id);
    }
    for (const { waiting } of this.#inFlight?.decided ?? []) {
      if (waiting.attempted !== undefined) waiting.mayLandAfter = this.#inFlight?.after ?? NONE;
    }
    this.#setbacks += 1;
    this.#behind = this.#takenBack(error);
    if (error instanceof WrongExpectedRevision) {
      this.#sharing.met();
      if (this.#setbacks > 1) this.#events.contended(this.journal);
    }
    const again: Waiting<Command, Event>[] = [];
    for (const { waiting } of undecided) {
      // Others may succeed meanwhile, with nothing to write: each command has a bound of its own too.
      waiting.setbacks = (waiting.setbacks ?? 0) + 1;
      if (Math.max(this.#setbacks, waiting.setbacks) < attemptsMax(error)) again.push(waiting);
      else waiting.reject(new Unavailable(`${this.journal} cannot be written`, { cause: error }));
    }
    this.#queue.unshift(...again);
    this.#inFlight = undefined;
    this.#open = openBatch(NONE);
    this.#resident = undefined;
    void this.#load();
  }

  /** The state without all that is not durable; undefined when only the log can tell. */
  #takenBack(error: unknown): Resident<State> | undefined {
    const resident = this.#resident;
    const { head } = this.#inFlight ?? this.#open;
    const batches = [this.#open, ...(this.#inFlight ? [this.#inFlight] : [])];
    const undo = batches.map((batch) => batch.undo);
    if (resident === undefined || head === undefined || !isOutside(error)) return undefined;
    if (!undo.every((steps) => steps !== undefined)) return undefined;
    try {
      for (const steps of undo) for (const step of steps.toReversed()) step();
    } catch (defect) {
      this.#events.fault(this.journal, defect);
      return undefined;
    }
    resident.head = { ...head };
    this.#recent.takeBack(head.revision);
    this.#names.takeBack(head.revision);
    return resident;
  }

  /** Brings the journal into memory; concurrent calls share one load. Never rejects: see #loadFault. */
  #load(): Promise<void> {
    this.#loading ??= this.#loadWithRetries().finally(() => {
      this.#loading = undefined;
      if (this.#resident !== undefined || this.#queue.length > 0) this.#advance();
    });
    return this.#loading;
  }

  async #loadWithRetries(): Promise<void> {
    const { scheduler } = this.#ports;
    if (this.#setbacks === 0 && this.#behind !== undefined) {
      await scheduler.sleep(this.#sharing.asideMs(scheduler.random()));
    }
    // The first one may be bad luck; several in a row mean trouble, or another writer as busy as this one.
    if (this.#setbacks > 1) {
      const doubled = Math.min(this.#setbacks - 1, this.#sharing.isOn ? 2 : ATTEMPTS_MAX);
      await scheduler.sleep(backoffMs(doubled, scheduler.random()));
    }
    for (let attempt = 1; ; attempt += 1) {
      try {
        await this.#loadOnce();
        return;
      } catch (error) {
        if (error instanceof Unavailable && attempt < ATTEMPTS_MAX) {
          await scheduler.sleep(backoffMs(attempt, scheduler.random()));
          continue;
        }
        this.#events.fault(this.journal, error);
        const unanswered = this.#queue;
        this.#queue = [];
        this.#loadFault = error instanceof Error ? error : new Error(String(error));
        for (const { reject } of unanswered) reject(error);
        return;
      }
    }
  }

  async #loadOnce(): Promise<void> {
    this.#turnStartedMs = this.#ports.scheduler.elapsedMs();
    const { resident, recent, names, indexed, happened } = await this.#fromLog();

    this.#resident = resident;
    this.#durable = resident.head.revision;
    // Whoever wrote it, and whether or not its append was answered: from now on decisions rest upon it.
    if (resident.position !== undefined) this.#acknowledge(this.#durable, resident.position);
    this.#recent = recent;
    this.#trimmed = Math.max(this.#trimmed, indexed); // The index may have come further meanwhile.
    recent.trim(this.#trimmed);
    this.#names = names;
    names.trim(this.#trimmed);
    this.#open = this.#newBatch(resident.head.revision);
    this.#queue = this.#queue.filter((waiting) => !happened.has(waiting));
    for (const [waiting, events] of happened) {
      this.#preparing.delete(waiting);
      const revision = events.at(-1)?.revision ?? resident.head.revision;
      waiting.resolve({ events, revision, replayed: false });
    }
  }

  async #fromLog(): Promise<Reloaded<State, Event, Waiting<Command, Event>>> {
    const attempts = this.#attempts();
    const behind = this.#behind;
    this.#behind = undefined; // Half caught up it is of no use.
    if (behind === undefined) {
      return reload(
        this.#decider,
        this.journal,
        this.#ports,
        attempts,
        this.#durable,
        this.#trimmed,
      );
    }
    const { revision } = behind.head;
    const kept = { resident: behind, recent: this.#recent, names: this.#names };
    try {
      return await catchUp(this.#decider, this.journal, this.#ports, attempts, kept);
    } catch (error) {
      if (behind.head.revision === revision) this.#behind = behind; // Nothing was folded yet.
      throw error;
    }
  }

  #attempts(): Map<Uuid, Waiting<Command, Event>> {
    const attempts = new Map<Uuid, Waiting<Command, Event>>();
    for (const waiting of [...this.#queue, ...this.#preparing]) {
      for (const id of waiting.attempted ?? []) attempts.set(id, waiting);
    }
    return attempts;
  }
}

/** Bounds what a start has to fold to a second or two. */
const SNAPSHOT_EVERY = 100_000;
const ATTEMPTS_MAX = 8;
/** How old what another journal is told of this one may be, where other processes write it too; 5 s is the bound. */
const FACT_MS = 1000;
/** Others may win often before they hear that this one waits; see sharing.ts. */
const CONFLICTS_MAX = 32;

/** The state goes on while facts are looked up; so often at most are others looked up for one command. */
const ROUNDS_MAX = 64;

/** One event of a batch that cannot be taken back makes all of it so. */
function noteUndo(batch: { undo: (() => void)[] | undefined }, step: (() => void) | undefined) {
  if (step === undefined) batch.undo = undefined;
  else batch.undo?.push(step);
}

const attemptsMax = (error: unknown): number =>
  error instanceof WrongExpectedRevision ? CONFLICTS_MAX : ATTEMPTS_MAX;

/** No defect: the state is what the rules say. */
const isOutside = (error: unknown): boolean =>
  error instanceof WrongExpectedRevision ||
  error instanceof Unavailable ||
  error instanceof Ambiguous;

const hasWritten = <Command, Event extends DomainEvent>({
  answer,
}: Decided<Command, Event>): boolean => answer.is === 'done' && answer.ids.length > 0;

const hasExpired = ({ expiresAt }: KnownKey, { instant }: Stamp): boolean =>
  expiresAt !== undefined && expiresAt <= instant;

/** 20 ms doubling to 2.5 s, half of it by chance, so that writers that collided do not meet again. */
const backoffMs = (attempt: number, chance: number): number =>
  20 * 2 ** (attempt - 1) * (0.5 + chance / 2);

/** Who asks the journal that owns a fact. Errors: Unavailable. */
export interface OtherJournals {
  fact(name: JournalName, tenantId: string): Promise<JournalFact | undefined>;
  /** Without waiting; undefined when that cannot be said, null when there is no such thing. */
  factAtHand(name: JournalName, tenantId: string): JournalFact | null | undefined;
}
