import type { Bench } from '../bench.ts';
import { runLoad } from '../harness/generator.ts';
import { openEmptyLedger, takeRun } from '../harness/ledger.ts';
import type { Server } from '../harness/product.ts';

/** Creates holders and accounts in turns, each turn in an organization of its own, in one process. */
export async function holders(bench: Bench): Promise<void> {
  await bench.inFolder((folder) =>
    bench.withProduct(folder, async (server) => {
      const rates = { account: [] as number[], holder: [] as number[] };
      for (const [turn, entity] of TURNS.entries()) {
        const rate = await creations(bench, server, entity, turn);
        if (rate !== undefined) rates[entity].push(rate);
      }
      if (rates.account.length + rates.holder.length < TURNS.length) return;
      const [accounts, made] = [sum(rates.account), sum(rates.holder)];
      const note = `${(made / rates.holder.length).toFixed(0)} holders/s`;
      bench.figure('holderOverAccount', accounts / made, note);
    }),
  );
}

async function creations(
  bench: Bench,
  server: Server,
  entity: 'account' | 'holder',
  turn: number,
): Promise<number | undefined> {
  const { connections, warmUpSeconds, seconds } = bench.options;
  const ledger = await openEmptyLedger(server, 0);
  const work =
    entity === 'account'
      ? ({ kind: 'open-accounts', ledgerPath: ledger.path } as const)
      : ({ kind: 'create-holders', organizationPath: organizationOf(ledger.path) } as const);
  const run = takeRun(ledger);
  const report = await runLoad(server, { connections, warmUpSeconds, seconds, run, work });
  return bench.keep(`${entity} created, ${turn + 1}`, report);
}

const organizationOf = (ledgerPath: string): string => ledgerPath.replace(/\/ledgers\/.*/, '');

const sum = (all: readonly number[]): number => all.reduce((total, one) => total + one, 0);

const TURNS = ['account', 'holder', 'holder', 'account'] as const;
