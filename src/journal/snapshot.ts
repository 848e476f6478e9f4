import type { Decider, DomainEvent } from '#src/kernel/decider.ts';
import type { Revision } from '#src/kernel/ids.ts';
import { residentToSnapshot, loadResident, type ResidentSources } from './resident.ts';

/**
 * Folds a journal a second time, from its last snapshot, and saves what comes out; never in the thread that
 * decides. Answers the revision it stands for.
 */
export async function takeSnapshot<State, Event extends DomainEvent>(
  decider: Decider<State, never, Event>,
  journal: string,
  sources: ResidentSources,
): Promise<Revision> {
  const resident = await loadResident(decider, journal, sources);
  await sources.snapshots.save(journal, residentToSnapshot(decider, resident));
  return resident.head.revision;
}
