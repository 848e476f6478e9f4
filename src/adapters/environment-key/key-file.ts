import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { Damaged, Unavailable } from '#src/ports/errors.ts';
import type { RandomBytes } from '#src/ports/random-bytes.ts';

/** The keys of a data folder by the names of the settings that would replace them, in hex. */
export type FolderKeys<Name extends string> = Readonly<Record<Name, string>>;

/** Returns the path of the file with the keys of a data folder. */
export const keyFile = (dir: string): string => join(dir, 'keys');

/**
 * Reads the keys of a data folder, which exists. Missing ones are created for the owner of the folder alone, and are on
 * disk when it returns. Errors: Unavailable; Damaged if the file lacks a key.
 */
export function readFolderKeys<Name extends string>(
  dir: string,
  names: readonly Name[],
  {
    randomBytes,
    onCreated,
  }: Readonly<{ randomBytes: RandomBytes; onCreated: (file: string) => void }>,
): FolderKeys<Name> {
  const file = keyFile(dir);
  try {
    if (!existsSync(file)) {
      const lines = names.map(
        (name) => `${name}=${Buffer.from(randomBytes(32)).toString('hex')}\n`,
      );
      write(dir, file, lines.join(''));
      onCreated(file);
    }
    return parseKeys(readFileSync(file, 'utf8'), names, file);
  } catch (cause) {
    if (cause instanceof Damaged) throw cause;
    throw new Unavailable(`${file} cannot be read or created`, { cause });
  }
}

function parseKeys<Name extends string>(
  text: string,
  names: readonly Name[],
  file: string,
): FolderKeys<Name> {
  const found = parseEnv(text);
  for (const name of names) {
    if (!/^[0-9a-f]{64}$/i.test(found[name] ?? '')) {
      throw new Damaged(`${file} lacks ${name}, a key of 64 hex digits: restore it from a backup`);
    }
  }
  return found as FolderKeys<Name>;
}

/** Writes beside the file and renames, so that a crash leaves all of it or nothing. */
function write(dir: string, file: string, text: string): void {
  const draft = `${file}.new`;
  inFile(openSync(draft, 'w', 0o600), (open) => {
    writeSync(open, text);
  });
  renameSync(draft, file);
  inFile(openSync(dir, 'r'), () => {});
}

function inFile(open: number, work: (open: number) => void): void {
  try {
    work(open);
    fsyncSync(open);
  } finally {
    closeSync(open);
  }
}
