import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';
import { lockFolder } from '#src/adapters/embedded/folder-lock.ts';
import { foldLog } from '#src/adapters/embedded/log-copy.ts';
import { CliError, EXIT, type CommandResult } from './command.ts';
import { isFolder } from './open-source.ts';

/**
 * Creates a log in an empty folder, and the folder if needed. The log is made under `partial` and gets its name when it
 * is complete and flushed to disk, so that half a log is never taken for a whole one. It is kept if the result of `make`
 * has exit code 0. Errors: CliError when the folder is not empty, FolderLocked.
 */
export async function createLogIn(
  dir: string,
  make: (partial: string) => Promise<CommandResult>,
): Promise<CommandResult> {
  // The lock would leave its file in a folder that is not a data folder.
  if (isFolder(dir) && !existsSync(join(dir, 'lock.db'))) mustBeEmpty(dir);
  const lock = lockFolder(dir);
  try {
    mustBeEmpty(dir);
    const partial = join(dir, PARTIAL);
    mkdirSync(partial);
    let result: CommandResult;
    try {
      result = await make(partial);
      if (result.exitCode === EXIT.fine) publish(partial, dir);
    } finally {
      rmSync(partial, { recursive: true });
    }
    flush(dir);
    return result;
  } finally {
    lock.release();
  }
}

function mustBeEmpty(dir: string): void {
  const others = readdirSync(dir).filter((name) => !name.startsWith('lock.db'));
  if (others.includes(PARTIAL)) {
    const remains = join(dir, PARTIAL);
    throw new CliError(`${remains} was left by an interrupted command; remove it first.`);
  }
  if (others.length > 0) throw new CliError(`${dir} is not empty: it holds ${others.join(', ')}.`);
}

function publish(partial: string, dir: string): void {
  foldLog(partial);
  flush(join(partial, 'log.db'));
  renameSync(join(partial, 'log.db'), join(dir, 'log.db'));
}

function flush(path: string): void {
  const file = openSync(path, 'r');
  fsyncSync(file);
  closeSync(file);
}

const PARTIAL = 'partial';
