import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { until } from '#test/support/server.ts';

/** What `infra/engines/up` started on this machine, and can start again; other servers are not ours to kill. */
export type Engine = 'kafka' | 'rabbitmq' | 'postgres' | 'ferretdb';

/** As a power cut would end it. */
export async function killEngine(engine: Engine): Promise<void> {
  const pid = Number(readFileSync(pidFile(engine), 'utf8'));
  process.kill(pid, 'SIGKILL');
  await until(() => !isAlive(pid), 10_000, `${engine} is gone`);
}

/** Starts whatever is missing and waits until it answers; PostgreSQL and FerretDB are both `mongodb`. */
export async function bringUp(engine: 'kafka' | 'rabbitmq' | 'mongodb'): Promise<void> {
  await promisify(execFile)(join(ENGINES, 'up'), [engine], { timeout: UP_MS });
}

/** Whether these engines can be killed here. */
export const areOurs = (...engines: readonly Engine[]): boolean =>
  engines.every((engine) => existsSync(pidFile(engine)));

const ENGINES = join(import.meta.dirname, '..', '..', '..', 'infra', 'engines');
const RUN = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'quipu', 'run');
const pidFile = (engine: Engine): string => join(RUN, `${engine}.pid`);
const UP_MS = 90_000;

/** A zombie waits for its parent, and does nothing any more. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${String(pid)}/status`, 'utf8'));
  } catch {
    return false;
  }
}
