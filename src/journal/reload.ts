import { claimedNames, claimsIn } from '#src/kernel/claims.ts';
import type { Decider, DomainEvent } from '#src/kernel/decider.ts';
import { parseData } from '#src/kernel/event-data.ts';
import { NONE, type Revision, type Uuid } from '#src/kernel/ids.ts';
import { causationIn, type EventMetadata } from '#src/kernel/event-metadata.ts';
import { namesInText, type IndexTable } from '#src/kernel/index-table.ts';
import { Unavailable } from '#src/ports/errors.ts';
import type { StoredEvent } from '#src/ports/event-store.ts';
import type { Committed } from './batch.ts';
import { foldOn, keyOf, knownKeyOf, loadResident, type Resident } from './resident.ts';
import { NotYetIndexed } from './not-yet-indexed.ts';
import type { WriterPorts } from './writer-ports.ts';

/** Commands that may be in the log without this process knowing: by the ids of their events, or by their own. */
export type Attempts<Command> = Readonly<{
  byEvent: ReadonlyMap<Uuid, Command>;
  /** Forwarded commands, which another process may have decided. */
  byCausation: ReadonlyMap<Uuid, Command>;
}>;

export type Reloaded<State, Event extends DomainEvent, Command> = Readonly<{
  resident: Resident<State>;
  unindexed: NotYetIndexed;
  /** Commands whose append had an unknown outcome and is in the log, with its events. */
  happened: ReadonlyMap<Command, readonly Committed<Event>[]>;
}>;

/**
 * Loads a journal together with the keys and names that its index lacks. `attempts` may have been written after
 * `durable`, the last revision known to be in the log; the index is known to hold `trimmed`.
 * Errors: Unavailable.
 */
export async function reload<State, Event extends DomainEvent, Command>(
  decider: Decider<State, never, Event>,
  journal: string,
  ports: WriterPorts,
  attempts: Attempts<Command>,
  durable: Revision,
  trimmed: Revision,
): Promise<Reloaded<State, Event, Command>> {
  const unindexed = new NotYetIndexed();
  const indexed = await indexedAtLeast(journal, ports, trimmed);
  const { happened, visit } = watching<Event, Command>(unindexed, indexed, attempts, ports);
  const from = (hasAny(attempts) ? Math.min(indexed, durable) : indexed) + 1;
  const resident = await loadResident(decider, journal, ports, visit, from);
  unindexed.trim(Math.min(indexed, resident.head.revision)); // An index ahead of the log is not trusted.
  return { resident, unindexed, happened };
}

/** Writing continues without the index: the revision it was known to hold is enough, but more must be read. */
async function indexedAtLeast(
  journal: string,
  { index }: Pick<WriterPorts, 'index'>,
  trimmed: Revision,
): Promise<Revision> {
  try {
    return await index.indexed(journal);
  } catch (error) {
    if (error instanceof Unavailable) return trimmed;
    throw error;
  }
}

/** Reads on from a durable state and the keys and names that belong to it. */
export async function catchUp<State, Event extends DomainEvent, Command>(
  decider: Decider<State, never, Event>,
  journal: string,
  ports: WriterPorts,
  attempts: Attempts<Command>,
  kept: Pick<Reloaded<State, Event, Command>, 'resident' | 'unindexed'>,
): Promise<Reloaded<State, Event, Command>> {
  const { happened, visit } = watching<Event, Command>(kept.unindexed, NONE, attempts, ports);
  const { resident } = kept;
  await foldOn(decider, journal, resident, ports, visit, resident.head.revision + 1);
  return { ...kept, happened };
}

const hasAny = ({ byEvent, byCausation }: Attempts<unknown>): boolean =>
  byEvent.size + byCausation.size > 0;

/** Most events were not caused by a forwarded command, and most loads look for none. */
const causeOf = <Command>(
  { metadata }: StoredEvent,
  byCausation: Attempts<Command>['byCausation'],
): Command | undefined =>
  byCausation.size === 0 ? undefined : byCausation.get(causationIn(metadata));

/** Collects keys and names that the index does not hold, and the attempts that were written. */
function watching<Event extends DomainEvent, Command>(
  unindexed: NotYetIndexed,
  indexed: Revision,
  attempts: Attempts<Command>,
  { indexTable }: Readonly<{ indexTable: IndexTable }>,
) {
  const happened = new Map<Command, Committed<Event>[]>();
  const visit = (event: StoredEvent): void => {
    if (event.revision > indexed) {
      const known = keyOf(event.metadata) === undefined ? undefined : knownKeyOf(event);
      if (known !== undefined) unindexed.addKey(known.key, known);
      for (const name of namesInText(indexTable, event)) unindexed.addName(name, event.revision);
      for (const name of claimedNames(claimsIn(event.metadata))) {
        unindexed.addName(name, event.revision);
      }
      unindexed.shorten(event.revision);
    }
    const command = attempts.byEvent.get(event.id) ?? causeOf(event, attempts.byCausation);
    if (command === undefined) return;
    const events = happened.get(command) ?? [];
    events.push(recalled<Event>(event, events[0]?.replyVersion));
    happened.set(command, events);
  };
  return { happened, visit };
}

/** Parses a stored event for the caller of its command. Only the first event of a command has the reply version. */
export function recalled<Event extends DomainEvent>(
  stored: StoredEvent,
  replyVersion = (JSON.parse(stored.metadata) as EventMetadata).replyVersion,
): Committed<Event> {
  const event = { type: stored.type, data: parseData(stored.data) };
  return { ...event, revision: stored.revision, replyVersion } as Committed<Event>;
}
