import type { EmbeddedLog } from '#src/adapters/embedded/log.ts';
import { systemScheduler } from '#src/adapters/system.ts';
import type { Decider, DomainEvent } from '#src/kernel/decider.ts';
import { categoryOf } from '#src/kernel/journal-name.ts';
import { residentToSnapshot, loadResident } from '#src/journal/resident.ts';
import type { Snapshot, SnapshotStore } from '#src/ports/snapshot-store.ts';
import { deciders } from '#src/bootstrap/deciders.ts';
import { parting } from './first-difference.ts';
import type { ReportProgress } from './output.ts';

/** Returns how a snapshot differs from the journal's state at its revision; undefined if it is equal. */
export async function snapshotDifference(
  log: EmbeddedLog,
  journal: string,
  snapshot: Snapshot,
  report: ReportProgress,
): Promise<string | undefined> {
  const rules = rulesOf(journal);
  const store: Pick<EmbeddedLog, 'read'> = {
    read: async (stream, from, limit) => {
      const left = snapshot.revision - from + 1;
      report(from, snapshot.revision + 1);
      return left <= 0 ? [] : log.read(stream, from, Math.min(limit, left));
    },
  };
  const resident = await loadResident(rules, journal, {
    store,
    snapshots: NONE,
    scheduler: systemScheduler,
  });
  const { revision, chunks } = residentToSnapshot(rules, resident);
  if (revision !== snapshot.revision) return `the journal ends at revision ${revision}`;
  if (chunks.length !== snapshot.chunks.length) {
    return `it has ${snapshot.chunks.length} chunks, but ${chunks.length} follow from the log`;
  }
  for (const [n, due] of chunks.entries()) {
    const kept = snapshot.chunks[n] ?? '';
    if (kept !== due) return `chunk ${n} ${parting(kept, due)}`;
  }
  return undefined;
}

/** Returns whether this release can read the snapshot. */
export const isCurrent = (journal: string, { version }: Snapshot): boolean =>
  rulesOf(journal).snapshotVersion === version;

function rulesOf(journal: string): Decider<unknown, never, DomainEvent> {
  const found = deciders.find(({ category }) => category === categoryOf(journal));
  if (found === undefined) throw new Error(`No rules for the journal ${journal}`);
  return found;
}

const NONE: SnapshotStore = {
  load: async () => undefined,
  save: async () => undefined,
  close: async () => undefined,
};
