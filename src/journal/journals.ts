import type { Decider, DomainEvent, JournalFact, JournalOf } from '#src/kernel/decider.ts';
import type { Revision } from '#src/kernel/ids.ts';
import { categoryOf, type JournalName } from '#src/kernel/journal-name.ts';
import type { Envelope, Outcome } from './batch.ts';
import { Unavailable } from '#src/ports/errors.ts';
import type { Limits, WriterEvents, WriterPorts } from './writer-ports.ts';
import { JournalWriter } from './writer.ts';

/** The journals that this process writes. */
export interface Journals {
  /** Errors: Refusal, Unavailable. */
  submit<Command, Event extends DomainEvent>(
    journal: JournalOf<Command, Event>,
    envelope: Envelope<Command>,
  ): Promise<Outcome<Event>>;

  /** Returns the public state of a journal; undefined if it does not exist for the tenant. */
  fact(name: JournalName, tenantId: string): Promise<JournalFact | undefined>;

  /**
   * Resolves when everything that this process has decided so far is in the log; with false if other processes write there
   * too. Errors: Unavailable.
   */
  settled(): Promise<boolean>;

  /** Reports how far the index holds these journals. */
  indexed(reached: ReadonlyMap<string, Revision>): void;

  /** Reports that another process waits to write the journal. */
  share(journal: string): void;

  /** Rejects callers that have waited for longer with Unavailable or Ambiguous. */
  giveUpWaiting(forMs: number): void;

  /** Unloads journals that were not used for this long. */
  unloadIdle(forMs: number): void;
}

// A writer's types are known where a command is submitted and where a decider is registered, not in between.
type ErasedDecider = Decider<unknown, unknown, DomainEvent>;
type AnyWriter = JournalWriter<unknown, unknown, DomainEvent>;

export function createJournals(
  deciders: readonly unknown[],
  ports: WriterPorts,
  events: WriterEvents,
  limits?: Limits,
): Journals {
  const byCategory = new Map((deciders as ErasedDecider[]).map((rules) => [rules.category, rules]));
  const writers = new Map<string, AnyWriter>();

  const writerOf = (name: JournalName): AnyWriter => {
    const known = writers.get(name);
    if (known !== undefined) return known;
    const rules = byCategory.get(categoryOf(name));
    if (rules === undefined) throw new Error(`No rules for the journal ${name}`);
    const writer = new JournalWriter(name, rules, ports, events, { fact, factAtHand }, limits);
    writers.set(name, writer);
    return writer;
  };

  /** Most facts are at hand, which saves each request the promises of waiting for one. */
  const fact = (name: JournalName, tenantId: string): Promise<JournalFact | undefined> => {
    const writer = writerOf(name);
    const known = writer.factAtHand(tenantId);
    if (known !== undefined) return Promise.resolve(known ?? undefined);
    return writer.fact(tenantId).catch((error: unknown) => {
      const rules = byCategory.get(categoryOf(name));
      throw error instanceof Unavailable ? (rules?.unreachable?.() ?? error) : error;
    });
  };

  /** Journals of an unknown category do not exist. */
  const factAtHand = (name: JournalName, tenantId: string): JournalFact | null | undefined =>
    byCategory.has(categoryOf(name)) ? writerOf(name).factAtHand(tenantId) : null;

  return {
    submit: (journal, envelope) =>
      writerOf(journal.name).submit(envelope) as Promise<Outcome<never>>,
    fact,
    async settled() {
      await Promise.all([...writers.values()].map((writer) => writer.settled()));
      return ports.store.exclusive;
    },
    indexed: (reached) => {
      for (const [journal, revision] of reached) writers.get(journal)?.indexed(revision);
    },
    share: (journal) => writers.get(journal)?.share(),
    giveUpWaiting: (forMs) => {
      for (const writer of writers.values()) writer.giveUpWaiting(forMs);
    },
    unloadIdle: (forMs) => {
      for (const [name, writer] of writers) if (writer.idle(forMs)) writers.delete(name);
    },
  };
}
