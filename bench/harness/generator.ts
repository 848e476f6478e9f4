import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { Job, Report } from '../load/job.ts';
import { machineSeconds, processorSeconds } from './memory.ts';
import { benchSeconds, spentBetween, threadSeconds } from './processors.ts';
import { start, stop } from './children.ts';
import type { Server } from './product.ts';

export type Measured = Report &
  Readonly<{
    /** Processor time of the server, all its threads together, for each transfer or other item of a request. */
    serverMicros: number;
    /** The processor time of the server by the name of its threads. */
    threadMicros: Readonly<Record<string, number>>;
    /** Processors that others than the bench and its engines kept busy meanwhile, as a part of all there are. */
    others: number;
  }>;

/** Runs the load generator as a process of its own, and accounts for the processors meanwhile. */
export async function runLoad(server: Server, job: Omit<Job, 'port'>): Promise<Measured> {
  const from = performance.now();
  const own = processorSeconds(server.pid);
  const threads = threadSeconds(server.pid);
  const foreign = machineSeconds() - benchSeconds();
  const report = await generate({ ...job, port: server.port });
  const spent = processorSeconds(server.pid) - own;
  const items = Math.max(1, report.wanted);
  const threadMicros = Object.fromEntries(
    spentBetween(threads, threadSeconds(server.pid)).map(([name, s]) => [name, (s * 1e6) / items]),
  );
  const others = machineSeconds() - benchSeconds() - foreign;
  const there = ((performance.now() - from) / 1000) * availableParallelism();
  return {
    ...report,
    serverMicros: (spent * 1e6) / items,
    threadMicros,
    others: Math.max(0, others) / there,
  };
}

async function generate(job: Job): Promise<Report> {
  const generator = start(LOAD, [JSON.stringify(job)], {});
  const { child, output } = generator;
  let text = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  const ended = Promise.withResolvers<number | null>();
  child.once('close', ended.resolve);
  const expected = job.warmUpSeconds + (job.seconds ?? (job.count ?? 0) / SLOWEST_PER_SECOND);
  const timer = setTimeout(
    () => void stop(generator, 'SIGKILL'),
    (expected + GRACE_SECONDS) * 1000,
  );
  const code = await ended.promise;
  clearTimeout(timer);
  if (code !== 0) throw new Error(`The load generator ended with ${String(code)}:\n${output()}`);
  return JSON.parse(text) as Report;
}

const LOAD = join(import.meta.dirname, '..', 'load.ts');
const GRACE_SECONDS = 180;
const SLOWEST_PER_SECOND = 500;
