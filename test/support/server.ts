import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StoredEvent } from '#src/ports/event-store.ts';
import { freePort } from './free-port.ts';
import { withoutRequests } from './log-lines.ts';
import { MAIN, NODE_FLAGS } from './programs.ts';
import { storesOf } from './stores.ts';
import { until } from './until.ts';

export { freePort, until };

/** The product as `npm start` runs it: a process of its own, on a data folder of its own. */
export type Server = Readonly<{
  port: number;
  pid: number;
  dataDir: string;
  /** From the start of the process to its ready line. */
  readyMs: number;
  readyLine: string;
  /** The last of what it wrote to stdout and stderr, requests left out. */
  output: () => string;
  child: ChildProcess;
}>;

export type Launch = Readonly<{
  dataDir?: string;
  /** Settings beside DATA_DIR and PORT; none of the caller's own environment reach the server. */
  env?: Readonly<Record<string, string>>;
  /** The most file descriptors that the process may have open. */
  openFilesMax?: number;
}>;

/** Resolves when the process says that it is ready; rejects with what it wrote if it ends before. */
export async function startServer(launch: Launch = {}): Promise<Server> {
  const starting = await launchServer(launch);
  const ready = await starting.ready();
  return { ...starting, ...ready };
}

type Starting = Omit<Server, 'readyMs' | 'readyLine'> &
  Readonly<{ ready: () => Promise<Pick<Server, 'readyMs' | 'readyLine'>> }>;

/** Starts the process and does not wait for it, for those who want to kill it on its way. */
export async function launchServer({
  dataDir,
  env = {},
  openFilesMax,
}: Launch = {}): Promise<Starting> {
  const dir = dataDir ?? temporaryFolder();
  const stores = await storesOf(dir).settings();
  const port = await freePort();
  const from = performance.now();
  const command = [process.execPath, ...NODE_FLAGS, MAIN];
  const [program = '', ...args] =
    openFilesMax === undefined
      ? command
      : ['sh', '-c', `ulimit -n ${openFilesMax} && exec "$0" "$@"`, ...command];
  const child = spawn(program, args, {
    cwd: dir, // An .env file of the developer's must not reach it.
    env: {
      ...bareEnvironment(),
      HTTP_THREADS,
      DATA_DIR: dir,
      PORT: String(port),
      ...stores,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.add(child);
  child.once('exit', () => children.delete(child));
  // A server that a failed test left behind ends with the tests and does not keep them running.
  child.unref();
  for (const pipe of [child.stdout, child.stderr]) (pipe as unknown as Socket).unref();
  let tail = '';
  let line: string | undefined;
  const errors = withoutRequests();
  child.stdout.on('data', (chunk: Buffer) => {
    tail = (tail + chunk.toString()).slice(-TAIL_CHARACTERS);
    line ??= tail.split('\n').find((one) => one.includes(`:${port}`));
  });
  child.stderr.on('data', (chunk: Buffer) => {
    tail = (tail + errors(chunk.toString())).slice(-TAIL_CHARACTERS);
  });
  const output = () => tail;

  const ready = async () => {
    await until(() => line !== undefined || hasEnded(child), START_MS, `ready line\n${tail}`);
    if (line === undefined) {
      const how = child.signalCode ?? `exit code ${String(child.exitCode)}`;
      throw new Error(`The server ended with ${how} before it was ready:\n${tail}`);
    }
    return { readyMs: performance.now() - from, readyLine: line };
  };
  return { port, pid: child.pid ?? -1, dataDir: dir, output, child, ready };
}

/** SIGTERM. Answers the exit code, or the signal that ended it; not to end in time is an error. */
export async function stopServer({ child, output }: Pick<Server, 'child' | 'output'>) {
  if (hasEnded(child)) return child.exitCode ?? child.signalCode;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  await gone;
  clearTimeout(timer);
  if (child.signalCode === 'SIGKILL') {
    throw new Error(`The server did not end within ${STOP_MS} ms:\n${output()}`);
  }
  return child.exitCode ?? child.signalCode;
}

/** As a power cut would end it. */
export async function killServer({ child }: Pick<Server, 'child'>): Promise<void> {
  if (hasEnded(child)) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

/**
 * The one server of this process on default settings, for blocks that look only at organizations they create. A block
 * that sees other data, such as a list of all organizations, starts a server of its own with `serverOfBlock`.
 */
export function sharedServer(): () => Server {
  let server: Server | undefined;
  before(async function () {
    this.timeout(START_MS + 1000);
    server = await (shared ??= startServer());
  });
  after(() => {
    if (server === undefined || !hasEnded(server.child)) return;
    shared = undefined;
    throw new Error(`The server ended during these tests:\n${server.output()}`);
  });
  return () => given(server);
}
let shared: Promise<Server> | undefined;

/** A server for all tests of the block it is called in. */
export function serverOfBlock(launch: Launch = {}): () => Server {
  let server: Server | undefined;
  before(async function () {
    this.timeout(START_MS + 1000);
    server = await startServer(launch);
  });
  after(async function () {
    this.timeout(STOP_MS + 1000);
    if (server === undefined) return;
    await stopServer(server);
    removeFolder(server.dataDir);
  });
  return () => given(server);
}

function given(server: Server | undefined): Server {
  if (server === undefined) throw new Error('The server is started by a before hook');
  return server;
}

/** How many events the log holds, read beside the running server. */
export async function eventCount(
  { dataDir }: Pick<Server, 'dataDir'>,
  type?: string,
): Promise<number> {
  return storesOf(dataDir).eventCount(type);
}

/** What a journal holds, read beside the running server. */
export function eventsOf(
  { dataDir }: Pick<Server, 'dataDir'>,
  stream: string,
): Promise<readonly StoredEvent[]> {
  return storesOf(dataDir).events(stream);
}

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'quipu-e2e-'));
  folders.add(folder);
  return folder;
}

export function removeFolder(folder: string): void {
  storesOf(folder).remove();
  rmSync(folder, { recursive: true, force: true });
  folders.delete(folder);
}

/** What a process needs to run at all; settings of whoever runs the tests stay out. */
export function bareEnvironment(): Record<string, string> {
  const { PATH = '', HOME = '', TMPDIR } = process.env;
  return { PATH, HOME, ...(TMPDIR !== undefined && { TMPDIR }) };
}

const hasEnded = (child: ChildProcess): boolean =>
  child.exitCode !== null || child.signalCode !== null;

/* Nothing outlives the tests, however they end. */
const children = new Set<ChildProcess>();
const folders = new Set<string>();
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL');
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Servers of tests have no HTTP threads unless asked, because the default depends on the processors of the machine. */
const HTTP_THREADS = process.env['HTTP_THREADS'] ?? '0';

const START_MS = 60_000;
/** After 5 s a server cuts off whoever keeps it; the rest is for a machine that stands still. */
const STOP_MS = 30_000;
const TAIL_CHARACTERS = 8000;
