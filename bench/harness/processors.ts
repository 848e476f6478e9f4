import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Seconds of processor time by who spent them: threads of Node by their names, engines as a whole. */
export type Spent = ReadonlyMap<string, number>;

type Watched = Readonly<{ name: string; pid: number }>;

/** What the given processes and the engines found on this machine have spent since they began. */
export function spentSoFar(watched: readonly Watched[]): Spent {
  const spent = new Map<string, number>();
  const add = (name: string, seconds: number): void => {
    spent.set(name, (spent.get(name) ?? 0) + seconds);
  };
  for (const { name, pid } of watched) {
    for (const [thread, seconds] of threadSeconds(pid)) add(`${name} ${thread}`, seconds);
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

/** Processor time of this process, of all that it has started, living or not, and of the engines found on this machine. */
export function benchSeconds(): number {
  const started = numbersIn('/proc').filter((pid) => fieldsOf(`/proc/${pid}/stat`)[1] === OWN_PID);
  const engines = enginesHere().map(([, pid]) => String(pid));
  const beside = new Set([...started, ...engines]);
  return [...beside].reduce(
    (sum, pid) => sum + secondsIn(`/proc/${pid}/stat`),
    secondsIn(`/proc/${OWN_PID}/stat`, { withEnded: true }),
  );
}

/** Whoever runs them: a server that is shared is counted with what it does for others. */
function enginesHere(): readonly (readonly [string, number])[] {
  return numbersIn('/proc').flatMap((name) => {
    const engine = engineOf(name);
    return engine === undefined ? [] : [[engine, Number(name)] as const];
  });
}

const numbersIn = (folder: string): string[] =>
  readdirSync(folder).filter((name) => /^\d+$/.test(name));

function engineOf(pid: string): string | undefined {
  const program = lineOf(`/proc/${pid}/comm`);
  const runs = (what: string): boolean => lineOf(`/proc/${pid}/cmdline`).includes(what);
  if (program === 'java' && runs('kafka.Kafka')) return 'Kafka';
  if (program.startsWith('node') && runs('test/doubles/eventstore/'))
    return 'double of EventStoreDB';
  return ENGINES.get(program);
}

/** User and system time in a `stat` file, of the children that have ended as well if asked; 0 once the process is gone. */
function secondsIn(file: string, { withEnded = false } = {}): number {
  const [user = 0, system = 0, ...ended] = fieldsOf(file)
    .slice(11, withEnded ? 15 : 13)
    .map(Number);
  return ended.reduce((sum, ticks) => sum + ticks, user + system) / TICKS_PER_SECOND;
}

/** The fields of a `stat` file from the state on, which follows the name. */
function fieldsOf(file: string): string[] {
  const text = lineOf(file);
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
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
const OWN_PID = String(process.pid);
const TICKS_PER_SECOND = 100; // USER_HZ is 100 on every Linux that Node runs on.
