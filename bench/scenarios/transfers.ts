import type { Bench } from '../bench.ts';
import { runLoad, type Measured } from '../harness/generator.ts';
import { openLedger, takeRun, type BenchLedger } from '../harness/ledger.ts';
import type { Server } from '../harness/product.ts';
import type { Distribution } from '../load/job.ts';

/** Transfers as fast as they are answered, on a fresh folder: one run must not pay for another's history. */
export async function freshTransfers(bench: Bench, distribution: 'uniform' | 'hot'): Promise<void> {
  await bench.inFolder((folder) =>
    bench.withProduct(folder, async (server) => {
      const ledger = await openLedger(server, bench.options);
      const rate = await transfers(bench, server, ledger, distribution);
      if (rate !== undefined) bench.figure(`${distribution}PerSecond`, rate);
    }),
  );
}

/** Returns transfers per second, or undefined when a check failed. */
export async function transfers(
  bench: Bench,
  server: Server,
  ledger: BenchLedger,
  distribution: Distribution,
): Promise<number | undefined> {
  const report = await load(bench, server, ledger, distribution);
  const findings = await ledger.audit.check(server, ledger.path);
  const rate = bench.keep(`transfer, ${distribution}`, report, findings);
  if (rate !== undefined && distribution === 'zipf') {
    const seconds = report.seconds + findings.drainMs / 1000;
    bench.figure('zipfSustainedPerSecond', report.measured / seconds);
  }
  return rate;
}

async function load(
  bench: Bench,
  server: Server,
  ledger: BenchLedger,
  distribution: Distribution,
): Promise<Measured> {
  const { connections, warmUpSeconds, seconds } = bench.options;
  const { path: ledgerPath, accounts } = ledger;
  const run = takeRun(ledger);
  const work = { kind: 'transfer', ledgerPath, accounts, distribution } as const;
  const report = await runLoad(server, { connections, warmUpSeconds, seconds, run, work });
  ledger.audit.acknowledge(run, report.wanted);
  return report;
}
