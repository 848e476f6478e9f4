/**
 * Short JSON texts that one process leaves for all others of the same log, such as how far the projector is. Of no
 * use after the next one; never needed for correctness.
 *
 * Errors: Unavailable; Fenced (checkpoint-store.ts) from `post`.
 */
export interface ClusterMessages {
  /** Replaces what was there. */
  post(name: string, text: string, fence: number): Promise<void>;
  read(name: string): Promise<string | undefined>;
  /** All whose names begin so. */
  list(prefix: string): Promise<ReadonlyMap<string, string>>;
  close(): Promise<void>;
}
