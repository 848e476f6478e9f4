import { organizationDecider } from '#commands/ledger/organization.ts';
import type { Ledger } from '#commands/ledger/ledger-state.ts';
import { ledgerDecider } from '#commands/ledger/ledger.ts';
import type { Organization } from '#commands/ledger/organization.ts';
import type { Submit } from '#commands/ledger/open-ledger.ts';
import { MemoryIndexData, MemoryJournalIndex } from '#src/adapters/memory/journal-index.ts';
import { systemScheduler } from '#src/adapters/system.ts';
import type { Decider, DomainEvent, Facts } from '#src/domain/decider.ts';
import type { Uuid } from '#src/domain/ids.ts';
import { categoryOf, ledgerJournal, organizationJournal } from '#src/domain/journal-name.ts';
import type { Journals } from '#src/journal/journals.ts';
import type { EventStore, Position, StoredEvent } from '#src/ports/event-store.ts';
import { resumeLedgers } from '#src/profiles/resume.ts';
import { IndexConsumer } from '#src/runtime/index-consumer.ts';
import { LoggedEvent } from '#src/runtime/logged-event.ts';
import { countingIds, nthId, NOW, stampAt } from './stamps.ts';

type AnyDecider = Decider<unknown, unknown, DomainEvent>;
type Journal = { decider: AnyDecider; state: unknown; log: StoredEvent[] };

/** The process ended there. */
export class Crash extends Error {}

/**
 * The journals of organizations and ledgers with no writer between: a command is decided and recorded at once. For
 * work that takes steps in several journals, which may be interrupted after each, and finished from the log alone.
 */
export class StepWorld {
  readonly #journals = new Map<string, Journal>();
  readonly #log: StoredEvent[] = [];
  readonly #ids = countingIds();

  /** `before` and `after` each command: to wait for a turn, or to crash. */
  submitting(before: () => Promise<void> | void, after: () => void = () => {}): Submit {
    return (async (to: Readonly<{ name: string }>, command: unknown) => {
      await before();
      const outcome = this.#decide(to.name, command);
      after();
      return outcome;
    }) as Submit;
  }

  readonly submit = this.submitting(() => {});

  /** What a start does, with the index built from the log. */
  async resume(): Promise<void> {
    const journals = {
      submit: (to: never, { command }: Readonly<{ command: never }>) => this.submit(to, command),
    } as unknown as Journals;
    const store = {
      read: async (stream: string, from: number) => this.#journal(stream).log.slice(from, from + 1),
    } as unknown as EventStore;
    await resumeLedgers(journals, { index: await this.#index(), store });
  }

  /** Steps that the index takes for unfinished. */
  async open(): Promise<readonly string[]> {
    return (await (await this.#index()).list('open')).map(({ key }) => key);
  }

  organization(id: Uuid): Organization {
    return this.#journal(organizationJournal(id)).state as Organization;
  }

  ledger(id: Uuid): Ledger {
    return this.#journal(ledgerJournal(id)).state as Ledger;
  }

  /** Types of the events of a journal. */
  typesIn(journal: string): string[] {
    return this.#journal(journal).log.map(({ type }) => type);
  }

  /** The last record of a kind in a journal. */
  last(journal: string, member: string): Readonly<Record<string, unknown>> {
    const images = this.#journal(journal).log.map(({ data }) => {
      return (JSON.parse(data) as Record<string, Readonly<Record<string, unknown>>>)[member];
    });
    return images.findLast((image) => image !== undefined)!;
  }

  async #index(): Promise<MemoryJournalIndex> {
    const options = { scheduler: systemScheduler, data: new MemoryIndexData() };
    const index = new MemoryJournalIndex(options);
    const consumer = new IndexConsumer(index, '' as Position);
    for (const event of this.#log) consumer.take(new LoggedEvent(event));
    await consumer.flush(this.#log.at(-1)?.position ?? ('' as Position));
    return index;
  }

  #decide(name: string, command: unknown) {
    const { decider, state, log } = this.#journal(name);
    const facts = this.#facts(log);
    if (decider.needs(state, command, facts) !== undefined) throw new Error('All is known');
    const decision = decider.decide(state, command, facts, stampAt(NOW, this.#ids));
    if ('unchanged' in decision) {
      const revision = decision.at ?? log.length - 1;
      return { events: [{ ...decision.unchanged, revision }], revision: log.length - 1 };
    }
    const events = decision.map((event) => ({ ...event, revision: this.#append(name, event) }));
    return { events, revision: log.length - 1 };
  }

  #append(stream: string, { type, data }: DomainEvent): number {
    const { decider, state, log } = this.#journal(stream);
    const text = JSON.stringify(data);
    const revision = log.length;
    const metadata = JSON.stringify({ actor: {}, tenantId: 'default', requestId: 'r' });
    const position = String(this.#log.length + 1).padStart(8, '0') as Position;
    const id = nthId(this.#log.length);
    const stored = { id, type, data: text, metadata, stream, revision, position };
    log.push(stored);
    this.#log.push(stored);
    decider.evolve(state, { type, data: JSON.parse(text) as object }, revision);
    return revision;
  }

  #journal(name: string): Journal {
    const known = this.#journals.get(name);
    if (known !== undefined) return known;
    const rules = categoryOf(name) === 'ledger' ? ledgerDecider : organizationDecider;
    const decider = rules as unknown as AnyDecider;
    const journal = { decider, state: decider.initialState(), log: [] };
    this.#journals.set(name, journal);
    return journal;
  }

  #facts(log: readonly StoredEvent[]): Facts {
    return {
      journal: () => null,
      revisionOf: () => null,
      event: (revision) => {
        const stored = log[revision];
        return stored && { type: stored.type, data: JSON.parse(stored.data) as object };
      },
    };
  }
}
