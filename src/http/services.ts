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

/** What one dependency said when it was asked whether it is there. */
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

/** What handlers may use. The profile fills it; a handler takes from it what it names. */
export interface Services {
  readonly commands: Commands;
  /** Names what a journal of its own will be opened for. */
  readonly ids: Ids;
  /** The read models; whoever reads first waits for what its caller must see. */
  readonly reads: ReadStore;
  /** What auditors read; only what is durable is in it. */
  readonly log: Pick<EventStore, 'read' | 'readAll' | 'end'>;
  readonly progress: Pick<Progress, 'reached'>;
  readonly clock: Clock;
  /** What reading routes ask before they look below a record. */
  readonly existence: Existence;
  /** By component, what it gives its own handlers beyond this; the component alone knows the type. */
  readonly components: Readonly<Record<string, unknown>>;
  /** Names the log that cursors belong to. */
  readonly logId: Uuid;
  /** Of all requests; a handler that takes more than one body counts what it holds. */
  readonly memory: MemoryBudget;
  /** Any error as the answer it would be, for operations that answer several at once. */
  readonly problem: (error: unknown, occasion: ProblemContext) => Reply;
}
