import { Bench } from './bench.ts';
import { cleanUpAtTheEnd } from './harness/children.ts';
import { openLedger, type BenchLedger } from './harness/ledger.ts';
import { diskBytes } from './harness/disk.ts';
import { describeMachine } from './harness/machine.ts';
import { memoryOf } from './harness/memory.ts';
import type { Server } from './harness/product.ts';
import { readOptions, USAGE, type Options, type Scenario } from './options.ts';
import { tableOf } from './report/table.ts';
import { writeResults } from './report/write.ts';
import { access } from './scenarios/access.ts';
import { batches } from './scenarios/batches.ts';
import { distributed } from './scenarios/distributed.ts';
import { fees } from './scenarios/fees.ts';
import { growth } from './scenarios/growth.ts';
import { halfLoad } from './scenarios/half-load.ts';
import { holders } from './scenarios/holders.ts';
import { accountMemory } from './scenarios/memory.ts';
import { postgres } from './scenarios/postgres.ts';
import { reads } from './scenarios/reads.ts';
import { againstReferences, ceiling } from './scenarios/references.ts';
import { restarts, startEmpty } from './scenarios/starts.ts';
import { streaming } from './scenarios/streaming.ts';
import { freshTransfers } from './scenarios/transfers.ts';

cleanUpAtTheEnd();
const bench = new Bench(optionsOrUsage());
const date = new Date().toISOString().slice(0, 16).replace('T', '-').replace(':', '');
const machine = describeMachine(bench.options.folder);

await play();
derive();
const table = tableOf(bench, machine, date);
process.stdout.write(table);
process.stderr.write(`Written to ${writeResults(bench, machine, date, table)}.{md,json}\n`);
process.exit(bench.failed.length > 0 ? 1 : 0);

async function play(): Promise<void> {
  await scenario(['ceiling'], () => ceiling(bench));
  await scenario(['start', 'restart', 'growth'], () => startEmpty(bench));
  await scenario(['uniform'], () => freshTransfers(bench, 'uniform'));
  await scenario(['hot'], () => freshTransfers(bench, 'hot'));
  await scenario(['zipf', 'half-load', 'reads', 'restart'], aLedgersLife);
  await scenario(['batch'], () => batches(bench));
  await scenario(['postgres'], () => postgres(bench));
  await scenario(['memory'], () => accountMemory(bench));
  await scenario(['fees'], () => fees(bench));
  await scenario(['holders'], () => holders(bench));
  await scenario(['access'], () => access(bench));
  await scenario(['growth'], () => growth(bench));
  await scenario(['distributed'], () => distributed(bench));
  await scenario(['streaming'], () => streaming(bench));
}

/** What one scenario cannot do is a finding; the others are still worth their figures. */
async function scenario(names: readonly Scenario[], work: () => Promise<void>): Promise<void> {
  if (!bench.wants(...names)) return;
  try {
    await work();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    bench.failed.push(`${names.join(', ')}: ${why}`);
    bench.say(`${names.join(', ')} FAILED: ${why}`);
  }
}

/** One ledger is filled by transfers, then read, then started again with what it holds. */
async function aLedgersLife(): Promise<void> {
  await bench.inFolder(async (folder) => {
    const life = async (server: Server): Promise<BenchLedger> => {
      const opened = await openLedger(server, bench.options);
      const rate = await againstReferences(bench, server, opened, folder);
      bench.figure('loadedRssMb', (await memoryOf(server)).peakRss / 1e6);
      if (bench.wants('half-load') && rate !== undefined)
        await halfLoad(bench, server, opened, rate);
      if (bench.wants('reads')) await reads(bench, server, opened);
      return opened;
    };
    const ledger = await bench.withProduct(folder, life);
    const { transactions } = ledger.audit;
    bench.figure('diskBytes', diskBytes(folder) / transactions, `${transactions} transactions`);
    if (bench.wants('restart')) await restarts(bench, folder, ledger);
  });
}

function derive(): void {
  const [zipf, plain] = [bench.value('zipfPerSecond'), bench.value('plainPerSecond')];
  if (zipf !== undefined && plain !== undefined) bench.figure('zipfOverPlain', zipf / plain);
  const tuned = bench.value('tunedPerSecond');
  if (zipf !== undefined && tuned !== undefined) bench.figure('zipfOverTuned', zipf / tuned);
  const [floor, pgledger] = [bench.value('floorPerSecond'), bench.value('pgledgerPerSecond')];
  if (zipf !== undefined && floor !== undefined) bench.figure('zipfOverFloor', zipf / floor);
  if (zipf !== undefined && pgledger !== undefined)
    bench.figure('zipfOverPgledger', zipf / pgledger);
  const [hot, uniform] = [bench.value('hotPerSecond'), bench.value('uniformPerSecond')];
  if (hot !== undefined && uniform !== undefined) bench.figure('hotOverUniform', hot / uniform);
}

function optionsOrUsage(): Options {
  try {
    return readOptions(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : ''}\n${USAGE}\n`);
    process.exit(64);
  }
}
