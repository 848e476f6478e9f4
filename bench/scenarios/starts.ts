import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench } from '../bench.ts';
import { askUntil } from '../harness/http.ts';
import { openOrganization, takeRun, transferOnce, type BenchLedger } from '../harness/ledger.ts';
import { memoryOf } from '../harness/memory.ts';
import { forget, killServer, startProduct, stopServer, type Launch } from '../harness/product.ts';
import { aliasOf, nameOf } from '../load/names.ts';
import { transferBody } from '../load/transfers.ts';

/** From the start of the process on an empty folder to its first 201; then what it weighs, idle. */
export async function startEmpty(bench: Bench): Promise<void> {
  const took: number[] = [];
  for (let n = 0; n < bench.options.starts; n += 1) {
    await bench.inFolder(async (folder) => {
      const from = performance.now();
      await bench.withProduct(folder, async (server) => {
        await openOrganization(server);
        took.push(performance.now() - from);
        await sleep(SETTLE_MS);
        bench.figure('idleRssMb', (await memoryOf(server)).rss / 1e6, 'two seconds after a start');
      });
    });
  }
  const median = took.sort((a, b) => a - b)[took.length >>> 1] ?? NaN;
  bench.figure('startEmptyMs', median, `median of ${took.length}`);
}

/** Starts a stopped server on a folder with history, in four ways, each until a transfer is taken. */
export async function restarts(bench: Bench, folder: string, ledger: BenchLedger): Promise<void> {
  const launch = bench.launch(folder);
  const n = ledger.audit.transactions;
  const withSnapshot = await restart(launch, ledger, 'stop');
  bench.figure('startHistoryMs', withSnapshot.tookMs, `${n} transactions`);
  const afterKill = await restart(launch, ledger, 'kill');
  bench.figure('startAfterKillMs', afterKill.tookMs, `${n} transactions`);

  // Everything else in a start is in the start with a snapshot as well; what remains is the replay.
  if (forget(folder, 'snapshots') === 0) bench.remark('No snapshot was found: nothing to compare.');
  const replayed = await restart(launch, ledger, 'kill');
  forget(folder, 'read');
  const rebuilt = await restart(launch, ledger, 'stop');
  rates(bench, n + ledger.accounts, n, replayed.tookMs, rebuilt.readableMs);
  await bench.withProduct(folder, async (server) => {
    bench.booksAfter('all restarts', await ledger.audit.check(server, ledger.path));
  });
}

/** Rates from outside: what a start took longer than one on an empty folder. */
function rates(
  bench: Bench,
  events: number,
  transactions: number,
  replayedMs: number,
  rebuiltMs: number,
): void {
  const empty = bench.value('startEmptyMs') ?? 0;
  const replayMs = Math.round(replayedMs - empty);
  const rebuildMs = Math.round(rebuiltMs - empty);
  if (events < EVENTS_MIN || replayMs <= 0 || rebuildMs <= 0) {
    const what = `${events} events replayed in ${replayMs} ms and projected in ${rebuildMs} ms`;
    bench.remark(`${what} beyond an empty start: too few for a rate.`);
    return;
  }
  const replay = `${events} events in ${replayMs} ms: first 201 without snapshot, less an empty start`;
  bench.figure('replayPerSecond', (events * 1000) / replayMs, replay);
  const rebuild = `${transactions} in ${rebuildMs} ms, until a read shows a new write`;
  bench.figure('rebuildPerSecond', (transactions * 1000) / rebuildMs, rebuild);
}

type Restarted = Readonly<{ tookMs: number; readableMs: number }>;

async function restart(
  launch: Launch,
  ledger: BenchLedger,
  end: 'stop' | 'kill',
): Promise<Restarted> {
  const run = takeRun(ledger);
  const transfer = { source: aliasOf(0), target: aliasOf(1), amount: '1', name: nameOf(run, 0) };
  const from = performance.now();
  const server = await startProduct(launch);
  const token = await transferOnce(server, ledger.path, transferBody(transfer), transfer.name);
  ledger.audit.acknowledge(run, 1);
  const tookMs = performance.now() - from;

  const path = `${ledger.path}/accounts/alias/${transfer.target}/balances`;
  const asked = { method: 'GET', path, headers: { 'X-Consistency-Token': token } } as const;
  await askUntil(server.port, 200, asked, { everyMs: 20, limitMs: REBUILD_MS_MAX });
  const readableMs = performance.now() - from;
  await (end === 'stop' ? stopServer(server) : killServer(server));
  return { tookMs, readableMs };
}

const SETTLE_MS = 2000;
/** Below this the start of the process drowns what is to be measured. */
const EVENTS_MIN = 100_000;
const REBUILD_MS_MAX = 1_800_000;
