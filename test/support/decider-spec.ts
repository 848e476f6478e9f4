import { expect } from 'chai';
import { indexTable } from '#src/bootstrap/index-table.ts';
import { parseData, storedData } from '#src/kernel/event-data.ts';
import { claimedNames } from '#src/kernel/claims.ts';
import type { Decider, Decision, DomainEvent, Facts, JournalFact } from '#src/kernel/decider.ts';
import { Refusal, type RefusalName } from '#src/kernel/errors.ts';
import type { Instant } from '#src/kernel/instant.ts';
import { namesOf } from '#src/kernel/index-table.ts';
import { countingIds, NOW, stampAt } from './stamps.ts';

/** What other journals say, by their names; others do not exist. */
export type KnownJournals = Readonly<Record<string, JournalFact>>;

/**
 * Stories about a decider: `given(events).when(command).then(events)`.
 *
 * Given events pass through JSON, as they do on their way through the log. Of every decision it is checked
 * that the state stays as it was, and that the state can fold what was decided.
 */
export function specFor<State, Command, Event extends DomainEvent>(
  decider: Decider<State, Command, Event>,
) {
  return { given: (...events: readonly Event[]) => new Given(decider, events) };
}

class Given<State, Command, Event extends DomainEvent> {
  readonly #decider: Decider<State, Command, Event>;
  readonly #state: State;
  readonly #ids = countingIds();
  readonly #log: Event[] = [];

  constructor(decider: Decider<State, Command, Event>, events: readonly Event[]) {
    this.#decider = decider;
    this.#state = decider.initialState();
    for (const event of events) this.#fold(event);
  }

  /** Commands that went before and were accepted. */
  after(...commands: readonly Command[]): this {
    for (const command of commands) {
      const decision = this.#decider.decide(this.#state, command, this.#facts({}), this.#stamp());
      if (!('unchanged' in decision)) for (const event of decision) this.#fold(event);
    }
    return this;
  }

  when(command: Command, journals: KnownJournals = {}, at: Instant = NOW): Outcome<Event> {
    const before = [...this.#decider.toSnapshot(this.#state)];
    const outcome = this.#decided(command, journals, at);
    const after = [...this.#decider.toSnapshot(this.#state)];
    expect(after, 'a decision leaves the state as it was').to.deep.equal(before);
    const happened = outcome instanceof Refusal || 'unchanged' in outcome ? [] : outcome;
    for (const event of happened) this.#fold(event);
    return new Outcome(outcome);
  }

  #decided(command: Command, journals: KnownJournals, at: Instant): Decision<Event> | Refusal {
    const facts = this.#facts(journals);
    expect(this.#decider.needs(this.#state, command, facts), 'what is known').to.equal(undefined);
    try {
      return this.#decider.decide(this.#state, command, facts, this.#stamp(at));
    } catch (error) {
      if (error instanceof Refusal) return error;
      throw error;
    }
  }

  #stamp(at: Instant = NOW) {
    return stampAt(at, this.#ids);
  }

  #fold(event: Event): void {
    this.#decider.evolve(this.#state, stored(event), this.#log.length);
    this.#log.push(stored(event));
  }

  /** What the writer would find: other journals, and every event of this one. */
  #facts(journals: KnownJournals): Facts {
    return {
      journal: (name) => journals[name] ?? null,
      settings: () => journals['settings'] ?? null,
      revisionOf: ({ kind, key }) => {
        const revision = this.#log.findLastIndex((event) =>
          [...namesOf(indexTable, event), ...claimedNames(event.claims ?? [])].some(
            (name) => name.kind === kind && name.key === key,
          ),
        );
        return revision < 0 ? null : revision;
      },
      event: (revision) => this.#log[revision],
    };
  }
}

class Outcome<Event extends DomainEvent> {
  readonly #outcome: Decision<Event> | Refusal;
  constructor(outcome: Decision<Event> | Refusal) {
    this.#outcome = outcome;
  }

  /** What happened, whole. */
  then(...events: readonly Event[]): void {
    expect(this.happened().map(stored)).to.deep.equal(events.map(stored));
  }

  thenNothing(): void {
    this.then();
  }

  /** Answers the refusal, for specs about its details. */
  thenRefused(name: RefusalName): Refusal {
    const outcome = this.#outcome;
    if (!(outcome instanceof Refusal)) {
      throw new Error(`Expected ${name}, but this happened: ${JSON.stringify(outcome)}`);
    }
    expect(outcome.refusal, outcome.message).to.equal(name);
    return outcome;
  }

  /** The events, for specs about a part of them. */
  happened(): readonly Event[] {
    if (this.#outcome instanceof Refusal) throw this.#outcome;
    return 'unchanged' in this.#outcome ? [] : this.#outcome;
  }

  /** Nothing happened, and this is the image of what stayed as it was. */
  thenUnchanged(image: Event): void {
    this.thenNothing();
    const outcome = this.#outcome as Readonly<{ unchanged?: Event }>;
    expect(outcome.unchanged && stored(outcome.unchanged)).to.deep.equal(stored(image));
  }
}

/** An event as the log gives it back. */
const stored = <Event extends DomainEvent>(event: Event): Event => {
  const { type, data, compact: _, ...more } = event;
  return { type, data: parseData(storedData(event).data), ...more } as unknown as Event;
};

/** Nothing has been looked up. */
export const NO_FACTS: Facts = {
  journal: () => undefined,
  settings: () => undefined,
  revisionOf: () => undefined,
  event: () => undefined,
};

/** The tenant has no settings: nothing must be unique. */
export const NO_SETTINGS: Facts = { ...NO_FACTS, settings: () => null };
