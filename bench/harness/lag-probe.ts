import { setTimeout as sleep } from 'node:timers/promises';
import { aliasOf, nameOf } from '../load/names.ts';
import { latencyOf } from '../load/tally.ts';
import type { Latency } from '../load/job.ts';
import { transferBody } from '../load/transfers.ts';
import { ask, askUntil } from './http.ts';
import { takeRun, transferOnce, type BenchLedger } from './ledger.ts';
import type { Server } from './product.ts';

export type LagProbe = Readonly<{ end: () => Promise<Lags> }>;

export type Lags = Readonly<{
  /** Age of the oldest acknowledged write that reads do not show, as the server tells it. */
  lag: Latency;
  /** From the 201 of a write until a read has shown it: such a read makes the projector hurry. */
  ownWrite: Latency;
}>;

/**
 * Watches how far reads are behind. The server is asked for its lag, which disturbs nothing; one write a second is
 * read back, because a reader who waits changes what he measures: the projector no longer gathers.
 */
export function probeLag(server: Server, ledger: BenchLedger, warmUpSeconds: number): LagProbe {
  const run = takeRun(ledger);
  const lags: number[] = [];
  const ownWrites: number[] = [];
  const from = performance.now() + warmUpSeconds * 1000;
  let over = false;
  const done = Promise.all([watch(), readOwnWrites()]);
  done.catch(() => {}); // Reported by `end`.
  return {
    end: async () => {
      over = true;
      await done;
      const [lag, ownWrite] = [lags, ownWrites].map((all) => latencyOf(Float32Array.from(all)));
      if (lag === undefined || ownWrite === undefined) throw new Error('Nothing was probed.');
      return { lag, ownWrite };
    },
  };

  async function watch(): Promise<void> {
    for (let n = 0; n < PROBES_MAX && !over; n += 1) {
      const { text } = await ask(server.port, { method: 'GET', path: '/readyz' });
      if (performance.now() > from) lags.push(lagIn(text));
      await sleep(WATCH_MS);
    }
  }

  async function readOwnWrites(): Promise<void> {
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
      if (written > from) ownWrites.push(performance.now() - written);
      await sleep(OWN_WRITE_MS);
    }
  }
}

type Readiness = Readonly<{ checks: Readonly<Record<string, Readonly<{ latency_ms: number }>>> }>;

function lagIn(text: string): number {
  const lagMs = (JSON.parse(text) as Readiness).checks['projections']?.latency_ms;
  if (lagMs === undefined) throw new Error(`/readyz tells no lag: ${text}`);
  return lagMs;
}

const PROBES_MAX = 100_000;
const WATCH_MS = 17;
const OWN_WRITE_MS = 1000;
