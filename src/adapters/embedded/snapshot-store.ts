import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Revision } from '#src/kernel/ids.ts';
import { Unavailable } from '#src/ports/errors.ts';
import type { Snapshot, SnapshotStore } from '#src/ports/snapshot-store.ts';
import { inTransaction, isOutside, openDatabase, prepareQuery, removeDatabase } from './sqlite.ts';

/**
 * Opens the snapshots of a data folder, `snapshots.db`; any thread may open its own connection. A save replaces the
 * rows of a journal in one transaction. Loading verifies a checksum over all of them; an unreadable snapshot counts as
 * absent, so that a damaged file only costs a longer replay.
 *
 * Errors: Unavailable, from opening and saving.
 */
export function openEmbeddedSnapshotStore(dir: string): SnapshotStore {
  const path = join(dir, 'snapshots.db');
  let own = reaching(() => openOrStartAnew(path));
  return {
    async load(journal) {
      const { db, selectSnapshot, selectChunks } = own;
      try {
        // One transaction: a save by another thread must not come between the two reads.
        db.exec('BEGIN');
        const head = selectSnapshot.get(journal);
        const bodies = selectChunks.all(journal).map(([body]) => body);
        return wholeOne(head, bodies);
      } catch {
        return undefined;
      } finally {
        if (db.isTransaction) db.exec('COMMIT');
      }
    },

    async save(journal, snapshot) {
      reaching(() => {
        try {
          write(own, journal, snapshot);
        } catch (error) {
          if (isOutside(error)) throw error;
          own.db.close();
          removeDatabase(path); // Readers keep the file they have open; every load verifies its checksum.
          own = openSnapshots(path);
          write(own, journal, snapshot);
        }
      });
    },

    async close() {
      if (own.db.isOpen) own.db.close();
    },
  };
}

type SnapshotFile = ReturnType<typeof openSnapshots>;

function write(
  { db, deleteChunks, insertChunk, replaceSnapshot }: SnapshotFile,
  journal: string,
  { revision, version, chunks }: Snapshot,
): void {
  const bodies = chunks.map(encodeChunk);
  const checksum = checksumOf(revision, version, bodies);
  inTransaction(db, () => {
    deleteChunks.run(journal);
    for (const [number, body] of bodies.entries()) insertChunk.run(journal, number, body);
    replaceSnapshot.run(journal, revision, version, bodies.length, checksum);
  });
}

/**
 * Reads every snapshot of a data folder as of one moment, without touching the file; undefined stands for an unreadable
 * one. Errors: Unavailable.
 */
export function* readSnapshots(
  dir: string,
): Iterable<Readonly<{ journal: string; snapshot: Snapshot | undefined }>> {
  const path = join(dir, 'snapshots.db');
  if (!existsSync(path)) return;
  const db = reaching(() => openDatabase(path, { readOnly: true }));
  try {
    db.exec('BEGIN');
    const heads = prepareQuery<[string, ...StoredHead]>(
      db,
      'SELECT journal, revision, version, chunks, checksum FROM snapshots ORDER BY journal',
    ).all();
    const selectChunks = prepareQuery<[StoredChunk]>(
      db,
      'SELECT body FROM chunks WHERE journal = ? ORDER BY number',
    );
    for (const [journal, ...head] of heads) {
      const bodies = selectChunks.all(journal).map(([body]) => body);
      yield { journal, snapshot: wholeOne(head, bodies) };
    }
  } finally {
    db.close();
  }
}

type StoredHead = [revision: Revision, version: number, chunks: number, checksum: Uint8Array];

function wholeOne(
  head: StoredHead | undefined,
  bodies: readonly StoredChunk[],
): Snapshot | undefined {
  if (head === undefined) return undefined;
  const [revision, version, count, checksum] = head;
  if (bodies.length !== count || !checksumOf(revision, version, bodies).equals(checksum)) {
    return undefined;
  }
  return { revision, version, chunks: bodies.map(decodeChunk) };
}

function openOrStartAnew(path: string): SnapshotFile {
  try {
    return openSnapshots(path);
  } catch (error) {
    if (isOutside(error)) throw error;
    removeDatabase(path);
    return openSnapshots(path);
  }
}

function openSnapshots(path: string) {
  const db = openDatabase(path, { synchronous: 'NORMAL' });
  try {
    db.exec(SCHEMA);
    return {
      db,
      selectSnapshot: prepareQuery<StoredHead>(
        db,
        'SELECT revision, version, chunks, checksum FROM snapshots WHERE journal = ?',
      ),
      selectChunks: prepareQuery<[StoredChunk]>(
        db,
        'SELECT body FROM chunks WHERE journal = ? ORDER BY number',
      ),
      deleteChunks: db.prepare('DELETE FROM chunks WHERE journal = ?'),
      insertChunk: db.prepare('INSERT INTO chunks VALUES (?, ?, ?)'),
      replaceSnapshot: db.prepare('INSERT OR REPLACE INTO snapshots VALUES (?, ?, ?, ?, ?)'),
    };
  } catch (error) {
    db.close();
    throw error;
  }
}

type StoredChunk = string | Uint8Array;

/** Encodes a chunk. Text cut inside a surrogate pair has no UTF-8 form, so its UTF-16 form is kept. */
const encodeChunk = (chunk: string): StoredChunk =>
  chunk.isWellFormed() ? chunk : Buffer.from(chunk, 'utf16le');

const decodeChunk = (body: StoredChunk): string =>
  typeof body === 'string'
    ? body
    : Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf16le');

/** SHA-256 over revision, version and every body with its length, so that no two snapshots have equal input. */
function checksumOf(revision: Revision, version: number, bodies: readonly StoredChunk[]): Buffer {
  const hash = createHash('sha256').update(`${revision} ${version} ${bodies.length}`);
  for (const body of bodies) hash.update(` ${typeof body} ${body.length} `).update(body);
  return hash.digest();
}

function reaching<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (cause) {
    throw new Unavailable('The snapshots cannot be reached', { cause });
  }
}

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS snapshots (
    journal TEXT PRIMARY KEY, revision INTEGER NOT NULL, version INTEGER NOT NULL,
    chunks INTEGER NOT NULL, checksum BLOB NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS chunks (
    journal TEXT NOT NULL, number INTEGER NOT NULL, body ANY NOT NULL, UNIQUE (journal, number)
  ) STRICT;
`;
