import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench } from '../bench.ts';
import { describeEngines, openEngines, type Wanted } from '../harness/engines.ts';
import { runLoad, type Measured } from '../harness/generator.ts';
import { askUntil } from '../harness/http.ts';
import { openLedger, takeRun, type BenchLedger } from '../harness/ledger.ts';
import { metricByLabel } from '../harness/memory.ts';
import { spentBetween, spentSoFar } from '../harness/processors.ts';
import type { Server } from '../harness/product.ts';
import { transfersOf } from '../load/transfers.ts';
import type { FigureId } from '../report/figures.ts';
import { halfLoad } from './half-load.ts';

/**
 * The distributed profile beside the embedded one, one engine after the other: each stage is the one before it and
 * one thing more, under the same load, so that the difference is what that thing costs here.
 */
export async function distributed(bench: Bench): Promise<void> {
  bench.remark(`Distributed profile on: ${await describeEngines()}.`);
  const asked = STAGES.filter(({ name }) => bench.options.stages.includes(name.charAt(1)));
  for (const stage of asked) await play(bench, stage);
  const [beside, one, two] = [
    bench.value('besidePerSecond'),
    bench.value('distributedPerSecond'),
    bench.value('twoApisPerSecond'),
  ];
  if (beside !== undefined && one !== undefined)
    bench.figure('distributedOverBeside', one / beside);
  if (one !== undefined && two !== undefined) bench.figure('twoApisOverOne', two / one);
}

type Stage = Readonly<{
  name: string;
  figure: FigureId;
  on: Wanted;
  /** The roles of each process; the load goes to those that serve. */
  roles: readonly [string, ...string[]];
}>;

const STAGES: readonly Stage[] = [
  {
    name: '(a) embedded',
    figure: 'besidePerSecond',
    on: { log: false, reads: false, broker: false },
    roles: ['api,projector'],
  },
  {
    name: '(b) log on a server',
    figure: 'farLogPerSecond',
    on: { log: true, reads: false, broker: false },
    roles: ['api,projector'],
  },
  {
    name: '(c) log and reads on servers',
    figure: 'distributedPerSecond',
    on: { log: true, reads: true, broker: false },
    roles: ['api,projector'],
  },
  {
    name: '(d) and a relay',
    figure: 'relayedPerSecond',
    on: { log: true, reads: true, broker: true },
    roles: ['api,projector,relay'],
  },
  {
    name: '(d) and a relay, split',
    figure: 'splitPerSecond',
    on: { log: true, reads: true, broker: true },
    roles: ['api', 'projector,relay'],
  },
  {
    name: '(e) two processes',
    figure: 'twoApisPerSecond',
    on: { log: true, reads: true, broker: false },
    roles: ['api,projector', 'api,projector'],
  },
];

async function play(bench: Bench, stage: Stage): Promise<void> {
  await bench.inFolder(async (folder) => {
    const engines = await openEngines(folder, stage.on);
    const [first, ...more] = stage.roles.map((roles, n) => ({
      ...bench.launch(join(folder, `data-${n}`)),
      env: { ...engines.settings, ROLES: roles },
    }));
    if (first === undefined) return;
    try {
      await bench.withProducts([first, ...more], (servers) => measure(bench, stage, servers));
    } finally {
      await engines.remove();
    }
  });
}

