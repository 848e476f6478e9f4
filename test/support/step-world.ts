import { resumeGroup } from '#commands/ledger/processes/finish-group.ts';
import { groupDecider, type GroupState } from '#commands/ledger/cross-ledger/group.ts';
import { organizationDecider } from '#commands/ledger/organization.ts';
import type { Ledger } from '#commands/ledger/state/ledger-state.ts';
import { ledgerDecider } from '#commands/ledger/ledger.ts';
import type { BuildSteps } from '#commands/settings/processes/build-index.ts';
import { settingsDecider, type SettingsState } from '#commands/settings/settings.ts';
import type { Organization } from '#commands/ledger/state/organization-state.ts';
import { MemoryIndexData, MemoryJournalIndex } from '#test/doubles/memory/journal-index.ts';
import { systemScheduler } from '#src/adapters/system.ts';
import { indexTable } from '#src/bootstrap/index-table.ts';
import { processes } from '#src/bootstrap/processes.ts';
import { claimedNames } from '#src/kernel/claims.ts';
import type { Decider, DomainEvent, Facts, JournalFact } from '#src/kernel/decider.ts';
import { parseData, storedData } from '#src/kernel/event-data.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { namesOf } from '#src/kernel/index-table.ts';
import {
  categoryOf,
  groupJournal,
  ledgerJournal,
  organizationJournal,
  ownerOf,
  settingsJournal,
  type Category,
} from '#src/kernel/journal-name.ts';
import { isPassing, Refusal } from '#src/kernel/errors.ts';
import { parseInstant, type Micros } from '#src/kernel/instant.ts';
import type { Journals } from '#src/journal/journals.ts';
import { resumeProcesses } from '#src/journal/resume.ts';
import type { EventStore, Position, StoredEvent } from '#src/ports/event-store.ts';
import { IndexConsumer } from '#src/runtime/index-consumer.ts';
import { LoggedEvent } from '#src/runtime/logged-event.ts';
import { countingIds, nthId, NOW, stampAt } from './stamps.ts';
import type { Steps, Submit } from '#src/journal/steps.ts';

type AnyDecider = Decider<unknown, unknown, DomainEvent>;
type Journal = {
  decider: AnyDecider;
  state: unknown;
  log: StoredEvent[];
  names: Map<string, number>;
  keys: Map<string, number>;
};
const RULES: Readonly<Record<string, unknown>> = {
  organization: organizationDecider,
  ledger: ledgerDecider,
  group: groupDecider,
  settings: settingsDecider,
};

const SETTINGS = settingsJournal('default');

/** The process ended there. */
export class Crash extends Error {}

/** Lets work take so many steps. Answers whether it came to its end. */
export async function interrupted(
  world: StepWorld,
  steps: number,
  work: (submit: Submit) => Promise<unknown>,
): Promise<boolean> {
  let left = steps;
  const submit = world.submitting(() => {
    if (left === 0) throw new Crash();
    left -= 1;
  });
  try {
    await work(submit);
    return true;
  } catch (error) {
    if (error instanceof Crash) return false;
    throw error;
  }
}

/**
 * The journals of organizations, ledgers, groups and settings with no writer between: a command is decided and recorded at once. For
 * work that takes steps in several journals, which may be interrupted after each, and finished from the log alone.
 */
export class StepWorld {
  readonly #journals = new Map<string, Journal>();
  readonly #log: StoredEvent[] = [];
  readonly #ids = countingIds();

  /** `before` and `after` each command: to wait for a turn, or to crash. */
  submitting(before: () => Promise<void> | void, after: () => void = () => {}): Submit {
    return this.#submitting(before, after, undefined);
  }

  /** The same for the steps of groups, under a key if there is one; `sleep` as the spec will have it. */
  steps(
    before: () => Promise<void> | void,
    { key, sleep }: Readonly<{ key?: string | undefined; sleep: Steps['sleep'] }>,
  ): Steps {
    return {
      submit: this.#submitting(before, () => {}, key),
      tenantId: 'default',
      ids: this.#ids,
      sleep,
      elapsedMs: () => this.elapsedMs,
      mayPass: (error) => error instanceof Refusal && isPassing(error),
    };
  }

  elapsedMs = 0;

