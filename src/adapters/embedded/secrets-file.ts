import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { Unavailable } from '#src/ports/errors.ts';
import { openDatabase, prepareQuery } from './sqlite.ts';

/** Opens `secrets.db`, which has the secrets and the search tokens of records. Errors: Unavailable. */
export const openSecretsFile = (dir: string): DatabaseSync =>
  reachSecrets(() =>
    openDatabase(join(dir, 'secrets.db'), {
      synchronous: 'FULL',
      secureDelete: true,
      pageBytes: PAGE_BYTES,
      checkpointPages: CHECKPOINT_PAGES,
      schema: SCHEMA,
    }),
  );

/** A secret without a value was destroyed. */
export type StoredSecret = [version: number, value: Uint8Array | null];

/** Clears earlier values from the write-ahead log. Errors: Unavailable while another connection reads. */
export function truncateLog(db: DatabaseSync): void {
  const [isBusy] = prepareQuery<[number, number, number]>(
    db,
    'PRAGMA wal_checkpoint(TRUNCATE)',
  ).get()!;
  if (isBusy === 1) throw new Unavailable('The write-ahead log of the secrets is in use');
}

export function reachSecrets<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (cause) {
    throw new Unavailable('The secrets cannot be reached', { cause });
  }
}

/** Tokens are scattered over the file, so that each one writes a page. */
const PAGE_BYTES = 4096;
/** 16 MiB, so that a page is written back once for many tokens. */
const CHECKPOINT_PAGES = 4000;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS secrets (
    name TEXT PRIMARY KEY, version INTEGER NOT NULL, value BLOB
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS tokens (
    token TEXT NOT NULL, record TEXT NOT NULL, PRIMARY KEY (token, record)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS tokens_by_record ON tokens (record);
  CREATE TABLE IF NOT EXISTS claims (token TEXT PRIMARY KEY, record TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS claims_by_record ON claims (record);
`;
