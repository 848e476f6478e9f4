import type { Decider, DomainEvent } from '#src/kernel/decider.ts';
import type { Revision } from '#src/kernel/ids.ts';
import { residentToSnapshot, loadResident, type ResidentSources } from './resident.ts';

/** Saves a new snapshot of a journal and returns its revision. It folds the journal again, so run it in a thread of its own. */
export async function takeSnapshot<State, Event extends DomainEvent>(
  decider: Decider<State, never, Event>,
  journal: string,
  sources: ResidentSources,
): Promise<Revision> {
  const resident = await loadResident(decider, journal, sources);
  await sources.snapshots.save(journal, residentToSnapshot(decider, resident));
  return resident.head.revision;
}
