import type { Findings } from './harness/audit.ts';
import type { Measured } from './harness/generator.ts';
import { removeFolder, temporaryFolder } from './harness/children.ts';
import { startProduct, stopServer, type Launch, type Server } from './harness/product.ts';
import type { FigureId } from './report/figures.ts';
import type { Options, Scenario } from './options.ts';

export type Run = Readonly<{
  name: string;
  report: Measured;
  findings?: Findings;
  /** Why its throughput does not count; empty when it does. */
  voidedBy: readonly string[];
}>;

export type Figure = Readonly<{ value: number; note?: string }>;

/** One run of the bench: what was asked, and what has been found so far. */
export class Bench {
  readonly figures = new Map<FigureId, Figure>();
  readonly runs: Run[] = [];
  readonly remarks: string[] = [];
  /** Checks that failed, whatever they were part of. */
  readonly failed: string[] = [];
  readonly options: Options;

  constructor(options: Options) {
    this.options = options;
  }

  wants(...scenarios: readonly Scenario[]): boolean {
    return scenarios.some((scenario) => this.options.only.has(scenario));
  }

  figure(id: FigureId, value: number, note?: string): void {
    this.figures.set(id, note === undefined ? { value } : { value, note });
  }

  value(id: FigureId): number | undefined {
    return this.figures.get(id)?.value;
  }

  remark(text: string): void {
    this.remarks.push(text);
    this.say(text);
  }

  /** Progress, on stderr: stdout is for the table. */
  say(text: string): void {
    process.stderr.write(`  ${text}\n`);
  }

  /** Keeps a run. Returns its rate; undefined if a check failed or others took too much, so that the rate is void. */
  keep(name: string, report: Measured, findings?: Findings): number | undefined {
    const wrong = [
      ...report.faults.samples,
      ...(report.unanswered > 0 ? [`${report.unanswered} requests got no response`] : []),
      ...(findings?.wrong ?? []),
    ];
    for (const why of wrong) this.failed.push(`${name}: ${why}`);
    const others = 100 * report.others;
    const isDisturbed = others > this.options.othersMaxPercent;
    const voidedBy = isDisturbed ? [...wrong, `others took ${others.toFixed(0)} %`] : wrong;
    this.runs.push({ name, report, voidedBy, ...(findings === undefined ? {} : { findings }) });
    this.say(summary(name, report, findings, voidedBy));
    return voidedBy.length === 0 ? report.perSecond : undefined;
  }

  /** What a check of the books found, outside of any run. */
  booksAfter(what: string, { wrong, transactions }: Findings): void {
    for (const why of wrong) this.failed.push(`after ${what}: ${why}`);
    const found = wrong.length === 0 ? 'are right' : `are WRONG: ${wrong.join('; ')}`;
    this.remark(`The books after ${what}, ${transactions} transactions, ${found}.`);
  }

  /** Gives a data folder to some work and removes it whatever happens. */
  async inFolder(work: (folder: string) => Promise<void>): Promise<void> {
    const folder = temporaryFolder(this.options.folder);
    try {
      await work(folder);
    } finally {
      removeFolder(folder);
    }
  }

  launch(dataDir: string, flags: readonly string[] = []): Launch {
    const { main, profile } = this.options;
    const profiling = profile === '' ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`];
    return { main, dataDir, nodeFlags: [...profiling, ...flags] };
  }

  async withProduct<Result>(
    folder: string,
    work: (server: Server) => Promise<Result>,
    flags: readonly string[] = [],
  ): Promise<Result> {
    return this.withProducts([this.launch(folder, flags)], ([server]) => work(server));
  }

  /** Several processes of the product, started one after the other. */
  async withProducts<Result>(
    launches: readonly [Launch, ...Launch[]],
    work: (servers: readonly [Server, ...Server[]]) => Promise<Result>,
  ): Promise<Result> {
    const servers: Server[] = [];
    try {
      for (const launch of launches) servers.push(await startProduct(launch));
      return await work(servers as [Server, ...Server[]]);
    } catch (error) {
      for (const { output } of servers) this.say(`the server's last words:\n${output()}`);
      throw error;
    } finally {
      for (const server of servers.reverse()) {
        await stopServer(server);
        for (const line of server.complaints())
          this.remark(`The server said: ${line.slice(0, 300)}`);
      }
    }
  }
}

function summary(
  name: string,
  report: Measured,
  findings: Findings | undefined,
  voidedBy: readonly string[],
): string {
  const { perSecond, latencyMs, serverMicros, threadMicros, generatorMicros, repeats } = report;
  const parts = [
    `${name}: ${perSecond.toFixed(0)}/s`,
    `p50 ${latencyMs.p50} p99 ${latencyMs.p99} max ${latencyMs.max} ms`,
    `server ${serverMicros.toFixed(0)} µs (${threadsIn(threadMicros)})`,
    `generator ${generatorMicros.toFixed(1)} µs a request`,
  ];
  if (repeats > 0) parts.push(`${repeats} told to come later`);
  if (findings !== undefined) {
    parts.push(
      `drained in ${findings.drainMs} ms`,
      `${findings.transactions} transactions audited`,
    );
  }
  if (voidedBy.length > 0) parts.push(`VOID: ${voidedBy.join('; ')}`);
  return parts.join(', ');
}

const threadsIn = (micros: Measured['threadMicros']): string =>
  Object.entries(micros)
    .filter(([, spent]) => spent >= 0.5)
    .map(([name, spent]) => `${name} ${spent.toFixed(0)}`)
    .join(', ');
