import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench } from '../bench.ts';
import { openEngines } from '../harness/engines.ts';
import { runLoad } from '../harness/generator.ts';
import { openLedger, takeRun, transferOnce, type BenchLedger } from '../harness/ledger.ts';
import { metricByLabel } from '../harness/memory.ts';
import type { Server } from '../harness/product.ts';
import { listenToKafka, listenToStream, type Listener } from '../harness/stream-listener.ts';
import { transfersOf } from '../load/transfers.ts';
import { aliasOf, nameOf } from '../load/names.ts';
import type { Latency } from '../load/job.ts';
import { latencyOf } from '../load/tally.ts';
import { transferBody } from '../load/transfers.ts';

/**
 * Publishing to Kafka: what it costs transfers, how long an event takes to its consumer, and how fast the relay catches
 * up. Runs with and without it take turns, each on a fresh folder.
 */
export async function streaming(bench: Bench): Promise<void> {
  const without: number[] = [];
  const beside: number[] = [];
  for (let turn = 0; turn < TURNS; turn += 1) {
    await bench.inFolder(async (folder) => {
      await bench.withProduct(folder, async (server) => {
        const rate = await transfers(bench, server, `transfer, streaming off, ${turn + 1}`);
        if (rate !== undefined) without.push(rate);
      });
      if (turn === 0) await catchUp(bench, folder);
    });
    await onKafka(bench, async (server, platform) => {
      const rate = await transfers(bench, server, `transfer, streaming on, ${turn + 1}`);
      if (rate !== undefined) beside.push(rate);
      if (turn === 0) await lag(bench, server, { listening: listenToKafka(platform), ...ON_KAFKA });
    });
  }
  await bench.inFolder(async (folder) => {
    const launch = { ...bench.launch(folder), env: WITHOUT_BROKER };
    await bench.withProducts([launch], ([server]) =>
      lag(bench, server, { listening: listenToStream(server), ...LIVE }),
    );
  });
  if (without.length === TURNS && beside.length === TURNS) {
    bench.figure('streamingOverNone', mean(beside) / mean(without), `${TURNS} pairs`);
  }
}

async function onKafka(
  bench: Bench,
  work: (server: Server, platform: string) => Promise<void>,
): Promise<void> {
  await bench.inFolder(async (folder) => {
    const engines = await openEngines(folder, { log: false, reads: false, broker: true });
    try {
      const launch = { ...bench.launch(folder), env: engines.settings };
      await bench.withProducts([launch], ([server]) =>
        work(server, engines.settings['PLATFORM'] ?? ''),
      );
    } finally {
      await engines.remove();
    }
  });
}

async function transfers(bench: Bench, server: Server, name: string): Promise<number | undefined> {
  const { connections, warmUpSeconds, seconds } = bench.options;
  const ledger = await openLedger(server, bench.options);
  const { path: ledgerPath, accounts } = ledger;
  const run = takeRun(ledger);
  const work = { kind: 'transfer', ledgerPath, accounts, distribution: 'uniform' } as const;
  const report = await runLoad(server, { connections, warmUpSeconds, seconds, run, work });
  ledger.audit.acknowledge(run, report.wanted, transfersOf(run, work));
  return bench.keep(name, report, await ledger.audit.check(server, ledgerPath));
}

/** A transfer yields three events, so a third as many transfers are due; a few of them are watched to the consumer. */
async function lag(
  bench: Bench,
  server: Server,
  { listening, who, figure }: Followed & Readonly<{ listening: Promise<Listener> }>,
): Promise<void> {
  const ledger = await openLedger(server, bench.options);
  const listener = await listening;
  while ((await oldestSeconds(server)) > 0) await sleep(LOOK_MS);
  try {
    for (const eventsPerSecond of EVENTS_PER_SECOND) {
      const { p50, p99, max } = await lagAt(bench, server, ledger, listener, eventsPerSecond);
      const note = `at ${eventsPerSecond} events/s; median ${p50} ms, longest ${max} ms`;
      bench.remark(`From the 201 until ${who} has the event: p99 ${p99} ms ${note}`);
      if (eventsPerSecond === EVENTS_PER_SECOND[0]) bench.figure(figure, p99, note);
    }
  } finally {
    await listener.close();
  }
}

