import type { Position } from './event-store.ts';

/** How far the log was worked off: everything up to a position, and of the next event the first so many parts. */
export type Checkpoint = Readonly<{ position: Position; done: number }>;

/**
 * Where each lane of the relay stands. Facts, not derived from the log: what is lost here is published again, or
 * never.
 *
 * Errors: Unavailable; Fenced from `save` when a later holder of the lease has written.
 */
export interface CheckpointStore {
  /** Of all lanes that ever saved one, by name. */
  load(): Promise<ReadonlyMap<string, Checkpoint>>;

  /** Moves forward only: an earlier one than the lane has changes nothing. Durable when it resolves. */
  save(lane: string, checkpoint: Checkpoint, fence: number): Promise<void>;

  /** Moves a lane that has one back: the log it stands in was replaced by an older copy. Errors as save. */
  setBack(lane: string, checkpoint: Checkpoint, fence: number): Promise<void>;

  close(): Promise<void>;
}

/** Another process holds the lease now; nothing was written. */
export class Fenced extends Error {
  constructor(what: string, fence: number) {
    super(`${what}: a later holder than ${String(fence)} has written`);
    this.name = 'Fenced';
  }
}
