import type { Position } from './event-store.ts';

/**
 * The part of the log that was processed: all events up to `position`, and the first `done` parts of the next event.
 */
export type Checkpoint = Readonly<{ position: Position; done: number }>;

/**
 * Stores the checkpoint of each lane of the relay. Checkpoints cannot be derived from the log: if one is lost, records
 * are published again, or never. Errors: Unavailable; Fenced when a later holder of the lease has written.
 */
export interface CheckpointStore {
  /** Returns the checkpoints of all lanes that ever saved one, by name. */
  load(): Promise<ReadonlyMap<string, Checkpoint>>;

  /** Moves a checkpoint forward; one that is earlier than the lane's changes nothing. Durable when it resolves. */
  save(lane: string, checkpoint: Checkpoint, fence: number): Promise<void>;

  /** Moves an existing checkpoint back, because the log was replaced by an older copy. Errors: as for `save`. */
  setBack(lane: string, checkpoint: Checkpoint, fence: number): Promise<void>;

  /** Deletes the checkpoint of a lane that has ended. Durable when it resolves. Errors: as for `save`. */
  remove(lane: string, fence: number): Promise<void>;

  close(): Promise<void>;
}

/** Another process holds the lease now; nothing was written. */
export class Fenced extends Error {
  constructor(what: string, fence: number) {
    super(`${what}: a later holder than ${String(fence)} has written`);
    this.name = 'Fenced';
  }
}
