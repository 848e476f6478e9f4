import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projections } from '#src/bootstrap/projections.ts';
import { openIndexDump, type IndexDump } from '#src/adapters/embedded/index-dump.ts';
import { openLogFile } from '#src/adapters/embedded/log-file.ts';
import { openEmbeddedLog, type EmbeddedLog } from '#src/adapters/embedded/log.ts';
import type { DumpItem } from '#src/adapters/embedded/dump.ts';
import {
  openReadDump,
  sameSpec,
  type CollectionDump,
  type ReadDump,
} from '#src/adapters/embedded/read-dump.ts';
import { readSnapshots } from '#src/adapters/embedded/snapshot-store.ts';
import { isDamage } from '#src/adapters/embedded/sqlite.ts';
import { START } from '#src/ports/event-store.ts';
import { CliError, EXIT, readArguments, type Command } from './command.ts';
import { firstDifference } from './first-difference.ts';
import { counted, print, withProgress } from './output.ts';
import { refold, type Wanted } from './refold.ts';
import { isCurrent, snapshotDifference } from './snapshot-difference.ts';

export const replayCommand: Command = {
  name: 'replay',
  takes: '<data folder>',
  does: 'rebuild read models and snapshots from the log, and compare them',
  help: `Works also while a server runs on the folder: each file is compared as it is at one
moment, with the log up to that moment. Rebuilds in a temporary folder under TMPDIR,
which takes as much space as the read models do.

Exits with 0 if everything that was compared is equal, with 1 after printing the first
difference, and with 2 if there are no read models to compare.`,

  async run(args) {
    const { positionals } = readArguments(args, ['The data folder'], {});
    const [dir = ''] = positionals;
    mustHoldEvents(dir);
    const log = openEmbeddedLog(dir);
    const temporary = mkdtempSync(join(tmpdir(), 'quipu-replay-'));
    try {
      const found: Comparison = { compared: [], notBuilt: [] };
      const sound =
        (await derivedAreSound(dir, temporary, log, found)) && (await snapshotsAreSound(dir, log));
      if (!sound) return EXIT.difference;
      print(conclusionOf(dir, found));
      return EXIT.fine;
    } catch (error) {
      if (!isDamage(error)) throw error;
      print(`Different: a file of ${dir} is damaged: ${String(error)}`);
      return EXIT.difference;
    } finally {
      await log.close();
      rmSync(temporary, { recursive: true });
    }
  },
};

/** The read models and the index of a folder: those that were compared, and those that do not exist yet. */
type Comparison = Readonly<{ compared: string[]; notBuilt: string[] }>;

/** Requires a log with events, because nothing can be derived from an empty one. Errors: NoLog, CliError. */
function mustHoldEvents(dir: string): void {
  const file = openLogFile(dir);
  const last = file.last();
  file.close();
  if (last === 0) throw new CliError(`The log of ${dir} holds no events: nothing was compared.`);
}

/** Describes the result. Errors: CliError when nothing was compared that serves queries. */
function conclusionOf(dir: string, { compared, notBuilt }: Comparison): string {
  if (!compared.some((name) => name !== INDEX)) {
    throw new CliError(
      `${dir} has no read models of this release: nothing was compared. Start a server on it to build them.`,
    );
  }
  if (notBuilt.length === 0) return 'Equal: everything follows from the log.';
  return `Equal: everything that was compared follows from the log. Not compared: ${notBuilt.join(', ')}.`;
}

async function derivedAreSound(
  dir: string,
  temporary: string,
  log: EmbeddedLog,
  found: Comparison,
) {
  const kept = openReadDump(dir, log.logId);
  const keptIndex = openIndexDump(dir, log.logId);
  try {
    try {
      await withProgress('Events folded', (report) =>
        refold(log, temporary, wantedOf(kept, keptIndex), report),
      );
    } catch (error) {
      print(`Different: the read models cannot be built from the log: ${String(error)}`);
      return false;
    }
    return await isSound(temporary, log, { kept, keptIndex }, found);
  } finally {
    kept?.close();
    keptIndex?.close();
  }
}

function wantedOf(kept: ReadDump | undefined, index: IndexDump | undefined): Wanted {
  const collections = projections.flatMap((projection) => {
    const dump = kept?.collections.find(({ spec }) => sameSpec(spec, projection.collection));
    return dump === undefined ? [] : [{ projection, upTo: dump.checkpoint }];
  });
  return { collections, index: index?.checkpoint ?? START };
}

type Kept = Readonly<{ kept: ReadDump | undefined; keptIndex: IndexDump | undefined }>;

async function isSound(
  temporary: string,
  log: EmbeddedLog,
  { kept, keptIndex }: Kept,
  { compared, notBuilt }: Comparison,
): Promise<boolean> {
  const folded = openReadDump(temporary, log.logId);
  const foldedIndex = openIndexDump(temporary, log.logId);
  try {
    for (const { collection } of projections) {
      const mine = ({ spec }: CollectionDump): boolean => sameSpec(spec, collection);
      const one = kept?.collections.find(mine);
      const other = folded?.collections.find(mine);
      if (one === undefined || other === undefined || one.checkpoint === START) {
        notBuilt.push(collection.name);
      } else if (await isEqual(collection.name, one.items(), other.items())) {
        compared.push(collection.name);
      } else return false;
    }
    if (keptIndex === undefined || foldedIndex === undefined || keptIndex.checkpoint === START) {
      notBuilt.push(INDEX);
      return true;
    }
    compared.push(INDEX);
    return await isEqual(INDEX, keptIndex.items(), foldedIndex.items());
  } finally {
    folded?.close();
    foldedIndex?.close();
  }
}

async function isEqual(
  name: string,
  kept: Iterable<DumpItem>,
  folded: Iterable<DumpItem>,
): Promise<boolean> {
  const found = await withProgress(`${name}, items compared`, (report) =>
    firstDifference(kept, folded, report),
  );
  if ('what' in found) print(`Different: ${name}: ${found.what}`);
  else print(`${name}: ${counted(found.items, 'item')} equal`);
  return !('what' in found);
}

const INDEX = 'journal index';

async function snapshotsAreSound(dir: string, log: EmbeddedLog): Promise<boolean> {
  for (const { journal, snapshot } of readSnapshots(dir)) {
    if (snapshot === undefined) {
      print(`Different: snapshot of ${journal}: it is damaged, and a start ignores it`);
      return false;
    }
    if (!isCurrent(journal, snapshot)) {
      print(`snapshot of ${journal}: written by another release, and ignored by this one`);
      continue;
    }
    const what = await snapshotDifference(log, journal, snapshot);
    if (what !== undefined) {
      print(`Different: snapshot of ${journal} at revision ${snapshot.revision}: ${what}`);
      return false;
    }
    print(`snapshot of ${journal}: equal at revision ${snapshot.revision}`);
  }
  return true;
}
