import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench } from '../bench.ts';
import { INSPECTABLE, inspectorOf, liveHeap } from '../harness/inspector.ts';
import { openAccounts, openEmptyLedger, openLedger } from '../harness/ledger.ts';
import { memoryOf } from '../harness/memory.ts';

/** What one more account costs: live heap after a collection, before and after opening many. */
export async function accountMemory(bench: Bench): Promise<void> {
  const { manyAccounts, connections } = bench.options;
  await bench.inFolder((folder) =>
    bench.withProduct(
      folder,
      async (server) => {
        const inspector = inspectorOf(server);
        // Another ledger first: compiled code and pools are not the accounts' cost.
        await openLedger(server, { accounts: WARM_UP_ACCOUNTS, connections });
        const ledger = await openEmptyLedger(server, manyAccounts);
        await sleep(SETTLE_MS);
        const before = await liveHeap(server, inspector);
        await openAccounts(server, ledger, { accounts: manyAccounts, connections });
        await ledger.audit.check(server, ledger.path);
        await sleep(SETTLE_MS);
        const after = await liveHeap(server, inspector);
        const { rss } = await memoryOf(server);

        const grown = after.used + after.buffers - before.used - before.buffers;
        const note = `${manyAccounts} accounts, collected; rss then ${(rss / 1e6).toFixed(0)} MB`;
        bench.figure('accountBytes', grown / manyAccounts, note);
      },
      [INSPECTABLE],
    ),
  );
}

const WARM_UP_ACCOUNTS = 2000;
const SETTLE_MS = 3000;
