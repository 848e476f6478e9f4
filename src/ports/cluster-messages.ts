/**
 * Short messages from one process to all others of the same log, such as the progress of the projector. Each replaces the
 * previous one of its name; correctness never depends on them.
 *
 * Errors: Unavailable; Fenced (checkpoint-store.ts) from `post`.
 */
export interface ClusterMessages {
  /** Replaces the message of that name. */
  post(name: string, text: string, fence: number): Promise<void>;
  read(name: string): Promise<string | undefined>;
  /** Returns all messages whose names begin with a prefix. */
  list(prefix: string): Promise<ReadonlyMap<string, string>>;
  close(): Promise<void>;
}
