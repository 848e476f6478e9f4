import type { Bench } from '../bench.ts';
import { runLoad } from '../harness/generator.ts';
import { openIssuer } from '../harness/issuer.ts';
import { openLedger, takeRun } from '../harness/ledger.ts';
import { transfersOf } from '../load/transfers.ts';

/** The cost of access management: the same transfers with a token that is checked, and without, in turns. */
export async function access(bench: Bench): Promise<void> {
  const issuer = await openIssuer();
  const rates = { off: [] as number[], on: [] as number[] };
  try {
    await bench.inFolder(async (folder) => {
      const launch = bench.launch(folder);
      const ledger = await bench.withProduct(folder, (server) => openLedger(server, bench.options));
      const { path: ledgerPath, accounts } = ledger;
      for (const [turn, side] of TURNS.entries()) {
        const { connections, warmUpSeconds, seconds } = bench.options;
        const run = takeRun(ledger);
        const token = side === 'on' ? issuer.token : undefined;
        const transfers = {
          kind: 'transfer',
          ledgerPath,
          accounts,
          distribution: 'uniform',
        } as const;
        const work = { ...transfers, ...(token !== undefined && { token }) };
        const env = side === 'on' ? issuer.settings : {};
        const report = await bench.withProducts([{ ...launch, env }], ([server]) =>
          runLoad(server, { connections, warmUpSeconds, seconds, run, work }),
        );
        ledger.audit.acknowledge(run, report.wanted, transfersOf(run, work));
        const findings = await bench.withProduct(folder, (server) =>
          ledger.audit.check(server, ledgerPath),
        );
        const rate = bench.keep(
          `transfer, access management ${side}, ${turn + 1}`,
          report,
          findings,
        );
        if (rate !== undefined) rates[side].push(rate);
      }
    });
  } finally {
    issuer.close();
  }
  if (rates.off.length + rates.on.length < TURNS.length) return;
  bench.figure('accessOverNone', sum(rates.on) / sum(rates.off), TURNS.join(', '));
}

const sum = (all: readonly number[]): number => all.reduce((total, one) => total + one, 0);

const TURNS = ['off', 'on', 'on', 'off'] as const;
