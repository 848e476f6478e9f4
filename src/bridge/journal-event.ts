import type { Uuid } from '#src/kernel/ids.ts';
import type { Instant } from '#src/kernel/instant.ts';

/** An event of the log as far as a CloudEvent depends on it. */
export type JournalEvent = Readonly<{
  id: Uuid;
  type: string;
  recordedAt: Instant;
  tenantId: string;
  /** Read when it is asked for. Errors: SyntaxError for a damaged event. */
  data: unknown;
}>;
