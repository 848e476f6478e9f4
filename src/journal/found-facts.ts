import type { DomainEvent, EventName, Facts, JournalFact, Needs } from '#src/domain/decider.ts';
import type { Revision } from '#src/domain/ids.ts';
import type { JournalName } from '#src/domain/journal-name.ts';

/** What a writer knows without looking: events on their way into the log, names not yet in the index. */
export interface InMemory {
  revisionOf(name: EventName): Revision | undefined;
  event(revision: Revision): DomainEvent | undefined;
}

/** Where the rest is looked up. Errors: Unavailable; WrongExpectedRevision when the log is ahead of the state. */
export interface LookUp {
  journal(name: JournalName): Promise<JournalFact | undefined>;
  revisionOf(name: EventName): Promise<Revision | undefined>;
  event(revision: Revision): Promise<DomainEvent | undefined>;
}

/**
 * The facts of one command: what was looked up for it, and what is in memory in the moment somebody asks, so that
 * a name always leads to the last event that has it.
 */
export class FoundFacts implements Facts {
  readonly #memory: InMemory;
  readonly #journals = new Map<JournalName, JournalFact | null>();
  readonly #revisions = new Map<string, Revision | null>();
  readonly #events = new Map<Revision, DomainEvent>();
  /** Where names led to by the index: what stands there is the log's to say, never an intention's. */
  readonly #indexed = new Set<Revision>();

  constructor(memory: InMemory) {
    this.#memory = memory;
  }

  journal(name: JournalName): JournalFact | null | undefined {
    return this.#journals.get(name);
  }

  revisionOf(name: EventName): Revision | null | undefined {
    return this.#memory.revisionOf(name) ?? this.#revisions.get(textOf(name));
  }

  event(revision: Revision): DomainEvent | undefined {
    const intended = this.#indexed.has(revision) ? undefined : this.#memory.event(revision);
    return this.#events.get(revision) ?? intended;
  }

  async gather({ journals = [], names = [], events = [] }: Needs, lookUp: LookUp): Promise<void> {
    for (const name of journals) this.#journals.set(name, (await lookUp.journal(name)) ?? null);
    for (const name of names) {
      const revision = (await lookUp.revisionOf(name)) ?? null;
      this.#revisions.set(textOf(name), revision);
      if (revision !== null) this.#indexed.add(revision);
    }
    for (const revision of events) {
      const event = await lookUp.event(revision);
      if (event === undefined) throw new Error(`The journal has no event ${String(revision)}`);
      this.#events.set(revision, event);
    }
  }

  /** A newer event may have moved from memory to the index since they were looked up. */
  forgetNames(): void {
    this.#revisions.clear();
  }
}

const textOf = ({ kind, key }: EventName): string => `${kind} ${key}`;
