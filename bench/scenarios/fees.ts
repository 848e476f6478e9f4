import type { Bench } from '../bench.ts';
import { runLoad } from '../harness/generator.ts';
import { create, openLedger, takeRun, type BenchLedger } from '../harness/ledger.ts';
import type { Server } from '../harness/product.ts';
import { FEE_ALIAS, FEE_PERCENTAGE, transfersOf } from '../load/transfers.ts';

/**
 * The cost of fees: transfers in a ledger with a package that applies to all of them, and in one of an organization
 * without packages. Both are in one process and take turns.
 */
export async function fees(bench: Bench): Promise<void> {
  await bench.inFolder((folder) =>
    bench.withProduct(folder, async (server) => {
      const none = await openLedger(server, bench.options);
      const charged = await openLedger(server, bench.options);
      await openPackage(server, charged);
      const rates = { off: [] as number[], on: [] as number[] };
      for (const [turn, side] of TURNS.entries()) {
        const rate = await transfers(bench, server, side === 'on' ? charged : none, side, turn);
        if (rate !== undefined) rates[side].push(rate);
      }
      if (rates.off.length + rates.on.length < TURNS.length) return;
      bench.figure('feesOverNone', sum(rates.on) / sum(rates.off), TURNS.join(', '));
    }),
  );
}

async function openPackage(server: Server, { path }: BenchLedger): Promise<void> {
  await create(server, `${path}/accounts`, { assetCode: 'BRL', type: 'revenue', alias: FEE_ALIAS });
  await create(server, `${path.replace('/v1/', '/v2/')}/packages`, PACKAGE);
}

async function transfers(
  bench: Bench,
  server: Server,
  ledger: BenchLedger,
  side: 'off' | 'on',
  turn: number,
): Promise<number | undefined> {
  const { connections, warmUpSeconds, seconds } = bench.options;
  const { path: ledgerPath, accounts } = ledger;
  const kind = side === 'on' ? 'charged-transfer' : 'transfer';
  const run = takeRun(ledger);
  const work = { kind, ledgerPath, accounts, distribution: 'uniform' } as const;
  const report = await runLoad(server, { connections, warmUpSeconds, seconds, run, work });
  const expected = side === 'off' ? transfersOf(run, work) : undefined;
  ledger.audit.acknowledge(run, report.wanted, expected);
  const findings = await ledger.audit.check(server, ledgerPath);
  return bench.keep(`transfer, fees ${side}, ${turn + 1}`, report, findings);
}

const sum = (all: readonly number[]): number => all.reduce((total, one) => total + one, 0);

const TURNS = ['off', 'on', 'on', 'off'] as const;

const PACKAGE = {
  feeGroupLabel: 'Bench',
  minimumAmount: '0',
  maximumAmount: '1000000',
  enable: true,
  fees: {
    transfer: {
      feeLabel: 'Transfer',
      calculationModel: {
        applicationRule: 'percentual',
        calculations: [{ type: 'percentage', value: FEE_PERCENTAGE }],
      },
      referenceAmount: 'originalAmount',
      priority: 1,
      isDeductibleFrom: false,
      creditAccount: FEE_ALIAS,
    },
  },
};
