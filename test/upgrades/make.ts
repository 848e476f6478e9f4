import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { clientOf } from '#test/support/client.ts';
import { removeFolder, startServer, stopServer } from '#test/support/server.ts';
import { playDay } from './day.ts';
import { FILES, type Expected } from './expected.ts';

/**
 * Writes the data folder of this release: plays a day on the real server, notes what it answers, and keeps
 * the files beside the answers. Run once, from the sources that are released; the folder never changes again.
 */
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
const folder = join(import.meta.dirname, version);
mkdirSync(folder); // Fails when the release has one: what was released is not written anew.

try {
  const server = await startServer();
  const client = clientOf(() => server);
  const { paths, ...day } = await playDay(client);
  const reads: Expected['reads'][number][] = [];
  for (const path of paths) {
    const { status, json } = await client.get(path);
    reads.push({ path, status, body: json() });
  }
  client.close();
  await stopServer(server);

  for (const file of FILES) keep(join(server.dataDir, file), join(folder, file));
  const expected: Expected = { release: version, ...day, reads };
  writeFileSync(join(folder, 'expected.json'), JSON.stringify(expected) + '\n');
  removeFolder(server.dataDir);
  process.stdout.write(`${folder}: ${reads.length} answers\n`);
} catch (error) {
  rmSync(folder, { recursive: true });
  throw error;
}

/** One file, without a write-ahead log beside it; in small pages, of which a small folder leaves most empty. */
function keep(from: string, to: string): void {
  const db = new DatabaseSync(from);
  db.exec('PRAGMA journal_mode = DELETE');
  db.exec('PRAGMA page_size = 4096');
  db.exec('VACUUM');
  db.exec('PRAGMA journal_mode = WAL');
  db.close();
  copyFileSync(from, to);
}
