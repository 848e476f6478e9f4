import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench } from '../bench.ts';
import { findPostgres, given, startPostgres, type Postgres } from '../harness/postgres.ts';

/** The same transfers inside PostgreSQL, one a database transaction: what a ledger would be built on otherwise. */
export async function postgres(bench: Bench): Promise<void> {
  const bin = findPostgres();
  if (bin === undefined) {
    bench.remark('PostgreSQL is not installed: its lines are left out.');
    return;
  }
  await bench.inFolder(async (folder) => {
    const server = await startPostgres(bin, folder);
    try {
      await line(bench, server, folder, 'floor');
      await line(bench, server, folder, 'pgledger');
    } finally {
      await server.stop();
    }
  });
}

type Kind = 'floor' | 'pgledger';

async function line(bench: Bench, server: Postgres, folder: string, kind: Kind): Promise<void> {
  const { accounts, connections, seconds, warmUpSeconds } = bench.options;
  const script = join(folder, `${kind}.pgbench`);
  writeFileSync(script, text('pairs.pgbench') + text(`${kind}.pgbench`));
  await server.query('postgres', `CREATE DATABASE ${kind}`);
  await server.runFile(kind, join(SQL, `${kind}.sql`), { accounts });

  const clients = ['-n', '-c', String(connections), '-j', '1', '-M', 'prepared', '-f', script];
  const run = async (number: number, forSeconds: number): Promise<string> => {
    const variables = given('-D', { accounts, n: 0, run: number });
    return server.pgbench(kind, [...clients, ...variables, '-T', String(forSeconds)]);
  };
  const warm = numberIn(await run(1, warmUpSeconds), /actually processed: (\d+)/);
  const said = await run(2, seconds);

  const done = warm + numberIn(said, /actually processed: (\d+)/);
  const rate = numberIn(said, /tps = ([\d.]+)/);
  const latencyMs = numberIn(said, /latency average = ([\d.]+)/);
  const books = await server.query(kind, 'SELECT transfers, balanced FROM books');
  if (books !== `${done}|t`) {
    bench.failed.push(`PostgreSQL, ${kind}: ${done} answered, its books say ${books}`);
    return;
  }
  bench.say(`PostgreSQL, ${kind}: ${rate.toFixed(0)}/s, mean ${latencyMs} ms, books right`);
  const note = `PostgreSQL ${server.version}, mean latency ${latencyMs} ms`;
  bench.figure(kind === 'floor' ? 'floorPerSecond' : 'pgledgerPerSecond', rate, note);
}

function numberIn(text: string, pattern: RegExp): number {
  const found = pattern.exec(text)?.[1];
  if (found === undefined) throw new Error(`pgbench did not say ${pattern.source}:\n${text}`);
  return Number(found);
}

const SQL = join(import.meta.dirname, '..', 'postgres');
const text = (file: string): string => readFileSync(join(SQL, file), 'utf8');
