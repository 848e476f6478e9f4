import type { Bench } from '../bench.ts';
import { runLoad } from '../harness/generator.ts';
import { ask } from '../harness/http.ts';
import { openLedger, takeRun, type BenchLedger } from '../harness/ledger.ts';
import type { Server } from '../harness/product.ts';
import { transfersOf } from '../load/transfers.ts';

/** A burst of batches, and how long reads need afterwards: the projection may fall behind, but not for ever. */
export async function batches(bench: Bench): Promise<void> {
  await bench.inFolder((folder) =>
    bench.withProduct(folder, async (server) => {
      const ledger = await openLedger(server, bench.options);
      if (await isMissing(server, ledger)) {
        bench.remark('The product has no batches: their lines are left out.');
        return;
      }
      await burst(bench, server, ledger, false);
      await burst(bench, server, ledger, true);
    }),
  );
}

async function burst(
  bench: Bench,
  server: Server,
  ledger: BenchLedger,
  atomic: boolean,
): Promise<void> {
  const { connections, warmUpSeconds, seconds } = bench.options;
  const { path: ledgerPath, accounts } = ledger;
  const shape = { kind: 'batch', distribution: 'zipf', size: ITEMS, atomic } as const;
  const run = takeRun(ledger);
  const work = { ...shape, ledgerPath, accounts };
  const report = await runLoad(server, { connections, warmUpSeconds, seconds, run, work });
  ledger.audit.acknowledge(run, report.wanted, transfersOf(run, work));
  const findings = await ledger.audit.check(server, ledgerPath);

  const rate = bench.keep(
    `batches of ${ITEMS}, ${atomic ? 'atomic' : 'per item'}`,
    report,
    findings,
  );
  if (rate === undefined) return;
  const later = `${report.repeats} batches and ${report.busyItems} items told to come later`;
  const note = `drained in ${findings.drainMs} ms; ${later}`;
  bench.figure(atomic ? 'atomicBatchPerSecond' : 'batchPerSecond', rate, note);
  if (!atomic) bench.figure('batchDrainMs', findings.drainMs);
}

/** An empty batch is refused where there are batches, and changes nothing. */
async function isMissing(server: Server, { path }: BenchLedger): Promise<boolean> {
  const body = '{"transactions":[]}';
  const asked = { method: 'POST', path: `${path}/transactions/batch`, body } as const;
  const { status } = await ask(server.port, asked);
  return status === 404 || status === 405;
}

const ITEMS = 100;
