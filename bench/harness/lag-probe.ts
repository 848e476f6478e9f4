import { setTimeout as sleep } from 'node:timers/promises';
import { aliasOf, nameOf } from '../load/names.ts';
import { latencyOf } from '../load/tally.ts';
import type { Latency } from '../load/job.ts';
import { transferBody } from '../load/transfers.ts';
import { askUntil } from './http.ts';
import { takeRun, transferOnce, type BenchLedger } from './ledger.ts';
import type { Server } from './product.ts';

export type LagProbe = Readonly<{ end: () => Promise<Latency> }>;

/**
 * Posts a transfer and reads its balance, again and again. A read waits for what it must show, so the time
 * from the 201 to the answer is the lag of the projection as a client feels it, the read itself included.
 */
export function probeLag(server: Server, ledger: BenchLedger, warmUpSeconds: number): LagProbe {
  const run = takeRun(ledger);
  const lags: number[] = [];
  const from = performance.now() + warmUpSeconds * 1000;
  let over = false;
  const done = probe();
  done.catch(() => {}); // Reported by `end`.
  return {
    end: async () => {
      over = true;
      await done;
      return latencyOf(Float32Array.from(lags));
    },
  };

  async function probe(): Promise<void> {
    for (let seq = 0; seq < PROBES_MAX && !over; seq += 1) {
      const source = aliasOf((2 * seq) % ledger.accounts);
      const target = aliasOf((2 * seq + 1) % ledger.accounts);
      const transfer = { name: nameOf(run, seq), source, target, amount: '1' };
      const token = await transferOnce(server, ledger.path, transferBody(transfer), transfer.name);
      ledger.audit.acknowledge(run, 1);
      const written = performance.now();
      const path = `${ledger.path}/accounts/alias/${target}/balances`;
      const headers = { 'X-Consistency-Token': token };
      await askUntil(server.port, 200, { method: 'GET', path, headers }, { everyMs: 10 });
      if (written > from) lags.push(performance.now() - written);
      await sleep(PAUSE_MS);
    }
  }
}

const PROBES_MAX = 100_000;
const PAUSE_MS = 20;
