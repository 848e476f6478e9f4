import type { ClockGuard } from './clock-guard.ts';
import type { Revision } from '#src/kernel/ids.ts';
import type { IndexTable } from '#src/kernel/index-table.ts';
import type { Clock } from '#src/ports/clock.ts';
import type { EventStore, Position } from '#src/ports/event-store.ts';
import type { Ids } from '#src/ports/ids.ts';
import type { JournalIndex } from '#src/ports/journal-index.ts';
import type { Scheduler } from '#src/ports/scheduler.ts';
import type { SnapshotStore } from '#src/ports/snapshot-store.ts';
import type { Tracing } from '#src/ports/tracing.ts';
import type { ResidentSources } from './resident.ts';

export type WriterPorts = Readonly<{
  store: Pick<EventStore, 'exclusive' | 'append' | 'read'>;
  index: JournalIndex;
  /** Defines what the index holds of each type of event. */
  indexTable: IndexTable;
  snapshots: SnapshotStore;
  /** A guarded clock also refuses to date events while it is implausible. */
  clock: Clock & Partial<Pick<ClockGuard, 'refusal'>>;
  ids: Ids;
  scheduler: Scheduler;
  /** Called while a journal is read into memory, as ResidentSources defines it. */
  onRead?: ResidentSources['onRead'];
  /** Records decisions in the traces of their requests. */
  tracing?: Tracing | undefined;
}>;

export type WriterEvents = Readonly<{
  /** The journal is durable up to here, and replies may rest on it. Revisions of a journal come in order. */
  acknowledged: (journal: string, revision: Revision, position: Position) => void;
  /** This process keeps losing the journal to another one, which should be notified. */
  contended: (journal: string) => void;
  /** The index contradicts the log or lacks keys, and must be rebuilt. */
  doubted: (journal: string, reason: string) => void;
  /** Many events were written since the last snapshot. */
  grown: (journal: string) => void;
  /** A fault that callers see only as Unavailable, or a defect. */
  fault: (journal: string, error: unknown) => void;
}>;

/** The load at which a journal refuses further commands with TOO_MANY_REQUESTS. */
export type Limits = Readonly<{
  /** The number of commands that wait to be decided. */
  waiting: number;
  /** The number of keys in memory while the index catches up; about 300 bytes each. */
  recentKeys: number;
}>;
export const LIMITS: Limits = { waiting: 16_384, recentKeys: 200_000 };
