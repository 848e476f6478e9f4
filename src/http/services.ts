import type { Uuid } from '#src/kernel/ids.ts';
import type { Clock } from '#src/ports/clock.ts';
import type { Ids } from '#src/ports/ids.ts';
import type { EventStore } from '#src/ports/event-store.ts';
import type { ReadStore } from '#src/ports/read-store.ts';
import type { Progress } from '#src/runtime/progress.ts';
import type { Existence } from './existence.ts';
import type { MemoryBudget } from './memory-budget.ts';
import type { ProblemContext } from './problem.ts';
import type { Reply } from './reply.ts';
import type { Commands } from './submit.ts';

/** The state of one dependency. */
export type Check = Readonly<{
  status: 'up' | 'down' | 'skipped';
  latency_ms: number;
  detail?: string;
}>;

/** `ready: false` answers 503: requests would fail. Checks may be down while the whole is ready. */
export type Readiness = Readonly<{
  ready: boolean;
  checks: Readonly<Record<string, Check>>;
  /** For people: `embedded`, `distributed`. */
  deploymentMode: string;
}>;

/** Handlers may use these; the start provides them. */
export interface Services {
  readonly commands: Commands;
  /** Names records that get their own journal. */
  readonly ids: Ids;
  /** The read models; a handler first waits for the writes that its caller must see. */
  readonly reads: ReadStore;
  /** Auditors read it; it holds only what is durable. */
  readonly log: Pick<EventStore, 'read' | 'readAll' | 'end'>;
  readonly progress: Pick<Progress, 'reached'>;
  readonly clock: Clock;
  /** Read operations check a parent record with it before they look below. */
  readonly existence: Existence;
  /** By component, its own services; only the component knows their type. */
  readonly components: Readonly<Record<string, unknown>>;
  /** Names the log that cursors belong to. */
  readonly logId: Uuid;
  /** All requests share it; a handler that takes several bodies counts the bytes that it holds. */
  readonly memory: MemoryBudget;
  /** Turns any error into its reply, for operations that reply to several items at once. */
  readonly problem: (error: unknown, occasion: ProblemContext) => Reply;
}
