import type { DomainEvent, EventName, Facts, JournalFact, Needs } from '#src/kernel/decider.ts';
import type { Revision } from '#src/kernel/ids.ts';
import type { JournalName } from '#src/kernel/journal-name.ts';

/**
 * The part of the facts that needs no waiting: events that are not in the log yet, names that are not indexed yet, and
 * journals that this process holds.
 */
export interface InMemory {
  /** Returns the public state of a journal; undefined if it is not loaded, not durable or too old; null if it is absent. */
  journal(name: JournalName, asks?: string): JournalFact | null | undefined;
  revisionOf(name: EventName): Revision | undefined;
  event(revision: Revision): DomainEvent | undefined;
  /**
   * Returns the settings of the tenant; undefined if they are not known or too old. The tenant is that of the journal, or
   * the one that `asks` while the journal has none.
   */
  settings(asks?: string): JournalFact | null | undefined;
}

/** Looks up the other facts. Errors: Unavailable; WrongExpectedRevision when the log is ahead of the state. */
export interface LookUp {
  journal(name: JournalName): Promise<JournalFact | undefined>;
  /** Makes the settings known in memory for a moment. */
  settings(): Promise<unknown>;
  revisions(kind: string, keys: readonly string[]): Promise<ReadonlyMap<string, Revision>>;
  /** `names` are those by which the index led to the event; if it lacks one, the index is wrong. */
  event(revision: Revision, names: readonly EventName[]): Promise<DomainEvent | undefined>;
}

/**
 * The facts of one command: those that were looked up for it, behind those that are in memory at the moment of the call,
 * so that a name always leads to its last event.
 */
export class FoundFacts implements Facts {
  readonly #memory: InMemory;
  readonly #tenantId: string;
  readonly #journals = new Map<JournalName, JournalFact | null>();
  readonly #revisions = new Map<string, Revision | null>();
  readonly #events = new Map<Revision, DomainEvent>();
  /** Revisions to which the index led: their events are read from the log, never from an append that may fail. */
  readonly #indexed = new Map<Revision, EventName[]>();

  /** `tenantId` is the tenant of the command. */
  constructor(memory: InMemory, tenantId: string) {
    this.#memory = memory;
    this.#tenantId = tenantId;
  }

  journal(name: JournalName): JournalFact | null | undefined {
    const found = this.#journals.get(name);
    return found === undefined ? this.#memory.journal(name, this.#tenantId) : found;
  }

  settings(): JournalFact | null | undefined {
    return this.#memory.settings(this.#tenantId);
  }

  revisionOf(name: EventName): Revision | null | undefined {
    return this.#memory.revisionOf(name) ?? this.#revisions.get(textOf(name));
  }

  event(revision: Revision): DomainEvent | undefined {
    const intended = this.#indexed.has(revision) ? undefined : this.#memory.event(revision);
    return this.#events.get(revision) ?? intended;
  }

  async gather(
    { journals = [], settings, names = [], events = [] }: Needs,
    lookUp: LookUp,
  ): Promise<void> {
    for (const name of journals) this.#journals.set(name, (await lookUp.journal(name)) ?? null);
    for (const [kind, keys] of byKind(names)) {
      const found = await lookUp.revisions(kind, keys);
      for (const key of keys) {
        const revision = found.get(key) ?? null;
        this.#revisions.set(`${kind} ${key}`, revision);
        if (revision === null) continue;
        const names = this.#indexed.get(revision) ?? [];
        names.push({ kind, key });
        this.#indexed.set(revision, names);
      }
    }
    for (let n = 0; n < events.length; n += EVENTS_AT_ONCE) {
      await Promise.all(
        events.slice(n, n + EVENTS_AT_ONCE).map(async (revision) => {
          const event = await lookUp.event(revision, this.#indexed.get(revision) ?? []);
          if (event === undefined) throw new Error(`The journal has no event ${String(revision)}`);
          this.#events.set(revision, event);
        }),
      );
    }
    if (settings === true) await lookUp.settings(); // Last, because they expire first.
  }

  /** Forgets names, because a newer event may have moved from memory to the index since they were looked up. */
  forgetNames(): void {
    this.#revisions.clear();
  }
}

function byKind(names: readonly EventName[]): Map<string, string[]> {
  const keys = new Map<string, string[]>();
  for (const { kind, key } of names) {
    const known = keys.get(kind);
    if (known === undefined) keys.set(kind, [key]);
    else known.push(key);
  }
  return keys;
}

const EVENTS_AT_ONCE = 16;

const textOf = ({ kind, key }: EventName): string => `${kind} ${key}`;
