import type { Bench } from '../bench.ts';
import { runLoad } from '../harness/generator.ts';
import { ask } from '../harness/http.ts';
import { INSPECTABLE, inspectorOf, liveHeap, type LiveHeap } from '../harness/inspector.ts';
import { openLedger, takeRun, type BenchLedger } from '../harness/ledger.ts';
import { memoryOf } from '../harness/memory.ts';
import type { Server } from '../harness/product.ts';
import { transfersOf } from '../load/transfers.ts';
import { aliasOf, nameOf } from '../load/names.ts';
import { transferBody } from '../load/transfers.ts';
import { pagesAtDepth } from './reads.ts';
import { restarts } from './starts.ts';

/** Grows one ledger through the API, weighing the process on the way; then reads and starts it. */
export async function growth(bench: Bench): Promise<void> {
  const { growTo, growFrom, connections, manyAccounts } = bench.options;
  await bench.inFolder(async (folder) => {
    const ledger = await bench.withProduct(
      folder,
      async (server) => {
        const inspector = inspectorOf(server);
        const opened = await openLedger(server, { accounts: manyAccounts, connections });
        await grow(bench, server, opened, growFrom);
        const before = await weigh(bench, server, inspector, opened);
        const steps = Math.max(1, Math.ceil((growTo - growFrom) / STEP));
        let after = before;
        for (let n = 0; n < steps; n += 1) {
          await grow(bench, server, opened, Math.min(STEP, growTo - growFrom - n * STEP));
          after = await weigh(bench, server, inspector, opened);
        }
        flat(bench, before, after);
        await repeatTheOldest(bench, server, opened);
        await pagesAtDepth(bench, server, opened);
        return opened;
      },
      [INSPECTABLE],
    );
    await restarts(bench, folder, ledger);
  });
}

type Weight = Readonly<{ transactions: number; heap: LiveHeap; rss: number }>;

async function grow(
  bench: Bench,
  server: Server,
  ledger: BenchLedger,
  count: number,
): Promise<void> {
  const { path: ledgerPath, accounts } = ledger;
  const run = takeRun(ledger);
  const work = { kind: 'transfer', ledgerPath, accounts, distribution: 'uniform' } as const;
  const report = await runLoad(server, {
    connections: bench.options.connections,
    warmUpSeconds: 0,
    count,
    run,
    work,
  });
  ledger.audit.acknowledge(run, report.wanted, transfersOf(run, work));
  const findings = await ledger.audit.check(server, ledgerPath);
  bench.keep(`growth by ${count}`, report, findings);
}

async function weigh(
  bench: Bench,
  server: Server,
  inspector: string,
  { audit }: BenchLedger,
): Promise<Weight> {
  const { rss, peakRss } = await memoryOf(server);
  const heap = await liveHeap(server, inspector);
  const { transactions } = audit;
  const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1);
  bench.remark(
    `At ${transactions} transactions: live heap ${megabytes(heap.used)} MB, ` +
      `buffers ${megabytes(heap.buffers)} MB, rss ${megabytes(rss)} MB, peak ${megabytes(peakRss)} MB.`,
  );
  return { transactions, heap, rss };
}

function flat(bench: Bench, before: Weight, after: Weight): void {
  const size = ({ heap }: Weight): number => heap.used + heap.buffers;
  const more = after.transactions - before.transactions;
  const note = `from ${before.transactions} to ${after.transactions} transactions`;
  bench.figure('grownBytes', (size(after) - size(before)) / Math.max(1, more), note);
  bench.figure('grownHeapRatio', size(after) / size(before), note);
}

/** The first funding of all, sent again with its key: the index must still find it. */
async function repeatTheOldest(bench: Bench, server: Server, ledger: BenchLedger): Promise<void> {
  const name = nameOf(FUNDING_RUN, 0);
  const target = aliasOf(0);
  const oldest = { name, source: '@external/BRL', target, amount: '1000000000' };
  const answer = await ask(server.port, {
    method: 'POST',
    path: `${ledger.path}/transactions/json`,
    headers: { 'X-Idempotency': name },
    body: transferBody(oldest),
  });
  const replayed = answer.status === 201 && answer.headers['x-idempotency-replayed'] === 'true';
  if (replayed) bench.remark('The oldest transaction, repeated with its key, was a replay.');
  else bench.failed.push(`oldest transaction, repeated: ${answer.status} ${answer.text}`);
}

const STEP = 500_000;
/** Accounts are opened by the first run of a ledger and funded by the second. */
const FUNDING_RUN = 2;
