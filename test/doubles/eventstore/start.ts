import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '#test/support/free-port.ts';
import { NODE_FLAGS } from '#test/support/programs.ts';
import type { Fault } from './control.ts';
import type { Switches } from './faults.ts';

/** A double as a process of its own, on 127.0.0.1. */
export type EventStoreDouble = Readonly<{
  url: string;
  pid: () => number;
  /** In force once it resolves. */
  fault(fault: Fault): Promise<void>;
  /** What is still to go wrong. */
  switches(): Promise<Switches>;
  /** As a power cut would end it. */
  kill(): Promise<void>;
  /** Starts it again over the same data, at the same address. */
  restart(): Promise<void>;
  /** Ends it; its data too, unless the folder was the caller's. */
  stop(): Promise<void>;
}>;

export async function startEventStoreDouble(dataDir?: string): Promise<EventStoreDouble> {
  const dir = dataDir ?? mkdtempSync(join(tmpdir(), 'quipu-double-'));
  if (dataDir === undefined) folders.add(dir);
  // Not any ports: it comes back to them, and whoever asks for it meanwhile must not be given them to ask from.
  const [port, controlPort] = [String(await freePort()), String(await freePort())];
  let running = await launch(dir, port, controlPort);
  const { url, control } = running;

  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const { child } = running;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill(signal);
    await gone;
  };
  return {
    url,
    pid: () => running.child.pid ?? -1,
    async fault(fault) {
      await fetch(control, { method: 'POST', body: JSON.stringify(fault) });
    },
    switches: async () => (await (await fetch(control)).json()) as Switches,
    kill: () => end('SIGKILL'),
    async restart() {
      await end('SIGTERM');
      running = await launch(dir, port, controlPort);
    },
    async stop() {
      await end('SIGTERM');
      if (folders.delete(dir)) rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** A double for all tests of the block it is called in. */
export function eventStoreDoubleOfBlock(): () => EventStoreDouble {
  let double: EventStoreDouble | undefined;
  before(async function () {
    this.timeout(START_MS);
    double = await startEventStoreDouble();
  });
  after(() => double?.stop());
  return () => {
    if (double === undefined) throw new Error('The double is started by a before hook');
    return double;
  };
}

type Running = Readonly<{ child: ChildProcess; url: string; control: string }>;

async function launch(dir: string, port: string, controlPort: string): Promise<Running> {
  const args = [...NODE_FLAGS, MAIN, '--data', dir, '--port', port, '--control-port', controlPort];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  children.add(child);
  child.once('exit', () => children.delete(child));
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const deadline = performance.now() + START_MS;
  for (;;) {
    const [, url, control] = /^ready (\S+) control (\S+)\n/.exec(output) ?? [];
    if (url !== undefined && control !== undefined) return { child, url, control };
    if (child.exitCode !== null || performance.now() > deadline) {
      child.kill('SIGKILL');
      throw new Error(`The double did not start: ${output}`);
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

/* Nothing outlives the tests, however they end. */
const children = new Set<ChildProcess>();
const folders = new Set<string>();
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL');
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const MAIN = join(import.meta.dirname, 'main.ts');
const START_MS = 60_000;
const LOOK_MS = 5;
