import {
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import { prepareQuery } from './sqlite.ts';

/*
 * A derived file that was closed cleanly has a seal next to it: the checksums of all its bytes. The next start thereby
 * detects damage to a file at rest anywhere in it. A seal is valid only while nobody has the file open for writing.
 */

/** Closes a derived file and seals it, unless it is too large or still being read. */
export function closeSealed(db: DatabaseSync, path: string): void {
  const isWhole = isFolded(db);
  db.close();
  if (isWhole && statSync(path).size <= SEALED_BYTES_MAX)
    writeFileSync(sealOf(path), sumsOf(path), { mode: 0o600 });
}

/** Checks that the write-ahead log is folded into the file completely. */
function isFolded(db: DatabaseSync): boolean {
  try {
    return prepareQuery<[number]>(db, 'PRAGMA wal_checkpoint(TRUNCATE)').get()?.[0] === 0;
  } catch {
    return false; // The next start checks the file more closely.
  }
}

/** Removes the seal from a file that is about to be opened for writing, and returns what it showed. */
export function breakSeal(path: string): 'sound' | 'damaged' | 'unsealed' {
  const seal = sealOf(path);
  if (!existsSync(seal)) return 'unsealed';
  const sums = readFileSync(seal, 'latin1');
  rmSync(seal);
  if (!existsSync(path)) return 'damaged';
  const isWhole = !existsSync(`${path}-wal`) || statSync(`${path}-wal`).size === 0;
  return isWhole && sums === sumsOf(path) ? 'sound' : 'damaged';
}

export const sealOf = (path: string): string => `${path}.seal`;

/** Returns the size, and the CRC-32 of every piece: two damaged pieces cannot cancel each other out. */
function sumsOf(path: string): string {
  const file = openSync(path, 'r');
  try {
    const piece = Buffer.allocUnsafe(PIECE_BYTES);
    const sums: string[] = [];
    for (let at = 0; ;) {
      const bytes = readSync(file, piece, 0, PIECE_BYTES, at);
      if (bytes === 0) return `${String(at)} ${sums.join(' ')}\n`;
      sums.push(crc32(piece.subarray(0, bytes)).toString(16));
      at += bytes;
    }
  } finally {
    closeSync(file);
  }
}

const PIECE_BYTES = 1024 * 1024;
/** Reading 2 GiB takes about 2 s, at every stop and start. */
const SEALED_BYTES_MAX = 2 * 1024 ** 3;
