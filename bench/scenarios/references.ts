import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench } from '../bench.ts';
import { runLoad, type Measured } from '../harness/generator.ts';
import { ask } from '../harness/http.ts';
import { takeRun, type BenchLedger } from '../harness/ledger.ts';
import { median } from '../harness/median.ts';
import {
  REFERENCES,
  startBare,
  startReference,
  stopServer,
  type Reference,
  type Server,
} from '../harness/product.ts';
import { wrkRate } from '../harness/wrk.ts';
import type { TransferWork } from '../load/job.ts';
import { aliasOf, nameOf } from '../load/names.ts';
import { transferBody } from '../load/transfers.ts';
import { load } from './transfers.ts';

/** Measures what the generator can do against a server that costs nothing. */
export async function ceiling(bench: Bench): Promise<void> {
  const server = await startBare();
  try {
    const path = '/v1/organizations/o/ledgers/l';
    const { connections, warmUpSeconds, seconds, accounts } = bench.options;
    const work = { kind: 'reference', ledgerPath: path, accounts, distribution: 'zipf' } as const;
    const report = await runLoad(server, { connections, warmUpSeconds, seconds, run: 1, work });
    const rate = bench.keep('bare echo', report);
    if (rate !== undefined) bench.figure('ceilingPerSecond', rate);
  } finally {
    await stopServer(server);
  }
}

/**
 * Measures transfers and the references in turns, so that what disturbs the machine disturbs all of them. Only the first
 * turn of each has the full warm-up. Returns the median rate of the product; undefined if all its turns were void.
 */
export async function againstReferences(
  bench: Bench,
  server: Server,
  ledger: BenchLedger,
  folder: string,
): Promise<number | undefined> {
  const file = join(folder, 'reply.json');
  writeFileSync(file, await replyOf(server, ledger));
  const [plain, tuned] = await Promise.all(REFERENCES.map((kind) => startReference(kind, file)));
  if (plain === undefined || tuned === undefined) throw new Error('A reference is missing');
  try {
    const turns: Record<Reference | 'product', Turn[]> = { product: [], plain: [], tuned: [] };
    for (let n = 1; n <= bench.options.turns; n += 1) {
      const shape = {
        seconds: bench.options.seconds,
        warmUpSeconds: n === 1 ? bench.options.warmUpSeconds : WARM_AGAIN_SECONDS,
      };
      const report = await load(bench, server, ledger, 'zipf', shape);
      const findings = await ledger.audit.check(server, ledger.path);
      turns.product.push({ report, rate: bench.keep(`transfer, zipf, ${n}`, report, findings) });
      if (n === 1) {
        const sustained = report.measured / (report.seconds + findings.drainMs / 1000);
        bench.figure('zipfSustainedPerSecond', sustained);
      }
      for (const [kind, reference] of [
        ['plain', plain],
        ['tuned', tuned],
      ] as const) {
        const said = await referenceLoad(bench, reference, ledger, shape);
        turns[kind].push({ report: said, rate: bench.keep(`Express 5, ${kind}, ${n}`, said) });
      }
    }
    await crossCheck(bench, { plain, tuned }, ledger);
    report(bench, turns);
    return medianRate(turns.product);
  } finally {
    await Promise.all([plain, tuned].map(stopServer));
  }
}

type Turn = Readonly<{ report: Measured; rate: number | undefined }>;
type Shape = Readonly<{ seconds: number; warmUpSeconds: number }>;

function report(bench: Bench, turns: Readonly<Record<Reference | 'product', Turn[]>>): void {
  const [zipf, plain, tuned] = [turns.product, turns.plain, turns.tuned].map(medianRate);
  const note = `median of ${String(bench.options.turns)} turns`;
  const micros = (of: readonly Turn[]): string =>
    `${note}; server ${median(of.map((turn) => turn.report.serverMicros)).toFixed(0)} µs each`;
  if (zipf !== undefined) bench.figure('zipfPerSecond', zipf, micros(turns.product));
  if (plain !== undefined) bench.figure('plainPerSecond', plain, micros(turns.plain));
  if (tuned !== undefined) bench.figure('tunedPerSecond', tuned, micros(turns.tuned));
}

function medianRate(turns: readonly Turn[]): number | undefined {
  const rates = turns.flatMap(({ rate }) => rate ?? []);
  return rates.length === 0 ? undefined : median(rates);
}

function referenceLoad(
  bench: Bench,
  server: Server,
  { path: ledgerPath, accounts }: BenchLedger,
  shape: Shape,
): Promise<Measured> {
  const { connections } = bench.options;
  const work: TransferWork = { ledgerPath, accounts, distribution: 'zipf' };
  return runLoad(server, { ...shape, connections, run: 1, work: { ...work, kind: 'reference' } });
}

/** Measures the references with wrk too, where it is installed: its rate should be that of the generator. */
async function crossCheck(
  bench: Bench,
  servers: Readonly<Record<Reference, Server>>,
  { path }: BenchLedger,
): Promise<void> {
  const transfer = { name: nameOf(1, 0), source: aliasOf(0), target: aliasOf(1), amount: '12.34' };
  const request = { path: `${path}/transactions/json`, body: transferBody(transfer) };
  const { connections, seconds } = bench.options;
  for (const kind of REFERENCES) {
    const rate = await wrkRate(servers[kind], request, { connections, seconds });
    if (rate !== undefined) bench.remark(`Express 5, ${kind}, by wrk: ${rate.toFixed(0)}/s.`);
  }
}

/** The response to one transfer, which the ledger then has. */
async function replyOf(server: Server, ledger: BenchLedger): Promise<string> {
  const run = takeRun(ledger);
  const transfer = {
    name: nameOf(run, 0),
    source: aliasOf(0),
    target: aliasOf(1),
    amount: '12.34',
  };
  const headers = { 'X-Idempotency': transfer.name };
  const body = transferBody(transfer);
  const path = `${ledger.path}/transactions/json`;
  const { status, text } = await ask(server.port, { method: 'POST', path, headers, body });
  if (status !== 201) throw new Error(`A transfer got ${String(status)}: ${text}`);
  ledger.audit.acknowledge(run, 1);
  return text;
}

const WARM_AGAIN_SECONDS = 2;
