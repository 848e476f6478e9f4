/** All waiting goes through a scheduler, so that the simulator controls the order of everything. */
export interface Scheduler {
  /** Resolves after at least this long. */
  sleep(ms: number): Promise<void>;
  /** Lets other work run; long folds call it at least every 5 ms of work. */
  yield(): Promise<void>;
  /** Milliseconds of a monotonic clock, for deadlines and slices of work. */
  elapsedMs(): number;
  /** A fraction in [0, 1), for jitter. */
  random(): number;
}