async function lagAt(
  bench: Bench,
  server: Server,
  ledger: BenchLedger,
  listener: Listener,
  eventsPerSecond: number,
): Promise<Latency> {
  const { connections, warmUpSeconds, seconds } = bench.options;
  const { path: ledgerPath, accounts } = ledger;
  const work = { kind: 'transfer', ledgerPath, accounts, distribution: 'zipf' } as const;
  const run = takeRun(ledger);
  const rate = Math.round(eventsPerSecond / EVENTS_PER_TRANSFER);
  const load = runLoad(server, { connections, warmUpSeconds, seconds, rate, run, work });
  const state = { over: false };
  const loaded = load.finally(() => (state.over = true));
  const watched = takeRun(ledger);
  const lags: Promise<number>[] = [];
  await sleep(warmUpSeconds * 1000);
  for (let seq = 0; !state.over; seq += 1) {
    const name = nameOf(watched, seq);
    const source = aliasOf((2 * seq) % accounts);
    const target = aliasOf((2 * seq + 1) % accounts);
    const arrival = listener.arrivalOf(name);
    await transferOnce(
      server,
      ledgerPath,
      transferBody({ name, source, target, amount: '1' }),
      name,
    );
    const acknowledged = performance.now();
    lags.push(arrival.then((at) => Math.max(0, at - acknowledged)));
    await sleep(WATCH_EVERY_MS);
  }
  await loaded;
  return latencyOf(Float32Array.from(await Promise.all(lags)));
}

/** Starts with streaming over a log that was never published. */
async function catchUp(bench: Bench, folder: string): Promise<void> {
  const engines = await openEngines(folder, { log: false, reads: false, broker: true });
  try {
    const launch = { ...bench.launch(folder), env: engines.settings };
    await bench.withProducts([launch], async ([server]) => {
      // The topics are made first, which is the broker's time.
      while ((await published(server)) === 0) await sleep(LOOK_MS);
      const [first, from] = [await published(server), performance.now()];
      let [count, at] = [first, from];
      for (let still = 0; still < STILL_LOOKS;) {
        await sleep(LOOK_MS);
        const now = await published(server);
        still = now === count ? still + 1 : 0;
        if (now > count) [count, at] = [now, performance.now()];
        if (at - from > CATCH_UP_MS) throw new Error(`${count} events were published in time`);
      }
      const seconds = (at - from) / 1000;
      bench.figure('relayCatchUpPerSecond', (count - first) / seconds, `${count} events to Kafka`);
    });
  } finally {
    await engines.remove();
  }
}

/** The age of the oldest event that is not published; the relay reports it every two seconds. */
async function oldestSeconds({ port }: Server): Promise<number> {
  const ages = await metricByLabel(port, 'quipu_relay_oldest_unpublished_seconds');
  return Math.max(0, ...ages.values());
}

async function published({ port }: Server): Promise<number> {
  const counts = await metricByLabel(port, 'quipu_relay_published_total');
  return [...counts.values()].reduce((total, one) => total + one, 0);
}

const mean = (all: readonly number[]): number =>
  all.reduce((total, one) => total + one, 0) / all.length;

type Followed = Readonly<{ who: string; figure: 'streamLagP99Ms' | 'liveLagP99Ms' }>;
const ON_KAFKA: Followed = { who: 'a consumer on Kafka', figure: 'streamLagP99Ms' };
const LIVE: Followed = { who: 'a live stream over HTTP', figure: 'liveLagP99Ms' };
const WITHOUT_BROKER = {
  STREAMING_ENABLED: 'true',
  STREAMING_CLOUDEVENTS_SOURCE: 'quipu.bench',
};

const TURNS = 2;
const EVENTS_PER_TRANSFER = 3;
/** The first is that of the bar. */
const EVENTS_PER_SECOND = [1000, 3000] as const;
const WATCH_EVERY_MS = 20;
const LOOK_MS = 100;
/** The relay reports every two seconds. */
const STILL_LOOKS = 60;
const CATCH_UP_MS = 300_000;
