import type { Decider, DomainEvent, JournalFact } from '#src/kernel/decider.ts';
import { formatInstant } from '#src/kernel/instant.ts';
import { settingsJournal, type JournalName } from '#src/kernel/journal-name.ts';
import type { Envelope } from './batch.ts';
import type { OtherJournals } from './fact-lookup.ts';
import { FoundFacts, type InMemory, type LookUp } from './facts.ts';
import { notYours, startedAnew } from './writer-refusals.ts';
import type { WriterPorts } from './writer-ports.ts';

/**
 * Returns the error of a command for a journal of another tenant: the one that it would get if the journal did not exist, so
 * that nobody learns what others have.
 */
export async function errorAsAbsent<State, Command, Event extends DomainEvent>(
  decider: Decider<State, Command, Event>,
  { command, context: { tenantId } }: Pick<Envelope<Command>, 'command' | 'context'>,
  others: OtherJournals,
  { clock, ids }: Pick<WriterPorts, 'clock' | 'ids'>,
): Promise<unknown> {
  const state = decider.initialState();
  const known = new Map<JournalName, JournalFact | null | undefined>();
  const atHand = (name: JournalName): JournalFact | null | undefined => {
    if (known.get(name) === undefined) known.set(name, others.factAtHand(name, tenantId));
    return known.get(name);
  };
  const memory: InMemory = {
    journal: atHand,
    settings: () => atHand(settingsJournal(tenantId)),
    revisionOf: () => undefined,
    event: () => undefined,
  };
  const lookUp: LookUp = {
    journal: (name) => others.fact(name, tenantId),
    settings: () => others.fact(settingsJournal(tenantId), tenantId),
    revisions: async () => new Map(),
    event: async () => undefined,
  };
  const facts = new FoundFacts(memory, tenantId);
  try {
    for (let round = 1; round <= ROUNDS_MAX; round += 1) {
      known.clear(); // Facts do not change between the check of needs and the decision.
      const needs = decider.needs(state, command, facts);
      if (needs !== undefined) {
        await facts.gather(needs, lookUp);
        continue;
      }
      const at = clock.now();
      decider.decide(state, command, facts, { at, instant: formatInstant(at), ids });
      return notYours(); // It would have begun the journal.
    }
    return startedAnew();
  } catch (error) {
    return error;
  }
}

const ROUNDS_MAX = 10;
