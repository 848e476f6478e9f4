import type { Bench } from '../bench.ts';
import { runLoad } from '../harness/generator.ts';
import { takeRun, type BenchLedger } from '../harness/ledger.ts';
import type { Server } from '../harness/product.ts';
import type { Work } from '../load/job.ts';

/** Balances by alias, the first page of transactions, and pages as deep as the ledger goes. */
export async function reads(bench: Bench, server: Server, ledger: BenchLedger): Promise<void> {
  const { path: ledgerPath, accounts } = ledger;
  const balance = await read(bench, server, ledger, 'GET balance by alias', {
    kind: 'balance',
    ledgerPath,
    accounts,
  });
  if (balance !== undefined) bench.figure('balancePerSecond', balance);

  const page = await pagesAtDepth(bench, server, ledger);
  if (page !== undefined) bench.figure('pagePerSecond', page);
}

/** The first page beside the deepest one known. Returns the rate of the first. */
export async function pagesAtDepth(
  bench: Bench,
  server: Server,
  ledger: BenchLedger,
): Promise<number | undefined> {
  const first = `${ledger.path}/transactions?limit=100`;
  const page = await read(bench, server, ledger, 'GET page of 100', pages([first]));
  const deepest = ledger.audit.depths.at(-1);
  if (deepest === undefined) return page;

  const deep = `${first}&cursor=${encodeURIComponent(deepest.cursor)}`;
  const name = `GET page of 100 at depth ${deepest.depth}`;
  const atDepth = await read(bench, server, ledger, name, pages([deep]));
  if (page !== undefined && atDepth !== undefined) {
    bench.figure('depthOverFirst', page / atDepth, `at depth ${deepest.depth}`);
  }
  return page;
}

const pages = (paths: readonly string[]): Work => ({ kind: 'page', paths, items: 100 });

async function read(
  bench: Bench,
  server: Server,
  ledger: BenchLedger,
  name: string,
  work: Work,
): Promise<number | undefined> {
  const { connections, warmUpSeconds, seconds } = bench.options;
  const run = takeRun(ledger);
  const report = await runLoad(server, { connections, warmUpSeconds, seconds, run, work });
  return bench.keep(name, report);
}
