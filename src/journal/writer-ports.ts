import type { ClockGuard } from './clock-guard.ts';
import type { Revision } from '#src/kernel/ids.ts';
import type { IndexTable } from '#src/kernel/index-table.ts';
import type { Clock } from '#src/ports/clock.ts';
import type { EventStore, Position } from '#src/ports/event-store.ts';
import type { Ids } from '#src/ports/ids.ts';
import type { JournalIndex } from '#src/ports/journal-index.ts';
import type { Scheduler } from '#src/ports/scheduler.ts';
import type { SnapshotStore } from '#src/ports/snapshot-store.ts';

export type WriterPorts = Readonly<{
  store: Pick<EventStore, 'exclusive' | 'append' | 'read'>;
  index: JournalIndex;
  /** What the index holds of each type of event. */
  indexTable: IndexTable;
  snapshots: SnapshotStore;
  /** A guarded one says when nothing may be recorded. */
  clock: Clock & Partial<Pick<ClockGuard, 'refusal'>>;
  ids: Ids;
  scheduler: Scheduler;
}>;

export type WriterEvents = Readonly<{
  /** This is durable, and answers are about to rest upon it; revisions of a journal come in order. */
  acknowledged: (journal: string, revision: Revision, position: Position) => void;
  /** Another process writes it too, and wins: it should hear that this one waits. */
  contended: (journal: string) => void;
  /** The index says what the log does not confirm, or lacks what it must have: it is to be built again. */
  doubted: (journal: string, reason: string) => void;
  /** Many events have come since the last snapshot. */
  grown: (journal: string) => void;
  /** A fault that callers see only as "unavailable", or a defect. */
  fault: (journal: string, error: unknown) => void;
}>;

/** What one journal takes on before it asks callers to come again. */
export type Limits = Readonly<{
  /** Commands that wait to be decided. */
  waiting: number;
  /** Idempotency keys held in memory while the index catches up; about 300 bytes each. */
  recentKeys: number;
}>;
export const LIMITS: Limits = { waiting: 16_384, recentKeys: 200_000 };
