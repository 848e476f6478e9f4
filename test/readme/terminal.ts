import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** A shell that runs one block, with everything it starts. */
export type Terminal = Readonly<{
  /** Standard output so far. */
  output: () => string;
  /** Output and errors, for whoever wonders. */
  all: () => string;
  /** Resolves to the exit code; null when a signal ended it. */
  ended: Promise<number | null>;
  hasEnded: () => boolean;
  /** Ctrl-C: the signal goes to all that runs there. */
  interrupt: () => void;
}>;

export function openTerminal(
  script: string,
  { cwd, env }: Readonly<{ cwd: string; env: Record<string, string> }>,
): Terminal {
  const shell = spawn('bash', ['-eu', '-o', 'pipefail', '-c', script], {
    cwd,
    env,
    detached: true, // A group of its own, as a terminal gives its shell.
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  shells.add(shell);
  let output = '';
  let all = '';
  shell.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
    all += chunk.toString();
  });
  shell.stderr.on('data', (chunk: Buffer) => (all += chunk.toString()));
  const ended = once(shell, 'close').then(([code]) => {
    shells.delete(shell);
    return code as number | null;
  });
  return {
    output: () => output,
    all: () => all,
    ended,
    hasEnded: () => !shells.has(shell),
    interrupt: () => {
      signal(shell, 'SIGINT');
    },
  };
}

const shells = new Set<ChildProcess>();

function signal({ pid }: ChildProcess, name: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, name);
  } catch {
    // It ended by itself.
  }
}

/* Nothing outlives the test, however it ends. */
process.once('exit', () => {
  for (const shell of shells) signal(shell, 'SIGKILL');
});
