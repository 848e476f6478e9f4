import type { Uuid } from '#src/kernel/ids.ts';
import type { Instant } from '#src/kernel/instant.ts';
import type { TraceContext } from '#src/kernel/trace-context.ts';

/** The parts of a journal event on which a CloudEvent depends. */
export type JournalEvent = Readonly<{
  id: Uuid;
  type: string;
  recordedAt: Instant;
  tenantId: string;
  /** The trace of the request that caused it. */
  trace?: TraceContext | undefined;
  /** Parsed on first use. Errors: SyntaxError for a damaged event. */
  data: unknown;
}>;