async function measure(
  bench: Bench,
  { name, figure, on, roles }: Stage,
  servers: readonly [Server, ...Server[]],
): Promise<void> {
  const [first] = servers;
  const ledger = await openLedger(first, bench.options);
  const serving = servers.filter((_, n) => roles[n]?.includes('api'));
  const relaying = servers.filter((_, n) => roles[n]?.includes('relay'));

  const watched = servers.map(({ pid }, n) => ({
    name: servers.length > 1 ? `process ${n + 1}` : 'product',
    pid,
  }));
  const from = performance.now();
  const before = spentSoFar(watched);
  const reports = await Promise.all(
    serving.map((server) => transfers(bench, server, ledger, serving.length)),
  );
  const spent = spentBetween(before, spentSoFar(watched));
  const seconds = (performance.now() - from) / 1000;

  const [drainMs, [relayMs, unpublished]] = await Promise.all([
    shown(serving, ledger),
    published(relaying, ledger),
  ]);
  const findings = { ...(await ledger.audit.check(first, ledger.path)), drainMs };
  const wrong = [...findings.wrong, ...unpublished];

  const rates = reports.map((report, n) =>
    bench.keep(
      `${name}${reports.length > 1 ? `, process ${n + 1}` : ''}`,
      report,
      n === 0 ? { ...findings, wrong } : undefined,
    ),
  );
  const issued = reports.reduce((sum, report) => sum + report.issued, 0);
  const generated = reports.reduce((sum, one) => sum + one.generatorMicros * one.issued, 0) / 1e6;
  const costs = [...spent, ['load generator', generated] as const].map(
    ([who, cpu]) => `${who} ${percent(cpu / seconds)} (${((cpu * 1e6) / issued).toFixed(0)} µs)`,
  );
  bench.remark(`Processors, ${name}, of one core each (a transfer): ${costs.join(', ')}.`);
  if (rates.includes(undefined)) return;

  const accepted = sum(reports.map(({ perSecond }) => perSecond));
  const measured = sum(reports.map((report) => report.measured));
  const window = Math.max(...reports.map((report) => report.seconds));
  const sustained = measured / (window + drainMs / 1000);
  const later = sum(reports.map(({ repeats }) => repeats));
  const relayed = on.broker ? `, all published after ${relayMs} ms` : '';
  const note = `with ${drainMs} ms of drain; accepted ${accepted.toFixed(0)}/s, ${later} told to come later`;
  bench.figure(figure, sustained, note + relayed);
  if (reports.length > 1) {
    const share = Math.min(...reports.map((report) => report.measured)) / measured;
    const longest = Math.max(...reports.map(({ latencyMs }) => latencyMs.max));
    bench.figure('smallerShare', share, `the longest answer ${longest.toFixed(0)} ms`);
  }
  if (figure === 'distributedPerSecond') await halfLoad(bench, first, ledger, sustained, FAR);
}

async function transfers(
  bench: Bench,
  server: Server,
  ledger: BenchLedger,
  clients: number,
): Promise<Measured> {
  const { warmUpSeconds, seconds } = bench.options;
  const connections = Math.ceil(bench.options.connections / clients);
  const { path: ledgerPath, accounts } = ledger;
  const run = takeRun(ledger);
  const work = { kind: 'transfer', ledgerPath, accounts, distribution: 'zipf' } as const;
  const report = await runLoad(server, { connections, warmUpSeconds, seconds, run, work });
  ledger.audit.acknowledge(run, report.wanted, transfersOf(run, work));
  return report;
}

/** Milliseconds until every process has shown all that it acknowledged. */
async function shown(serving: readonly Server[], { path }: BenchLedger): Promise<number> {
  const from = performance.now();
  const asked = { method: 'GET', path: `${path}/transactions?limit=1` } as const;
  await Promise.all(serving.map(({ port }) => askUntil(port, 200, asked)));
  return Math.round(performance.now() - from);
}

/** Milliseconds until every transaction was published, and what is wrong with that; nothing where nobody relays. */
async function published(
  relaying: readonly Server[],
  { audit }: BenchLedger,
): Promise<readonly [number, readonly string[]]> {
  const from = performance.now();
  for (;;) {
    const counts = await Promise.all(
      relaying.map(({ port }) => metricByLabel(port, 'quipu_relay_published_total')),
    );
    const topics = counts.flatMap((count) => [...count]);
    const posted = sum(topics.filter(([name]) => name.endsWith(POSTED)).map(([, count]) => count));
    const tookMs = Math.round(performance.now() - from);
    if (relaying.length === 0 || posted >= audit.acknowledged) return [tookMs, []];
    if (tookMs > PUBLISHED_WITHIN_MS) {
      return [tookMs, [`${posted} of ${audit.acknowledged} were published`]];
    }
    await sleep(LOOK_MS);
  }
}

const sum = (all: readonly number[]): number => all.reduce((total, one) => total + one, 0);
const percent = (part: number): string => `${(100 * part).toFixed(0)} %`;

const FAR = {
  p99: 'farHalfLoadP99Ms',
  lagP99: 'farHalfLoadLagP99Ms',
  ownWrite: 'farOwnWriteMs',
} as const;
const POSTED = '.ledger_transaction.posted';
const LOOK_MS = 50;
const PUBLISHED_WITHIN_MS = 120_000;
