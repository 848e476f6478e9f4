import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Seconds of processor time by who spent them: threads of Node by their names, engines as a whole. */
export type Spent = ReadonlyMap<string, number>;

export type Watched = Readonly<{ name: string; pid: number; threads: boolean }>;

/** What the given processes and the engines found on this machine have spent since they began. */
export function spentSoFar(watched: readonly Watched[]): Spent {
  const spent = new Map<string, number>();
  const add = (name: string, seconds: number): void => {
    spent.set(name, (spent.get(name) ?? 0) + seconds);
  };
  for (const { name, pid, threads } of watched) {
    if (!threads) add(name, secondsIn(`/proc/${pid}/stat`));
    else for (const [thread, seconds] of threadSeconds(pid)) add(`${name} ${thread}`, seconds);
  }
  for (const [engine, pid] of enginesHere()) add(engine, secondsIn(`/proc/${pid}/stat`));
  return spent;
}

/** Who spent how much in between, the greatest first. */
export function spentBetween(before: Spent, after: Spent): readonly (readonly [string, number])[] {
  return [...after]
    .map(([name, seconds]) => [name, seconds - (before.get(name) ?? 0)] as const)
    .filter(([, seconds]) => seconds > 0)
    .sort(([, a], [, b]) => b - a);
}

/** Returns the processor time of the threads of a process since they began, by name; threads of one name are added. */
export function threadSeconds(pid: number): Spent {
  const spent = new Map<string, number>();
  const tasks = `/proc/${pid}/task`;
  for (const task of readdirSync(tasks)) {
    const comm = lineOf(join(tasks, task, 'comm'));
    const name = THREADS.get(comm) ?? comm;
    spent.set(name, (spent.get(name) ?? 0) + secondsIn(join(tasks, task, 'stat')));
  }
  return spent;
}

/** Whoever runs them: a server that is shared is counted with what it does for others. */
function enginesHere(): readonly (readonly [string, number])[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const engine = engineOf(name);
      return engine === undefined ? [] : [[engine, Number(name)] as const];
    });
}

function engineOf(pid: string): string | undefined {
  const program = lineOf(`/proc/${pid}/comm`);
  if (program === 'java' && lineOf(`/proc/${pid}/cmdline`).includes('kafka.Kafka')) return 'Kafka';
  return ENGINES.get(program);
}

/** User and system time in a `stat` file; nothing once the process is gone. */
function secondsIn(file: string): number {
  const text = lineOf(file);
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / TICKS_PER_SECOND;
}

function lineOf(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return ''; // It ended meanwhile.
  }
}

const ENGINES = new Map([
  ['ferretdb', 'FerretDB'],
  ['mongod', 'MongoDB'],
  ['postgres', 'PostgreSQL'],
  ['eventstored', 'EventStoreDB'],
]);
const THREADS = new Map([
  ['node-MainThread', 'main thread'],
  ['node', 'main thread'],
  ['node-V8Worker', 'collector and compiler'],
]);
const TICKS_PER_SECOND = 100; // USER_HZ is 100 on every Linux that Node runs on.
