import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { CLI, NODE_FLAGS } from './programs.ts';

/** `stderr` without words of progress, which depend on the machine. */
export type Said = Readonly<{ code: number | null; stdout: string; stderr: string }>;

/** The command line as a process of its own. */
export async function quipu(
  args: readonly string[],
  stdin = '',
  settings: Settings = {},
): Promise<Said> {
  return launchQuipu(args, stdin, settings).said;
}

/** The same for those who want to end it on its way. */
export function launchQuipu(
  args: readonly string[],
  stdin = '',
  settings: Settings = {},
): Readonly<{ child: ChildProcess; said: Promise<Said> }> {
  const { PATH = '', HOME = '', TMPDIR } = process.env;
  const env = { PATH, HOME, ...(TMPDIR !== undefined && { TMPDIR }), ...settings };
  const child = spawn(process.execPath, [...NODE_FLAGS, CLI, ...args], { env, stdio: 'pipe' });
  const said = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said.stderr += text));
  child.stdin.on('error', () => undefined); // It may end without reading.
  child.stdin.end(stdin);
  const closed = once(child, 'close') as Promise<[number | null]>;
  const bare = () => ({ ...said, stderr: said.stderr.replaceAll(PROGRESS, '') });
  return { child, said: closed.then(([code]) => ({ code, ...bare() })) };
}

type Settings = Readonly<Record<string, string>>;

const PROGRESS =
  /^(?:Pages copied|Events (?:copied|verified|imported|folded|read)|Secrets (?:compared|moved|checked)|Search tokens moved|.+, (?:items compared|events folded)): \d+(?: of \d+, \d+ %)?, \d+\/s(?:, \d+ s to go)?\n/gm;
