import type { Bench } from '../bench.ts';
import { runLoad } from '../harness/generator.ts';
import { probeLag } from '../harness/lag-probe.ts';
import { takeRun, type BenchLedger } from '../harness/ledger.ts';
import type { Server } from '../harness/product.ts';
import { transfersOf } from '../load/transfers.ts';
import type { FigureId } from '../report/figures.ts';

/** Which figures it is for. */
export type HalfLoad = Readonly<Record<'p99' | 'lagP99' | 'ownWrite', FigureId>>;

/** An open loop at half of what was measured: what a client feels when the server is not pushed. */
export async function halfLoad(
  bench: Bench,
  server: Server,
  ledger: BenchLedger,
  fullRate: number,
  figures: HalfLoad = EMBEDDED,
): Promise<void> {
  const { connections, warmUpSeconds, seconds } = bench.options;
  const { path: ledgerPath, accounts } = ledger;
  const rate = Math.round(fullRate / 2);
  const run = takeRun(ledger);
  const probe = probeLag(server, ledger, warmUpSeconds);
  const work = { kind: 'transfer', ledgerPath, accounts, distribution: 'zipf' } as const;
  const report = await runLoad(server, { connections, warmUpSeconds, seconds, rate, run, work });
  const { lag, ownWrite } = await probe.end();
  ledger.audit.acknowledge(run, report.wanted, transfersOf(run, work));
  const findings = await ledger.audit.check(server, ledgerPath);
  if (bench.keep(`transfer, zipf, paced at ${rate}/s`, report, findings) === undefined) return;
  bench.figure(figures.p99, report.latencyMs.p99, `at ${rate}/s, from the moment of being due`);
  bench.figure(figures.lagP99, lag.p99, 'age of the oldest write not shown, by /readyz');
  bench.figure(
    figures.ownWrite,
    ownWrite.p50,
    `one a second, median; the longest ${ownWrite.max} ms`,
  );
}

const EMBEDDED: HalfLoad = {
  p99: 'halfLoadP99Ms',
  lagP99: 'halfLoadLagP99Ms',
  ownWrite: 'ownWriteMs',
};
