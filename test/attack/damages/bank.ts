import { cpSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import {
  createAccount,
  createAsset,
  createLedger,
  createOrganization,
  made,
  posted,
  transfer,
  type Transaction,
} from '#test/e2e/books.ts';
import { clientOf, type Client } from '#test/support/client.ts';
import { chanceOf, type Chance } from '#test/support/random.ts';
import { killServer, startServer, stopServer, temporaryFolder } from '#test/support/server.ts';
import { DAMAGED } from './damage.ts';
import { readEvents, type LoggedEvent } from './log-events.ts';

/** A request with a key, and the bytes of the transaction that it was answered with. */
export type Keyed = Readonly<{
  at: string;
  key: string;
  body: object;
  text: string;
  isItem: boolean;
}>;

/** What was done to transactions and must not be done again. */
export type Done = Readonly<{
  at: string;
  committed: string[];
  reverted: string[];
  held: string[];
}>;

/** A data folder in the states that damages start from, and what it must answer. */
export type Bank = Readonly<{
  /** The server was stopped, and what stood in write-ahead logs is folded into the files. */
  stopped: string;
  /** The server was killed: write-ahead logs, some of them with what the files lack. */
  killed: string;
  /** As a stopped server left it when two thirds of the work had been done, and the same folded. */
  older: string;
  olderFolded: string;
  /** Another bank's folder as a killed server left it, and the same folded. */
  foreignRaw: string;
  foreign: string;
  keyed: readonly Keyed[];
  done: readonly Done[];
  /** GET path → bytes of the answer. */
  answers: ReadonlyMap<string, string>;
  foreignAnswers: ReadonlyMap<string, string>;
  events: readonly LoggedEvent[];
}>;

/** Makes the folders once, with real servers. */
export async function makeBank(seed: number): Promise<Bank> {
  const foreignRaw = temporaryFolder();
  let foreignAnswers: Bank['answers'] = new Map();
  const foreigner = async (client: Client): Promise<void> => {
    const ledgers = await openLedgers(client);
    await work(client, chanceOf(seed + 1), ledgers[0]!, 'foreign', 40);
    foreignAnswers = await readAll(client, ledgers);
  };
  await onServer(foreignRaw, foreigner, 'kill');
  const foreign = folded(copyFolder(foreignRaw));
  await takeSnapshots(foreign);

  const dir = temporaryFolder();
  const chance = chanceOf(seed);
  const keyed: Keyed[] = [];
  const parts: Done[] = [];
  let ledgers: readonly string[] = [];
  const go = async (client: Client, part: string, count: number): Promise<void> => {
    for (const at of ledgers) {
      const did = await work(client, chance, at, `${part}-${at.slice(-4)}`, count);
      keyed.push(...did.keyed);
      parts.push(did.done);
    }
  };
  await onServer(dir, async (client) => {
    ledgers = await openLedgers(client);
    await go(client, 'first', 40);
  });
  await takeSnapshots(dir);
  await onServer(dir, (client) => go(client, 'second', 40));
  const older = copyFolder(dir);
  await takeSnapshots(dir);
  let answers: Bank['answers'] = new Map();
  await onServer(
    dir,
    async (client) => {
      await go(client, 'third', 50);
      answers = await readAll(client, ledgers);
    },
    'kill',
  );
  const killed = copyFolder(dir);
  await onServer(dir, async (client) => {
    await client.get(ledgers[0] ?? '');
  });
  const stopped = folded(dir);
  const events = readEvents(stopped);
  const done = ledgers.map((at) => doneIn(parts.filter((one) => one.at === at)));
  const olderFolded = folded(copyFolder(older));
  const folders = { stopped, killed, older, olderFolded, foreignRaw, foreign };
  return { ...folders, keyed, done, answers, foreignAnswers, events };
}

/** Brings what stands in write-ahead logs into the files, and takes the logs away. */
function folded(dir: string): string {
  for (const file of DAMAGED) {
    const name = `${file}.db`;
    const wal = statSync(join(dir, `${name}-wal`), { throwIfNoEntry: false });
    if (wal === undefined) continue; // As the server left it: not a byte of it may change.
    const db = new DatabaseSync(join(dir, name));
    db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
    db.close();
  }
  return dir;
}

const doneIn = (parts: readonly Done[]): Done => ({
  at: parts[0]?.at ?? '',
  committed: parts.flatMap(({ committed }) => committed),
  reverted: parts.flatMap(({ reverted }) => reverted),
  held: parts.flatMap(({ held }) => held),
});

async function onServer(
  dataDir: string,
  use: (client: Client) => Promise<void>,
  end: 'stop' | 'kill' = 'stop',
): Promise<void> {
  const server = await startServer({ dataDir });
  const client = clientOf(() => server, { undescribed: true });
  await use(client);
  client.close();
  await (end === 'stop' ? stopServer(server) : killServer(server));
}

/** Everything but `lock.db`, which holds nothing that outlives a process. */
export function copyFolder(from: string): string {
  const to = temporaryFolder();
  for (const name of readdirSync(from)) {
    if (!name.startsWith('lock.db')) cpSync(join(from, name), join(to, name));
  }
  return to;
}

/** Accounts have a unique tax id, so that the index is asked about values as well. */
async function openLedgers(client: Client): Promise<readonly string[]> {
  const index = { metadataKey: 'taxId', unique: true };
  await made(client, '/v1/settings/metadata-indexes/entities/account', index);
  const org = (await createOrganization(client)).id;
  const ledgers: string[] = [];
  for (const name of ['Retail', 'Wallets']) {
    const { id } = await createLedger(client, org, { name });
    const at = `/v1/organizations/${org}/ledgers/${id}`;
    await createAsset(client, at);
    for (let n = 1; n <= ACCOUNTS; n += 1) {
      await createAccount(client, at, { alias: `@a${n}`, metadata: { taxId: `t${n}` } });
    }
    for (let n = 1; n <= ACCOUNTS; n += 1) {
      await posted(client, at, transfer('@external/BRL', `@a${n}`, '1000.5'));
    }
    ledgers.push(at);
  }
  return ledgers;
}

/** So many keyed transactions, half of them as items of batches, and some holds, ends and reversals. */
async function work(client: Client, chance: Chance, at: string, part: string, count: number) {
  const keyed: Keyed[] = [];
  const done: Done = { at, committed: [], reverted: [], held: [] };
  const any = (): object => {
    const from = chance.int(1, ACCOUNTS);
    const to = (from % ACCOUNTS) + 1;
    const note = { description: part, metadata: { n: chance.int(1, 9), note: '“é” 💶' } };
    return transfer(
      `@a${from}`,
      `@a${to}`,
      `${chance.int(0, 9)}.${chance.digits(3)}1`,
      'BRL',
      note,
    );
  };
  for (let n = 0; n < count / 2; n += 1) {
    const [key, body] = [`${part}-${n}`, any()];
    const path = `${at}/transactions/json`;
    const { status, text } = await client.post(path, body, { 'X-Idempotency': key });
    if (status !== 201) throw new Error(text);
    keyed.push({ at, key, body, text, isItem: false });
  }
  const items = Array.from({ length: count / 2 }, (_, n) => ({
    ...any(),
    idempotencyKey: `${part}-item-${n}`,
  }));
  const batch = await client.post(`${at}/transactions/batch`, { transactions: items });
  const { results } = batch.json() as { results: Result[] };
  items.forEach((body, n) => {
    if (results[n]?.status !== 201) throw new Error(batch.text);
    const text = JSON.stringify(results[n].transaction);
    keyed.push({ at, key: body.idempotencyKey, body, text, isItem: true });
  });
  for (const fate of ['committed', 'held', 'reverted'] as const) {
    const { id } = await posted(client, at, { ...any(), pending: fate !== 'reverted' });
    if (fate === 'committed') await made(client, `${at}/transactions/${id}/commit`, undefined);
    if (fate === 'reverted') await made(client, `${at}/transactions/${id}/revert`, undefined);
    done[fate].push(id);
  }
  return { keyed, done };
}

async function readAll(client: Client, ledgers: readonly string[]) {
  const answers = new Map<string, string>();
  const read = async (path: string): Promise<string> => {
    const { status, text } = await client.get(path);
    if (status !== 200) throw new Error(`${path}: ${text}`);
    answers.set(path, text);
    return text;
  };
  await read('/v1/organizations');
  for (const at of ledgers) {
    await read(at);
    for (const list of ['assets', 'accounts', 'balances']) await read(`${at}/${list}?limit=100`);
    await read(`${at}/accounts?metadata.taxId=t3`);
    await read(`${at}/transactions?metadata.n=4&limit=50`);
    const { items } = JSON.parse(await read(`${at}/accounts?limit=100`)) as {
      items: { id: string }[];
    };
    for (const { id } of items) await read(`${at}/accounts/${id}/operations?limit=50`);
    const list = `${at}/transactions?limit=50&sort_order=asc`;
    for (let path: string | undefined = list; path !== undefined;) {
      const page = JSON.parse(await read(path)) as { items: Transaction[]; next_cursor?: string };
      for (const { id } of page.items) await read(`${at}/transactions/${id}`);
      const next = page.next_cursor;
      path = next === undefined ? undefined : `${list}&cursor=${encodeURIComponent(next)}`;
    }
  }
  return answers;
}

/** The program takes one after 100,000 events of a journal; here its own worker is asked for it. */
async function takeSnapshots(dataDir: string): Promise<void> {
  const journals = new Set(readEvents(dataDir).map(({ stream }) => stream));
  for (const journal of journals) {
    const places = { eventStoreUrl: 'embedded:', readStoreUrl: 'embedded:', dataDir };
    const worker = new Worker(SNAPSHOT_WORKER, { workerData: { places, journal } });
    await new Promise((resolve, reject) => worker.once('exit', resolve).once('error', reject));
  }
}

const ACCOUNTS = 6;
type Result = Readonly<{ status: number; transaction: Transaction }>;
const SNAPSHOT_WORKER = new URL('../../../src/bootstrap/snapshot-worker.ts', import.meta.url);
