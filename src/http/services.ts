import type { Uuid } from '#src/kernel/ids.ts';
import type { Clock } from '#src/ports/clock.ts';
import type { Ids } from '#src/ports/ids.ts';
import type { EventStore } from '#src/ports/event-store.ts';
import type { ReadStore } from '#src/ports/read-store.ts';
import type { Progress } from '#src/runtime/progress.ts';
import type { Existence } from './existence.ts';
import type { MemoryBudget } from './memory-budget.ts';
import type { OwnJournals } from './own-journals.ts';
import type { ProblemContext } from './problem.ts';
import type { Reply } from './reply.ts';
import type { Commands } from './submit.ts';

/** The state of one dependency. */
export type Check = Readonly<{
  status: 'up' | 'down' | 'skipped';
  latency_ms: number;
  detail?: string;
}>;

/**
 * The readiness of the process; `ready: false` returns 503 because requests would fail. Single checks may be down while
 * the whole is ready.
 */
export type Readiness = Readonly<{
  ready: boolean;
  checks: Readonly<Record<string, Check>>;
  /** Describes the deployment for operators: `embedded`, `distributed`. */
  deploymentMode: string;
}>;

/** The services that handlers use; the start provides them. */
export interface Services {
  readonly commands: Commands;
  /** Creates ids of records that get their own journal. */
  readonly ids: Ids;
  /** The read models; a handler first waits for the writes that its caller must see. */
  readonly reads: ReadStore;
  /** The log, for auditors; it holds only what is durable. */
  readonly log: Pick<EventStore, 'read' | 'readAll' | 'end'>;
  readonly progress: Pick<Progress, 'reached'>;
  readonly clock: Clock;
  /** Lets read operations check that a parent record exists. */
  readonly existence: Existence;
  /** Undefined while one tenant is served. */
  readonly ownJournals: OwnJournals | undefined;
  /** The services of each component; only the component knows their type. */
  readonly components: Readonly<Record<string, unknown>>;
  /** Identifies the log that cursors belong to. */
  readonly logId: Uuid;
  /** Shared by all requests; a handler that takes several bodies counts the bytes that it holds. */
  readonly memory: MemoryBudget;
  /** Turns any error into a reply, for operations that reply to several items at once. */
  readonly problem: (error: unknown, occasion: ProblemContext) => Reply;
}
