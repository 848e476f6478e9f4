import { accessSync, constants, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorCode, isDamage, SQLITE_FULL } from './sqlite.ts';

/** A file of the data folder cannot be used. The message is one line for operators: which file, and why. */
export class FolderFault extends Error {
  /** True when a setting or permission must change; false when the disk or its content is at fault. */
  readonly isSetup: boolean;

  constructor(message: string, isSetup: boolean, options?: ErrorOptions) {
    super(message, options);
    this.name = 'FolderFault';
    this.isSetup = isSetup;
  }
}

/** Turns an error of the file system or of SQLite into a FolderFault; returns any other error as it is. */
export function folderFault(error: unknown, fallbackPath: string): unknown {
  if (error instanceof FolderFault) return error;
  const cause = rootOf(error);
  if (cause === undefined) return error;
  const path = cause.path ?? fallbackPath;
  const reason = reasonOf(cause, path);
  const advice = reason.isSetup ? ' Change it, or set another DATA_DIR.' : '';
  return new FolderFault(`${path} cannot be used: ${reason.text}.${advice}`, reason.isSetup, {
    cause: error,
  });
}

/** Returns true for an error of a disk that is full, read-only or broken: neither the program nor the data is at fault. */
export function isDiskFault(error: unknown): boolean {
  const cause = rootOf(error);
  return cause !== undefined && (DISK.has(cause.code) || errorCode(cause) === SQLITE_FULL);
}

const DISK = new Set(['EROFS', 'ENOSPC', 'EDQUOT', 'EIO']);

type Reason = Readonly<{ text: string; isSetup: boolean }>;
type SystemError = Error & Readonly<{ code: string; path?: string }>;

/** Finds the error of the file system or SQLite among the causes of an error. */
function rootOf(error: unknown): SystemError | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code } = error as Partial<SystemError>;
  const isOurs =
    code === 'ERR_SQLITE_ERROR' || (code !== undefined && Object.hasOwn(REASONS, code));
  return isOurs ? (error as SystemError) : rootOf(error.cause);
}

function reasonOf(fault: SystemError, path: string): Reason {
  const known = REASONS[fault.code];
  if (known !== undefined) return known;
  if (isDamage(fault)) return { text: `it is damaged (${fault.message})`, isSetup: false };
  const reported = { text: fault.message, isSetup: false };
  // SQLite reports a file that it may not write, or has no space for, as one that cannot be opened.
  return errorCode(fault) === SQLITE_FULL ? REASONS['ENOSPC']! : (reasonFoundAt(path) ?? reported);
}

function reasonFoundAt(path: string): Reason | undefined {
  for (const [what, mode] of [
    [dirname(path), constants.R_OK | constants.W_OK | constants.X_OK],
    [path, constants.R_OK | constants.W_OK],
  ] as const) {
    try {
      accessSync(what, mode);
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      if (code !== 'ENOENT' || what !== path) return REASONS[code];
    }
  }
  return isFull(dirname(path)) ? REASONS['ENOSPC'] : undefined;
}

function isFull(dir: string): boolean {
  const { bavail, bsize } = statfsSync(dir);
  return bavail * bsize < LITTLE_BYTES;
}

/** The code of the error of a file whose format this release does not know. */
export const UNKNOWN_FORMAT = 'QUIPU_UNKNOWN_FORMAT';

const REASONS: Readonly<Record<string, Reason>> = {
  [UNKNOWN_FORMAT]: { text: 'a newer release wrote it, or it is damaged', isSetup: false },
  EACCES: { text: 'permission is denied (EACCES)', isSetup: true },
  EPERM: { text: 'the operation is not permitted (EPERM)', isSetup: true },
  ENOTDIR: { text: 'a part of its path is not a folder (ENOTDIR)', isSetup: true },
  EISDIR: { text: 'it is a folder (EISDIR)', isSetup: true },
  EEXIST: { text: 'it exists and is not a folder (EEXIST)', isSetup: true },
  ENOENT: { text: 'it cannot be created there (ENOENT)', isSetup: true },
  ENAMETOOLONG: { text: 'its path is too long (ENAMETOOLONG)', isSetup: true },
  ELOOP: { text: 'its path has too many symbolic links (ELOOP)', isSetup: true },
  EROFS: { text: 'the file system is read-only (EROFS)', isSetup: false },
  ENOSPC: { text: 'no space is left on the device (ENOSPC)', isSetup: false },
  EDQUOT: { text: 'the disk quota is used up (EDQUOT)', isSetup: false },
  EIO: { text: 'the device failed (EIO)', isSetup: false },
  EMFILE: { text: 'the process has too many open files (EMFILE)', isSetup: false },
  ENFILE: { text: 'the machine has too many open files (ENFILE)', isSetup: false },
};

/** Space that SQLite needs next to an open file: an index of the write-ahead log, of two pages of 32 KiB. */
const LITTLE_BYTES = 64 * 1024;
