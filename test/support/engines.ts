import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { until } from './until.ts';

/** What `infra/engines/up` started on this machine, and can start again; other servers are not ours to kill. */
export type Engine = 'kafka' | 'rabbitmq' | 'postgres' | 'ferretdb';
/** Names `infra/engines/up` knows; PostgreSQL and FerretDB are both `mongodb`. */
type Named = 'kafka' | 'rabbitmq' | 'mongodb';

/** As a power cut would end it. */
export async function killEngine(engine: Engine): Promise<void> {
  const pid = Number(readFileSync(pidFile(engine), 'utf8'));
  process.kill(pid, 'SIGKILL');
  await until(() => !isAlive(pid), 30_000, `${engine} is gone`);
}

/** Starts whatever is missing and waits until it answers. */
export async function bringUp(engine: Named): Promise<void> {
  await promisify(execFile)(join(ENGINES, 'up'), [engine], { timeout: UP_MS });
}

/** Whether these engines can be killed here. */
export const areOurs = (...engines: readonly Engine[]): boolean =>
  engines.every((engine) => existsSync(pidFile(engine)));

/**
 * An engine of ours that died between two suites is started again, and that is said: one crash is not to look like
 * hundreds of failures. Errors: nobody listens at the address, and it is not ours.
 */
export async function keepUp(engine: Named, url: string): Promise<void> {
  const { hostname, port } = new URL(url);
  if (await listens(hostname, Number(port || DEFAULT_PORTS[engine]))) return;
  if (!areOurs(...RUNNING_AS[engine])) throw new Error(`Nobody listens at ${url}`);
  console.log(`      ${engine} had died: it is started again`);
  await bringUp(engine);
}

const listens = (host: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 5000 });
    const end = (answer: boolean) => () => {
      socket.destroy();
      resolve(answer);
    };
    socket.on('connect', end(true)).on('error', end(false)).on('timeout', end(false));
  });

const DEFAULT_PORTS = { kafka: 9092, rabbitmq: 5672, mongodb: 27_017 } as const;
const RUNNING_AS: Readonly<Record<Named, readonly Engine[]>> = {
  kafka: ['kafka'],
  rabbitmq: ['rabbitmq'],
  mongodb: ['postgres', 'ferretdb'],
};

const ENGINES = join(import.meta.dirname, '..', '..', 'infra', 'engines');
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
