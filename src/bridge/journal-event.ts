import type { Uuid } from '#src/domain/ids.ts';
import type { Instant } from '#src/domain/instant.ts';

/** An event of the log as far as a CloudEvent depends on it. */
export type JournalEvent = Readonly<{
  id: Uuid;
  type: string;
  recordedAt: Instant;
  tenantId: string;
  /** Read when it is asked for. Errors: SyntaxError for a damaged event. */
  data: unknown;
}>;
