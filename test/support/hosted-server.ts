import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { HostReport, HostRequest } from './host-process.ts';
import { withoutRequests } from './log-lines.ts';
import { NODE_FLAGS } from './programs.ts';
import { bareEnvironment, type Server } from './server.ts';
import { until } from './until.ts';

/** One server as a story sees it, whichever way it runs. */
export type Run = Readonly<{
  /** Undefined when it ended before it was ready. */
  port: number | undefined;
  /** What it wrote to stdout and stderr, requests left out. */
  output: () => string;
  /** Undefined while it runs; else its exit code, or the signal that ended it. */
  code: () => HostReport['code'];
  /** As SIGTERM does. Answers the exit code. */
  stop: () => Promise<HostReport['code']>;
}>;

/** A process that runs servers one after another; a new one takes its place when it dies or has run for long. */
export class Host {
  #child: ChildProcess | undefined;
  #runs = 0;
  readonly #runsMax: number;

  constructor(runsMax = 60) {
    this.#runsMax = runsMax;
  }

  /** Resolves when the server is ready or has ended. */
  async start(dataDir: string, readyMs = READY_MS): Promise<Run> {
    if (this.#runs >= this.#runsMax) this.close();
    const child = (this.#child ??= this.#fork());
    this.#runs += 1;
    const run = (number += 1);
    let output = '';
    let code: HostReport['code'];
    const state = { hasEnded: false };
    const end = (how: HostReport['code']): void => {
      code = how;
      state.hasEnded = true;
    };
    const write = (chunk: Buffer): void => void (output += chunk.toString());
    const errors = withoutRequests();
    const complain = (chunk: Buffer): void => void (output += errors(chunk.toString()));
    const hear = (report: HostReport): void => {
      if (report.run === run) end(report.code);
    };
    const die = (exit: number | null, signal: string | null): void => {
      end(exit ?? signal);
      if (this.#child === child) this.#child = undefined;
    };
    child.stdout?.on('data', write);
    child.stderr?.on('data', complain);
    child.on('message', hear);
    child.once('exit', die);
    child.send({ run, dataDir } satisfies HostRequest);

    const port = (): number | undefined => {
      const found = READY.exec(output)?.[1];
      return found === undefined ? undefined : Number(found);
    };
    const kill = (): void => {
      child.kill('SIGKILL');
      if (this.#child === child) this.#child = undefined;
    };
    await until(() => state.hasEnded || port() !== undefined, readyMs, `ready\n${output}`).catch(
      (error: unknown) => {
        kill();
        throw error;
      },
    );
    return {
      port: state.hasEnded ? undefined : port(),
      output: () => output,
      code: () => code,
      async stop() {
        if (!state.hasEnded) child.send({ stop: run } satisfies HostRequest);
        await until(() => state.hasEnded, STOP_MS, `stop\n${output}`).catch((error: unknown) => {
          kill();
          throw error;
        });
        await new Promise((resolve) => setTimeout(resolve, SAID_MS)); // Pipes are slower than messages.
        child.stdout?.off('data', write);
        child.stderr?.off('data', complain);
        child.off('message', hear);
        child.off('exit', die);
        return code;
      },
    };
  }

  close(): void {
    this.#child?.kill('SIGKILL');
    this.#child = undefined;
    this.#runs = 0;
  }

  #fork(): ChildProcess {
    const child = fork(HOST, [], {
      env: bareEnvironment(),
      execArgv: NODE_FLAGS,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    children.add(child);
    void once(child, 'exit').then(() => children.delete(child));
    return child;
  }
}

/** A server in a process of its own, seen the same way. */
export const asRun = (
  { port, child, output }: Pick<Server, 'port' | 'child' | 'output'>,
  isReady: boolean,
  stop: Run['stop'],
): Run => ({
  port: isReady ? port : undefined,
  output,
  code: () => child.exitCode ?? child.signalCode,
  stop,
});

let number = 0;
const children = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

const HOST = join(import.meta.dirname, 'host-process.ts');
const READY = /ready at http:\/\/[^\s,]+:(\d+)/;
const READY_MS = 60_000;
const SAID_MS = 20;
const STOP_MS = 15_000;
