import type { DomainEvent, JournalOf } from '#src/kernel/decider.ts';
import { causationIn } from '#src/kernel/event-metadata.ts';
import { Refusal } from '#src/kernel/errors.ts';
import type { Revision } from '#src/kernel/ids.ts';
import { Ambiguous, Unavailable } from '#src/ports/errors.ts';
import type { EventStore, StoredEvent } from '#src/ports/event-store.ts';
import { intact } from '#src/ports/intact.ts';
import type { Committed, Envelope, Outcome } from './batch.ts';
import type { JournalEnds } from './journal-ends.ts';
import type { Journals } from './journals.ts';
import { recalled } from './reload.ts';
import { Undecided } from './writer-refusals.ts';

type LostCommandPorts = Readonly<{
  journals: Pick<Journals, 'submit'>;
  store: Pick<EventStore, 'read'>;
  ends: Pick<JournalEnds, 'note'>;
}>;

/**
 * Settles a command whose owner was lost after it was sent: returns its events if the owner wrote them, and decides it here
 * otherwise. The owner may still be alive, and may be about to append it. Then one of the two appends fails by its expected
 * revision, and that process finds the other's events before it decides the command again. Errors: Ambiguous, also instead
 * of a refusal, which such an append would contradict.
 */
export async function settleLostCommand<Command, Event extends DomainEvent>(
  ports: LostCommandPorts,
  journal: JournalOf<Command, Event>,
  envelope: Envelope<Command>,
  undecidedThrough: Revision,
): Promise<Outcome<Event>> {
  try {
    return await foundOrDecided(ports, journal, envelope, undecidedThrough);
  } catch (cause) {
    if (!isHarmless(cause)) throw cause;
    throw new Ambiguous(`The outcome of a command for ${journal.name} is not known`, { cause });
  }
}

async function foundOrDecided<Command, Event extends DomainEvent>(
  { journals, store, ends }: LostCommandPorts,
  journal: JournalOf<Command, Event>,
  envelope: Envelope<Command>,
  undecidedThrough: Revision,
): Promise<Outcome<Event>> {
  let from = undecidedThrough;
  for (let round = 1; ; round += 1) {
    const { caused, end } = await eventsAfter(store, journal.name, from, envelope);
    const last = caused.at(-1);
    if (last !== undefined) {
      ends.note(journal.name, last.revision, last.position);
      return { events: committed<Event>(caused), revision: last.revision, replayed: false };
    }
    from = end;
    const forwarded = { undecidedThrough: end, isDoubtful: true } as const;
    try {
      return await journals.submit(journal, { ...envelope, forwarded });
    } catch (error) {
      if (!(error instanceof Undecided) || round === ROUNDS_MAX) throw error;
    }
  }
}

/** Errors that say that nothing was written, which is known of this process only. */
const isHarmless = (error: unknown): boolean =>
  error instanceof Refusal || error instanceof Unavailable || error instanceof Undecided;

/** Reads the events after a revision that a command caused, and the revision up to which there are no others. */
async function eventsAfter(
  store: Pick<EventStore, 'read'>,
  journal: string,
  after: Revision,
  { context: { causationId } }: Envelope<unknown>,
): Promise<Readonly<{ caused: readonly StoredEvent[]; end: Revision }>> {
  const caused: StoredEvent[] = [];
  let end = after;
  for (;;) {
    const events = await store.read(journal, end + 1, READ_CHUNK);
    caused.push(...events.filter(({ metadata }) => causationIn(metadata) === causationId));
    end += events.length;
    if (events.length < READ_CHUNK) return { caused, end };
  }
}

function committed<Event extends DomainEvent>(caused: readonly StoredEvent[]): Committed<Event>[] {
  const first = recalled<Event>(intact(caused[0]!));
  const others = caused.slice(1).map((one) => recalled<Event>(intact(one), first.replyVersion));
  return [first, ...others];
}

const ROUNDS_MAX = 32;
const READ_CHUNK = 500;
