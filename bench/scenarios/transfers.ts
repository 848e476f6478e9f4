import type { Bench } from '../bench.ts';
import { runLoad, type Measured } from '../harness/generator.ts';
import { openLedger, takeRun, type BenchLedger } from '../harness/ledger.ts';
import type { Server } from '../harness/product.ts';
import type { Distribution } from '../load/job.ts';
import { transfersOf } from '../load/transfers.ts';

/** Transfers as fast as they are answered, on a fresh folder: one run must not pay for another's history. */
export async function freshTransfers(bench: Bench, distribution: 'uniform' | 'hot'): Promise<void> {
  await bench.inFolder((folder) =>
    bench.withProduct(folder, async (server) => {
      const ledger = await openLedger(server, bench.options);
      const report = await load(bench, server, ledger, distribution);
      const findings = await ledger.audit.check(server, ledger.path);
      const rate = bench.keep(`transfer, ${distribution}`, report, findings);
      if (rate !== undefined) bench.figure(`${distribution}PerSecond`, rate);
    }),
  );
}

/** Sends transfers, of which the audit of the ledger then knows. */
export async function load(
  bench: Bench,
  server: Server,
  ledger: BenchLedger,
  distribution: Distribution,
  shape: Readonly<{ warmUpSeconds: number; seconds: number }> = bench.options,
): Promise<Measured> {
  const { warmUpSeconds, seconds } = shape;
  const { connections } = bench.options;
  const { path: ledgerPath, accounts } = ledger;
  const run = takeRun(ledger);
  const work = { kind: 'transfer', ledgerPath, accounts, distribution } as const;
  const report = await runLoad(server, { connections, warmUpSeconds, seconds, run, work });
  ledger.audit.acknowledge(run, report.wanted, transfersOf(run, work));
  return report;
}
