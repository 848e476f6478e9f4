import { existsSync, statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { breakSeal } from './file-seal.ts';
import { prepareQuery, removeDatabase } from './sqlite.ts';

/** Reports to operators why a derived file is rebuilt from the log. */
export type ReportRebuild = (reason: string) => void;

/**
 * Opens a derived file and trusts nothing unchecked: `open` opens and prepares everything it needs, `check` returns
 * what is wrong with it. A file that is damaged, or of another log or format, is deleted and rebuilt by `make`. Errors:
 * those of `make`.
 */
export function openChecked<Opened extends Readonly<{ db: DatabaseSync }>>(
  path: string,
  {
    open,
    check,
    make,
    told,
  }: Readonly<{
    open: () => Opened;
    check: (opened: Opened, sealed: boolean) => string | undefined;
    make: () => Opened;
    told: ReportRebuild;
  }>,
): Opened {
  const seal = breakSeal(path);
  if (existsSync(path) && statSync(path).size > 0) {
    const found = seal === 'damaged' ? 'it is not what was left there' : attempt(open, check, seal);
    if (typeof found !== 'string') return found;
    told(found);
  } else if (seal !== 'unsealed') {
    told('it is gone');
  }
  removeDatabase(path);
  return make();
}

function attempt<Opened extends Readonly<{ db: DatabaseSync }>>(
  open: () => Opened,
  check: (opened: Opened, sealed: boolean) => string | undefined,
  seal: 'sound' | 'unsealed',
): Opened | string {
  let opened: Opened | undefined;
  try {
    opened = open();
    const flaw = check(opened, seal === 'sound');
    if (flaw === undefined) return opened;
    opened.db.close();
    return flaw;
  } catch (error) {
    if (opened?.db.isOpen === true) opened.db.close();
    return error instanceof Error ? error.message : String(error);
  }
}

/** Returns what SQLite finds wrong with a file: its size, and, if it is not too large, everything that it can check. */
export function structureFlaw(db: DatabaseSync, path: string): string | undefined {
  const [busy] = prepareQuery<[number]>(db, 'PRAGMA wal_checkpoint(TRUNCATE)').get() ?? [];
  const [pages] = prepareQuery<[number]>(db, 'PRAGMA page_count').get() ?? [];
  const [bytes] = prepareQuery<[number]>(db, 'PRAGMA page_size').get() ?? [];
  const { size } = statSync(path);
  if (busy === 0 && size !== Number(pages) * Number(bytes)) {
    return `it has ${String(size)} bytes, and should have ${String(Number(pages) * Number(bytes))}`;
  }
  if (size > CHECKED_BYTES_MAX) return undefined;
  const [found] = prepareQuery<[string]>(db, 'PRAGMA integrity_check(1)').get() ?? [];
  return found === 'ok' ? undefined : `SQLite finds: ${String(found)}`;
}

/** Checking this much takes about a second. */
const CHECKED_BYTES_MAX = 128 * 1024 * 1024;
