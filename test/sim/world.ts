import { MemoryIndexData } from '#test/doubles/memory/journal-index.ts';
import { MemoryLog } from '#test/doubles/memory/log.ts';
import { createReadMemory, type ReadMemory } from '#test/doubles/memory/read-store.ts';
import type { MemorySnapshotData } from '#test/doubles/memory/snapshot-store.ts';
import type { Refusal } from '#src/kernel/errors.ts';
import type { Random } from './random.ts';
import type { SimScheduler } from './scheduler.ts';
import type { SimFaults } from './faults.ts';

/** What outlives every process: the disks, and the chance that rules over all of it. */
export type World = Readonly<{
  random: Random;
  simScheduler: SimScheduler;
  simFaults: SimFaults;
  log: MemoryLog;
  index: MemoryIndexData;
  snapshots: MemorySnapshotData;
  rows: ReadMemory;
  /** No second process writes these journals. */
  exclusive: boolean;
  /** Journals that some process waits to write; the others hear of it now and then. */
  contended: Set<string>;
  /** How often a client found what it was told, and how often it was told to come again. */
  reads: { seen: number; early: number };
  /** A fault of the product that the oracles must find: a refusal that no rule gives. */
  planted?: ((command: unknown) => Refusal | undefined) | undefined;
  /** Notes what happened, for the trace of a failure. */
  note: (line: string) => void;
  /** Something is wrong: the run ends here. */
  fail: (problem: string) => void;
  /** What a client was told; part of the run's digest. */
  answered: (line: string) => void;
}>;

export const createDisks = (): Pick<World, 'log' | 'index' | 'snapshots' | 'rows'> => ({
  log: new MemoryLog(),
  index: new MemoryIndexData(),
  snapshots: new Map(),
  rows: createReadMemory(),
});
