import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';

/** The shells that the README promises to work in. */
export const SHELLS = ['bash', 'zsh'] as const;
export type Shell = (typeof SHELLS)[number];

/** An interactive shell on a pseudo terminal, without anybody's own configuration. */
export type Terminal = Readonly<{
  /** Pastes a block, as a terminal does, and presses Enter. */
  paste: (block: string) => Promise<void>;
  /** Resolves to what the block printed when all of it has ended. Errors: a command of it failed. */
  done: () => Promise<string>;
  /** Resolves when the block has asked for Ctrl-C. Errors: it ended before that. */
  asksForCtrlC: () => Promise<void>;
  /** Whether a block is still running. */
  isBusy: () => boolean;
  /** Presses Ctrl-C. */
  interrupt: () => void;
  /** Everything on the screen so far. */
  all: () => string;
  close: () => void;
}>;

/** What this machine lacks to run a shell on a pseudo terminal; undefined when it lacks nothing. */
export function lacking(shell: Shell): string | undefined {
  return [shell, 'script'].find((program) => {
    try {
      execFileSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' });
      return process.platform !== 'linux'; // Elsewhere script(1) takes other options.
    } catch {
      return true;
    }
  });
}

export function openTerminal(
  shell: Shell,
  { cwd, env }: Readonly<{ cwd: string; env: Record<string, string> }>,
): Terminal {
  const child = spawn('script', ['-qfec', COMMANDS[shell], '/dev/null'], {
    cwd,
    env: { ...env, TERM: 'xterm', HISTFILE: '' },
    detached: true,
    stdio: 'pipe',
  });
  terminals.add(child);
  child.once('close', () => terminals.delete(child));
  let screen = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (screen += text));
  }
  let started = false;
  let busy = false;
  let from = 0;

  const shows = async (what: string | RegExp): Promise<number> => {
    for (const deadlineMs = performance.now() + DEADLINE_MS; performance.now() < deadlineMs;) {
      const at = screen.slice(from).search(what);
      if (at >= 0) return from + at;
      if (!terminals.has(child)) throw new Error(`The shell has ended:\n${shown(screen)}`);
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
    throw new Error(`The shell does not get ready:\n${shown(screen)}`);
  };
  /** The shell reads a new line, and takes what is pasted as one. */
  const readsLine = async (): Promise<void> => {
    from = (await shows(PASTE_ON)) + PASTE_ON_LENGTH;
  };
  const start = async (): Promise<void> => {
    started = true;
    await readsLine();
    child.stdin.write(`${PREPARE[shell]}\n`);
    from = await shows(READY);
    await readsLine();
  };
  const done = async (): Promise<string> => {
    const end = await shows(READY);
    const output = screen.slice(from, end);
    const [, status = ''] = READY.exec(screen.slice(end)) ?? [];
    from = end;
    await readsLine();
    busy = false;
    const problem = status !== '0' || FAILED.test(output);
    if (problem) throw new Error(`A command failed, the last with ${status}:\n${shown(output)}`);
    return shown(output);
  };
  const isBusy = (): boolean =>
    busy && terminals.has(child) && screen.slice(from).search(READY) < 0;

  return {
    async paste(block) {
      if (!started) await start();
      child.stdin.write(`\u001b[200~${block.trimEnd()}\u001b[201~\r`);
      busy = true;
      from = (await shows(PASTE_OFF)) + PASTE_OFF_LENGTH; // Behind the shell's own echo.
    },
    done,
    async asksForCtrlC() {
      await shows(/Ctrl-C|@ready@ \d/);
      if (!isBusy()) throw new Error(`It has ended:\n${await done()}`);
    },
    isBusy,
    interrupt: () => {
      child.stdin.write('\u0003');
    },
    all: () => shown(screen),
    close: () => {
      end(child);
    },
  };
}

const COMMANDS: Readonly<Record<Shell, string>> = {
  bash: 'bash --norc --noprofile -i',
  zsh: 'zsh -f -i',
};

/**
 * Before each prompt the shell prints the status of what ran, and at once whatever command of a block fails. The
 * quotation marks keep its echo of these lines from looking like their output.
 */
const PREPARE: Readonly<Record<Shell, string>> = {
  bash: `stty cols 200; set -E -o pipefail; trap 'echo "@failed""@"' ERR; PROMPT_COMMAND='echo "@ready""@ $?"'`,
  zsh: `stty cols 200; unsetopt prompt_sp; set -o pipefail; trap 'echo "@failed""@"' ERR; precmd() { echo "@ready""@ $?" }`,
};
const READY = /@ready@ (\d+)/;
/** A command that ended with another status than 0, or a line that the shell itself refused. */
const FAILED = /@failed@|^(?:bash|zsh): /m;

/** Bracketed paste: the shell switches it on when it reads a line, and off when it runs one. */
const PASTE_ON = /\u001b\[\?2004h/; // eslint-disable-line no-control-regex -- a terminal's own sequences
const PASTE_OFF = /\u001b\[\?2004l/; // eslint-disable-line no-control-regex
const PASTE_ON_LENGTH = 8;
const PASTE_OFF_LENGTH = 8;

const shown = (screen: string): string => stripVTControlCharacters(screen).replaceAll('\r', '');

const DEADLINE_MS = 480_000; // Installing takes most of it.
const LOOK_MS = 20;

const terminals = new Set<ChildProcess>();

/** Ends a terminal with everything that runs in it: the system hangs up on what has lost its terminal. */
function end({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It ended by itself.
  }
}

/* Nothing outlives the test, however it ends. */
process.once('exit', () => {
  for (const child of terminals) end(child);
});
