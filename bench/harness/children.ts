import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Processes and folders that must not outlive the bench, however it ends. */
const children = new Set<ChildProcess>();
const folders = new Set<string>();

export type Started = Readonly<{
  child: ChildProcess;
  pid: number;
  /** The last lines it wrote, for the message when it fails. */
  output: () => string;
  /** The first lines of stderr, without those of Node's inspector and of requests. */
  complaints: () => readonly string[];
}>;

/** Starts a TypeScript file on the Node that runs the bench. */
export const start = (
  file: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  nodeFlags: readonly string[] = [],
): Started => startProgram(process.execPath, [...nodeFlags, file, ...args], { env });

export type As = Readonly<{
  env?: Readonly<Record<string, string>>;
  /** The user it runs as; left out: the one who runs the bench. */
  uid?: number;
  gid?: number;
  cwd?: string;
}>;

export function startProgram(
  path: string,
  args: readonly string[],
  { env, ...as }: As = {},
): Started {
  const child = spawn(path, args, {
    ...as,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.add(child);
  child.once('exit', () => children.delete(child));
  child.once('error', (error) => {
    tail += error.message; // It could not be started; `exit` does not come.
    children.delete(child);
  });
  let tail = '';
  let cutOff = '';
  const complaints: string[] = [];
  const remember = (chunk: Buffer): void => {
    tail = (tail + chunk.toString()).slice(-TAIL_CHARACTERS);
  };
  child.stdout.on('data', remember);
  child.stderr.on('data', remember);
  child.stderr.on('data', (chunk: Buffer) => {
    const lines = (cutOff + chunk.toString()).split('\n');
    cutOff = lines.pop() ?? '';
    complaints.push(...lines.filter(isComplaint).slice(0, COMPLAINTS_MAX - complaints.length));
  });
  return { child, pid: child.pid ?? -1, output: () => tail, complaints: () => complaints };
}

/** SIGTERM, and SIGKILL when that was not enough. Resolves when the process is gone. */
export async function stop({ child }: Started, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill(signal);
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  await gone;
  clearTimeout(timer);
}

export function temporaryFolder(parent: string = tmpdir()): string {
  const folder = mkdtempSync(join(parent, 'quipu-bench-'));
  folders.add(folder);
  return folder;
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  folders.delete(folder);
}

/** Ends what is left. Does not wait: also for the moment before the process ends. */
export function cleanUp(): void {
  for (const child of children) child.kill('SIGKILL');
  for (const folder of folders) removeFolder(folder);
}

export function cleanUpAtTheEnd(): void {
  process.once('exit', cleanUp);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => process.exit(130)); // Runs the exit handler above.
  }
}

const isComplaint = (line: string): boolean =>
  line !== '' && !/^(Debugger|For help|Waiting for the debugger|\{"level":"info")/.test(line);

const COMPLAINTS_MAX = 3;

const STOP_MS = 15_000;
const TAIL_CHARACTERS = 4000;
