import type { Uuid } from './ids.ts';
import type { Instant } from './instant.ts';

/** A request to publish events of the log again, with the same ce-ids (contract events §10). */
export type Replay = Readonly<{
  id: Uuid;
  /** The time of recording of the first and the last events, both inclusive. */
  from: Instant;
  to: Instant;
  /** The keys of the events; without them, every event that is published. */
  keys?: readonly string[];
  /** The values of ce-subject; without them, every one. */
  subjects?: readonly string[];
  /** `completed`: everything that the log had when it was requested was published again. */
  status: 'pending' | 'completed';
  createdAt: Instant;
  updatedAt: Instant;
}>;
