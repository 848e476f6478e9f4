import type { MemoryCheckpoints } from '#test/doubles/memory/checkpoint-store.ts';
import { MemoryIndexData } from '#test/doubles/memory/journal-index.ts';
import type { MemoryLeaseData } from '#test/doubles/memory/leases.ts';
import { MemoryLog } from '#test/doubles/memory/log.ts';
import type { Arrived, PublishFate } from '#test/doubles/memory/publisher.ts';
import { createReadMemory, type ReadMemory } from '#test/doubles/memory/read-store.ts';
import type { MemorySecretData } from '#test/doubles/memory/secret-store.ts';
import { newMemoryTokenData, type MemoryTokenData } from '#test/doubles/memory/token-index.ts';
import type { MemorySnapshotData } from '#test/doubles/memory/snapshot-store.ts';
import type { DeliveryOracle } from './delivery-oracle.ts';
import type { Refusal } from '#src/kernel/errors.ts';
import type { Random } from './random.ts';
import type { SimScheduler } from './scheduler.ts';
import type { SimFaults } from './faults.ts';
import type { Answering } from './links.ts';

/** What outlives every process: the disks, and the chance that rules over all of it. */
export type World = Readonly<{
  random: Random;
  simScheduler: SimScheduler;
  simFaults: SimFaults;
  log: MemoryLog;
  index: MemoryIndexData;
  snapshots: MemorySnapshotData;
  rows: ReadMemory;
  checkpoints: MemoryCheckpoints;
  leases: MemoryLeaseData;
  secrets: MemorySecretData;
  /** The index of search tokens, which is stored with the secrets. */
  tokens: MemoryTokenData;
  /** All that ever came to the broker, in the order in which it came. */
  arrived: Arrived[];
  /** The state of deliveries, and what came of them. */
  deliveries: DeliveryOracle;
  /** There are subscriptions and replays, and threads that serve them. */
  streams: boolean;
  /** The threads that are alive, by the names under which they hold leases. */
  holders: Set<string>;
  /** No second process writes these journals. */
  exclusive: boolean;
  /** Journals that some process waits to write; the others hear of it now and then. */
  contended: Set<string>;
  /** How often a client found what it was told, and how often it was told to come again. */
  reads: { seen: number; early: number };
  /** The processes that are alive, by name; they send each other commands. */
  answering: Map<string, Answering>;
  planted: Planted;
  /** Notes what happened, for the trace of a failure. */
  note: (line: string) => void;
  /** Something is wrong: the run ends here. */
  fail: (problem: string) => void;
  /** What a client was told; part of the run's digest. */
  answered: (line: string) => void;
}>;

/** Faults that the oracles must find. */
export type Planted = Readonly<{
  /** A refusal that no rule gives. */
  refusal?: (command: unknown) => Refusal | undefined;
  /** The acknowledgement of a record that never arrived. */
  publish?: () => PublishFate | undefined;
}>;

type Disks =
  | 'secrets'
  | 'tokens'
  | 'log'
  | 'index'
  | 'snapshots'
  | 'rows'
  | 'checkpoints'
  | 'leases'
  | 'arrived';

export const createDisks = (): Pick<World, Disks> => ({
  log: new MemoryLog(),
  index: new MemoryIndexData(),
  snapshots: new Map(),
  rows: createReadMemory(),
  checkpoints: new Map(),
  leases: new Map(),
  arrived: [],
  secrets: new Map(),
  tokens: newMemoryTokenData(),
});
