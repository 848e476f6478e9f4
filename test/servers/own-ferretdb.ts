import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '#test/support/free-port.ts';

const CACHE = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'quipu');
const ENGINES = join(import.meta.dirname, '..', '..', 'infra', 'engines');

/** Returns whether the engines are downloaded, and the test runs as root, who alone may start PostgreSQL as another user. */
export function hasOwnFerretDb(): boolean {
  try {
    const names = readdirSync(CACHE);
    const isFetched = (name: string): boolean =>
      names.some((one) => new RegExp(`^${name}-[0-9a-f]+$`).test(one));
    return process.getuid?.() === 0 && isFetched('documentdb') && isFetched('ferretdb');
  } catch {
    return false;
  }
}

/** A FerretDB over a PostgreSQL of one suite, whose files nobody else writes. */
export async function startOwnFerretDb() {
  const dir = mkdtempSync(join(tmpdir(), 'own-ferretdb-'));
  const [postgres, ferretdb] = [await freePort(), await freePort()];
  const bash = (work: string, ...args: readonly string[]) =>
    promisify(execFile)(
      'bash',
      ['-euc', `${FUNCTIONS}\n${work}`, ENGINES, dir, String(postgres), String(ferretdb), ...args],
      { timeout: 300_000 },
    );
  await bash('mongodb_up');
  return {
    url: `mongodb://127.0.0.1:${ferretdb}/`,
    /** Everything that the two write. */
    dir,
    /** Runs statements, each by itself; psql's own commands too. */
    async sql(statements: string): Promise<string> {
      const work = `
        debian=$(fetched documentdb mongodb/debian.sh -- false)
        in_debian psql "$(postgres_address)" -v ON_ERROR_STOP=1 -qAt <<<"$4"`;
      return (await bash(work, statements)).stdout;
    },
    async remove() {
      await bash('mongodb_down');
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** Those of `infra/engines`, with a folder and ports of the suite. */
const FUNCTIONS = `
  source "$0/lib.sh"
  source "$0/mongodb.sh"
  run=$1 data=$1/data postgres_port=$2 ferretdb_port=$3
  mkdir -p "$data"`;