  #submitting(before: () => Promise<void> | void, after: () => void, key: string | undefined) {
    const submit = async (
      to: Readonly<{ name: string }>,
      command: unknown,
      how?: 'take' | Readonly<{ release: number }>,
    ) => {
      await before();
      const { keys, log } = this.#journal(to.name);
      const taken = key === undefined ? undefined : keys.get(key);
      if (how === 'take' && taken !== undefined) {
        const { type, data } = log[taken]!;
        const event = { type, data: parseData(data), revision: taken };
        return { events: [event], revision: log.length - 1, replayed: true };
      }
      const first = log.length;
      const outcome = this.#decide(to.name, command);
      if (key !== undefined && log.length > first) {
        if (how === 'take') keys.set(key, first);
        if (typeof how === 'object' && taken === how.release) keys.delete(key);
      }
      after();
      return outcome;
    };
    return submit as Submit;
  }

  readonly submit = this.submitting(() => {});

  /** Resumes changes of ledgers, which are 15 s old then, with the index built from the log. Groups and index builds are too young. */
  async resume(): Promise<void> {
    const journals = {
      submit: (to: never, { command }: Readonly<{ command: never }>) => this.submit(to, command),
    } as unknown as Journals;
    const store: Pick<EventStore, 'read' | 'last'> = {
      read: async (stream, from) => this.#journal(stream).log.slice(from, from + 1),
      last: async (stream) => this.#journal(stream).log.at(-1),
    };
    const ports = {
      ...{ index: await this.#index(), store, ids: this.#ids, scheduler: systemScheduler },
      clock: { now: () => (parseInstant(NOW) + 15_000_000) as Micros },
    };
    await resumeProcesses(processes, journals, ports, { aloneSince: undefined });
  }

  /** What a start does about groups. Their keys are those of the processes that are gone. */
  async resumeGroups(
    keyOf: (groupId: Uuid) => string | undefined = () => undefined,
    wrap: (submit: Submit) => Submit = (submit) => submit,
  ) {
    for (const { journal } of await (await this.#index()).list('open')) {
      if (categoryOf(journal) !== 'group') continue;
      const id = ownerOf(journal);
      const sleep = () => Promise.resolve();
      const { submit, ...steps } = this.steps(() => {}, { key: keyOf(id), sleep });
      await resumeGroup({ ...steps, submit: wrap(submit) }, id);
    }
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

  group(id: Uuid): GroupState {
    return this.#journal(groupJournal(id)).state as GroupState;
  }

  settings(): SettingsState {
    return this.#journal(SETTINGS).state as SettingsState;
  }

  /** All events of all journals, as they are read to make an index. */
  readonly log: BuildSteps['log'] = {
    readAll: async (after: Position, limit) =>
      this.#log.filter(({ position }) => position > after).slice(0, limit),
    end: async () => this.#log.at(-1)?.position ?? '',
  };

  /** The names of all journals of a kind. */
  journals(category: Category): string[] {
    return [...this.#journals.keys()].filter((name) => categoryOf(name) === category);
  }

  events(journal: string): readonly (DomainEvent & Readonly<{ revision: number }>)[] {
    return this.#journal(journal).log.map(({ type, data, revision }) => {
      return { type, data: parseData(data), revision };
    });
  }

  /** Types of the events of a journal. */
  typesIn(journal: string): string[] {
    return this.#journal(journal).log.map(({ type }) => type);
  }

  /** The last record of a kind in a journal. */
  last(journal: string, member: string): Readonly<Record<string, unknown>> {
    const images = this.#journal(journal).log.map(({ data }) => {
      return (parseData(data) as Record<string, Readonly<Record<string, unknown>>>)[member];
    });
    return images.findLast((image) => image !== undefined)!;
  }

  async #index(): Promise<MemoryJournalIndex> {
    const options = { scheduler: systemScheduler, data: new MemoryIndexData() };
    const index = new MemoryJournalIndex(options);
    const consumer = new IndexConsumer(index, indexTable, '' as Position);
    for (const event of this.#log) consumer.take(new LoggedEvent(event));
    await consumer.flush(this.#log.at(-1)?.position ?? ('' as Position));
    return index;
  }

  #decide(name: string, command: unknown) {
    const { decider, state, log, names } = this.#journal(name);
    const facts = this.#facts(log, names);
    if (decider.needs(state, command, facts) !== undefined) throw new Error('All is known');
    const decision = decider.decide(state, command, facts, stampAt(NOW, this.#ids));
    if ('unchanged' in decision) {
      const revision = decision.at ?? log.length - 1;
      return { events: [{ ...decision.unchanged, revision }], revision: log.length - 1 };
    }
    const events = decision.map((event) => ({ ...event, revision: this.#append(name, event) }));
    return { events, revision: log.length - 1 };
  }

  #append(stream: string, { type, data, claims = [] }: DomainEvent): number {
    const { decider, state, log, names } = this.#journal(stream);
    const { data: text } = storedData({ type, data });
    const revision = log.length;
    const context = { recordedAt: NOW, actor: {}, tenantId: 'default', requestId: 'r' };
    const metadata = JSON.stringify({ ...context, ...(claims.length > 0 && { claims }) });
    const position = String(this.#log.length + 1).padStart(8, '0') as Position;
    const id = nthId(this.#log.length);
    const stored = { id, type, data: text, metadata, stream, revision, position };
    log.push(stored);
    const own = namesOf(indexTable, { type, data });
    for (const { kind, key } of [...own, ...claimedNames(claims)]) {
      names.set(`${kind} ${key}`, revision);
    }
    this.#log.push(stored);
    decider.evolve(state, { type, data: parseData(text) }, revision);
    return revision;
  }

  #journal(name: string): Journal {
    const known = this.#journals.get(name);
    if (known !== undefined) return known;
    const decider = RULES[categoryOf(name)] as AnyDecider;
    const state = decider.initialState();
    const journal: Journal = { decider, state, log: [], names: new Map(), keys: new Map() };
    this.#journals.set(name, journal);
    return journal;
  }

  /** What a journal tells the others; null before its first event. */
  #fact(name: string): JournalFact | null {
    const { decider, state, log } = this.#journals.get(name) ?? {};
    const fact = decider?.fact(state);
    return fact ? { ...fact, revision: (log?.length ?? 0) - 1 } : null;
  }

  #facts(log: readonly StoredEvent[], names: ReadonlyMap<string, number>): Facts {
    return {
      journal: (name) => this.#fact(name),
      settings: () => this.#fact(SETTINGS),
      revisionOf: ({ kind, key }) => names.get(`${kind} ${key}`) ?? null,
      event: (revision) => {
        const stored = log[revision];
        return stored && { type: stored.type, data: parseData(stored.data) };
      },
    };
  }
}
