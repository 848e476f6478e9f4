import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startProgram, stop, type As, type Started } from './children.ts';

/** A cluster of its own, reached through a socket in its own folder. */
export type Postgres = Readonly<{
  version: string;
  /** Runs a file of SQL with psql variables; ends at the first error. */
  runFile: (database: string, file: string, variables: Variables) => Promise<string>;
  /** The first row of a query, its columns parted by `|`. */
  query: (database: string, sql: string) => Promise<string>;
  pgbench: (database: string, args: readonly string[]) => Promise<string>;
  stop: () => Promise<void>;
}>;

export type Variables = Readonly<Record<string, string | number>>;

/** Where PostgreSQL's programs are, pgbench among them; undefined when they are not installed. */
export function findPostgres(): string | undefined {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN) : [];
  const folders = versions.sort((a, b) => Number(b) - Number(a)).map((v) => join(DEBIAN, v, 'bin'));
  const path = (process.env['PATH'] ?? '').split(':').filter((folder) => folder !== '');
  return [...folders, ...path].find((folder) =>
    PROGRAMS.every((program) => existsSync(join(folder, program))),
  );
}

/**
 * Makes a cluster below an empty folder and starts it: flushed at every commit, as is PostgreSQL's default, and with
 * more memory and rarer checkpoints than the default has.
 */
export async function startPostgres(bin: string, folder: string): Promise<Postgres> {
  const as = unprivileged();
  const data = join(folder, 'cluster');
  mkdirSync(data, { mode: 0o700 });
  if (as.uid !== undefined && as.gid !== undefined) {
    chmodSync(folder, 0o755); // Its user must get through to the cluster.
    chownSync(data, as.uid, as.gid);
  }
  const program = (name: string, args: readonly string[]): Promise<string> =>
    output(name, startProgram(join(bin, name), args, { ...as, cwd: data }));

  await program('initdb', ['-D', data, '-U', 'bench', '-A', 'trust', '-E', 'UTF8', '--locale=C']);
  const settings = Object.entries(SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const served = ['-D', data, '-k', data, '-c', 'listen_addresses=', ...settings];
  const server = startProgram(join(bin, 'postgres'), served, { ...as, cwd: data });
  const at = (database: string): string[] => ['-h', data, '-U', 'bench', '-d', database];
  const query = async (database: string, sql: string): Promise<string> =>
    (await program('psql', [...at(database), '-XAtqc', sql])).trim();

  await ready(server, () => query('postgres', 'SELECT 1'));
  return {
    version: await query('postgres', 'SHOW server_version'),
    runFile: (database, file, variables) =>
      program('psql', [
        ...at(database),
        '-Xqv',
        'ON_ERROR_STOP=1',
        ...given('-v', variables),
        '-f',
        file,
      ]),
    query,
    pgbench: (database, args) =>
      program('pgbench', [...at(database).slice(0, -2), ...args, database]),
    stop: () => stop(server, 'SIGINT'), // Its fast shutdown.
  };
}

export const given = (flag: string, variables: Variables): string[] =>
  Object.entries(variables).flatMap(([name, value]) => [flag, `${name}=${value}`]);

const PROGRAMS = ['initdb', 'postgres', 'psql', 'pgbench'];
const DEBIAN = '/usr/lib/postgresql';
const SETTINGS = {
  fsync: 'on',
  synchronous_commit: 'on',
  shared_buffers: '512MB',
  max_wal_size: '4GB',
};

/** PostgreSQL refuses to run as root: then some account of the system that may do nothing else. */
function unprivileged(): As {
  if (process.getuid?.() !== 0) return {};
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  for (const name of ['postgres', 'nobody']) {
    const found = users.find(([user]) => user === name);
    if (found !== undefined) return { uid: Number(found[2]), gid: Number(found[3]) };
  }
  throw new Error('No user that PostgreSQL could run as.');
}

async function ready({ child, output: said }: Started, ask: () => Promise<string>): Promise<void> {
  const deadline = performance.now() + READY_MS;
  for (;;) {
    const answer = await ask().catch(() => '');
    if (answer !== '') return;
    if (child.exitCode !== null || performance.now() > deadline) {
      throw new Error(`PostgreSQL does not start:\n${said()}`);
    }
    await sleep(100);
  }
}

/** What a program writes to stdout, once it has ended well. */
async function output(name: string, { child, output: said }: Started): Promise<string> {
  let text = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  const { promise, resolve } = Promise.withResolvers<number | null>();
  child.once('close', resolve);
  const code = await promise;
  if (code !== 0) throw new Error(`${name} ended with ${String(code)}:\n${said()}`);
  return text;
}

const READY_MS = 30_000;
