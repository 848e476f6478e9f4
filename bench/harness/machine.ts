import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, release, totalmem, type } from 'node:os';
import { join } from 'node:path';
import { latencyOf } from '../load/tally.ts';
import type { Latency } from '../load/job.ts';

export type Machine = Readonly<{
  cpu: string;
  cores: number;
  memoryGiB: number;
  system: string;
  node: string;
  /** Of the last minute, before the first run: what else was going on. */
  loadBefore: number;
  fdatasyncMs: Latency;
}>;

export function describeMachine(folder: string): Machine {
  return {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    system: `${type()} ${release()}`,
    node: process.version,
    loadBefore: Math.round((loadavg()[0] ?? 0) * 100) / 100,
    fdatasyncMs: fdatasyncLatency(folder),
  };
}

/** What a durable append of one page costs on the disk that the data folder is on. */
function fdatasyncLatency(folder: string): Latency {
  const path = join(folder, 'fsync-probe');
  const page = Buffer.alloc(PAGE_BYTES, 1);
  const took = new Float32Array(PROBES);
  const file = openSync(path, 'w');
  for (let n = 0; n < PROBES; n += 1) {
    const from = performance.now();
    writeSync(file, page);
    fdatasyncSync(file);
    took[n] = performance.now() - from;
  }
  closeSync(file);
  rmSync(path);
  return latencyOf(took);
}

const PROBES = 200;
const PAGE_BYTES = 4096;
