import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { start, stop, type Started } from './children.ts';
import { ask } from './http.ts';

export type Server = Started & Readonly<{ port: number; readyMs: number }>;

export type Launch = Readonly<{
  /** The file that starts the product, from the root of the repository. */
  main: string;
  dataDir: string;
  /** Settings beyond the folder and the port. */
  env?: Readonly<Record<string, string>>;
  nodeFlags?: readonly string[];
}>;

/** The product as `npm start` runs it, on a data folder and a free port. Ready when it says so. */
export const startProduct = ({ main, dataDir, env, nodeFlags = [] }: Launch): Promise<Server> =>
  startServer(main, { ...startEnvironment(), ...env, DATA_DIR: dataDir }, [
    ...startFlags(),
    ...nodeFlags,
  ]);

export const REFERENCES = ['plain', 'tuned'] as const;
export type Reference = (typeof REFERENCES)[number];

/** Starts a reference with the flags of the product; it sends the response in a file to every request. */
export const startReference = (kind: Reference, reply: string): Promise<Server> =>
  startServer(`bench/references/${kind}.ts`, { REPLY: reply }, startFlags());

export const startBare = (): Promise<Server> => startServer('bench/bare.ts', {}, []);

export const stopServer = (server: Server): Promise<void> => stop(server);

/** As a power cut would end it. */
export const killServer = (server: Server): Promise<void> => stop(server, 'SIGKILL');

/** Removes what the files of one store are called (design §4); the log itself is never touched. */
export function forget(dataDir: string, store: 'read' | 'snapshots'): number {
  const names = readdirSync(dataDir).filter((name) => name.startsWith(`${store}.db`));
  for (const name of names) rmSync(join(dataDir, name), { recursive: true });
  return names.length;
}

/** What `npm start` gives to Node before the file. */
function startFlags(): string[] {
  const words = startWords();
  return words.slice(words.indexOf('node') + 1, words.indexOf('src/main.ts'));
}

/** The variables that `npm start` sets. */
function startEnvironment(): Record<string, string> {
  const words = startWords();
  const set = words.slice(0, words.indexOf('node')).filter((word) => word.includes('='));
  const pairs = set.map((word): [string, string] => {
    const at = word.indexOf('=');
    return [word.slice(0, at), word.slice(at + 1)];
  });
  return Object.fromEntries(pairs);
}

function startWords(): string[] {
  const manifest = readFileSync(join(ROOT, 'package.json'), 'utf8');
  const { scripts } = JSON.parse(manifest) as { scripts: { start: string } };
  return scripts.start.split(' ');
}

async function startServer(
  file: string,
  env: Readonly<Record<string, string>>,
  nodeFlags: readonly string[],
): Promise<Server> {
  const port = await freePort();
  const from = performance.now();
  const started = start(resolve(ROOT, file), [], { ...env, PORT: String(port) }, nodeFlags);
  await Promise.race([readyLine(started, port), failed(started, file)]);
  return { ...started, port, readyMs: performance.now() - from };
}

/** Resolves with the line that names the address; a server that says nothing is asked on /readyz. */
async function readyLine({ child, output }: Started, port: number): Promise<void> {
  let ready = false;
  child.stdout?.on('data', () => {
    ready ||= output().includes(`:${port}`);
  });
  const from = performance.now();
  for (let n = 1; !ready && child.exitCode === null; n += 1) {
    if (performance.now() - from > START_MS) throw new Error(`Not ready in time:\n${output()}`);
    await sleep(LOOK_MS);
    if (n % LOOKS_PER_PROBE === 0) ready ||= await isReady(port);
  }
}

async function isReady(port: number): Promise<boolean> {
  const answer = await ask(port, { method: 'GET', path: '/readyz' }).catch(() => undefined);
  return answer?.status === 200;
}

async function failed({ child, output }: Started, file: string): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  child.once('exit', (code) => {
    reject(new Error(`${file} ended with ${String(code)} before it was ready:\n${output()}`));
  });
  return promise;
}

async function freePort(): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const probe = createServer();
  probe.listen(0, '127.0.0.1', () => {
    const { port } = probe.address() as AddressInfo;
    probe.close(() => resolve(port));
  });
  return promise;
}

const ROOT = join(import.meta.dirname, '..', '..');
const START_MS = 600_000;
const LOOK_MS = 2;
const LOOKS_PER_PROBE = 250;
