import type { Report } from '../load/job.ts';
import { ask, askUntil } from './http.ts';
import { runLoad } from './generator.ts';
import type { Server } from './product.ts';
import { Audit } from './audit.ts';

/** A ledger that the bench made, and all that it has been asked to do. */
export type BenchLedger = {
  readonly path: string;
  readonly accounts: number;
  readonly audit: Audit;
  nextRun: number;
};

export type Seed = Readonly<{ accounts: number; connections: number }>;

/** Organization, ledger, asset and accounts, each account with enough money for any run. */
export async function openLedger(server: Server, seed: Seed): Promise<BenchLedger> {
  const ledger = await openEmptyLedger(server, seed.accounts);
  await openAccounts(server, ledger, seed);
  await fund(server, ledger, seed);
  return ledger;
}

export async function openEmptyLedger(server: Server, accounts: number): Promise<BenchLedger> {
  const organizationId = await openOrganization(server);
  const organization = `/v1/organizations/${organizationId}`;
  const path = `${organization}/ledgers/${await create(server, `${organization}/ledgers`, LEDGER)}`;
  await create(server, `${path}/assets`, ASSET);
  return { path, accounts, audit: new Audit(), nextRun: 1 };
}

export const openOrganization = (server: Server): Promise<string> =>
  create(server, '/v1/organizations', ORGANIZATION);

export async function openAccounts(
  server: Server,
  ledger: BenchLedger,
  { accounts, connections }: Seed,
): Promise<void> {
  const work = { kind: 'open-accounts', ledgerPath: ledger.path } as const;
  const shape = { connections, warmUpSeconds: 0, count: accounts };
  whole(await runLoad(server, { ...shape, run: takeRun(ledger), work }), accounts);
}

async function fund(
  server: Server,
  ledger: BenchLedger,
  { accounts, connections }: Seed,
): Promise<void> {
  const run = takeRun(ledger);
  const work = { kind: 'fund', ledgerPath: ledger.path, amount: OPENING_AMOUNT } as const;
  const shape = { connections, warmUpSeconds: 0, count: accounts };
  const report = await runLoad(server, { ...shape, run, work });
  whole(report, accounts);
  ledger.audit.acknowledge(run, report.wanted);
}

/** Every run has its number: names of requests differ from run to run. */
export function takeRun(ledger: BenchLedger): number {
  const run = ledger.nextRun;
  ledger.nextRun += 1;
  return run;
}

/** One transfer of one account to another. Returns the token with which a reader waits for it. */
export async function transferOnce(
  server: Server,
  path: string,
  body: string,
  key: string,
): Promise<string> {
  const headers = { 'X-Idempotency': key }; // A start may take longer than one request may wait.
  const asked = { method: 'POST', path: `${path}/transactions/json`, body, headers } as const;
  const answer = await askUntil(server.port, 201, asked, { everyMs: 5 });
  return String(answer.headers['x-consistency-token'] ?? '');
}

export async function create(server: Server, path: string, body: object): Promise<string> {
  const asked = { method: 'POST', path, body: JSON.stringify(body) } as const;
  const answer = await ask(server.port, asked);
  if (answer.status !== 201) throw new Error(`POST ${path}: ${answer.status} ${answer.text}`);
  return (JSON.parse(answer.text) as { id: string }).id;
}

function whole(report: Report, wanted: number): void {
  if (report.wanted === wanted && report.faults.count === 0) return;
  throw new Error(`Seeding failed: ${JSON.stringify(report.statuses)} ${report.faults.samples[0]}`);
}

const ORGANIZATION = { legalName: 'Bench', legalDocument: '00000000000191' };
const LEDGER = { name: 'Bench' };
const ASSET = { name: 'Brazilian Real', type: 'currency', code: 'BRL' };
/** More than a run could move out of one account. */
const OPENING_AMOUNT = '1000000000';
