import type { Bench } from '../bench.ts';
import { runLoad, type Measured } from '../harness/generator.ts';
import { startBare, startReference, stopServer, type Server } from '../harness/product.ts';

/** What the generator itself can do, and what plain Express can: the two ends the product lies between. */
export async function ceiling(bench: Bench): Promise<void> {
  const rate = bench.keep('bare echo', await echoes(bench, await startBare()));
  if (rate !== undefined) bench.figure('ceilingPerSecond', rate);
}

/** Taken before and after the product's runs: a machine that changed meanwhile shows in the difference. */
export async function reference(bench: Bench): Promise<void> {
  const earlier = bench.value('referencePerSecond');
  const name = earlier === undefined ? 'Express echo' : 'Express echo, again';
  const rate = bench.keep(name, await echoes(bench, await startReference()));
  if (rate === undefined) return;
  if (earlier === undefined) {
    bench.figure('referencePerSecond', rate);
    return;
  }
  const apart = (100 * Math.abs(rate - earlier)) / Math.max(rate, earlier);
  const note = `mean of two runs, ${apart.toFixed(0)} % apart`;
  bench.figure('referencePerSecond', (rate + earlier) / 2, note);
}

async function echoes(bench: Bench, server: Server): Promise<Measured> {
  const { connections, warmUpSeconds, seconds, accounts } = bench.options;
  try {
    return await runLoad(server, {
      connections,
      warmUpSeconds,
      seconds,
      run: 1,
      work: { kind: 'echo', ledgerPath: LEDGER_PATH, accounts, distribution: 'zipf' },
    });
  } finally {
    await stopServer(server);
  }
}

const LEDGER_PATH =
  '/v1/organizations/0197f3a0-1111-7aaa-8bbb-000000000001' +
  '/ledgers/0197f3a0-1111-7aaa-8bbb-000000000002';
