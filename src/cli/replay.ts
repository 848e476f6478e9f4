import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projections } from '#projections/catalog.ts';
import { openIndexDump, type IndexDump } from '#src/adapters/embedded/index-dump.ts';
import { openLogFile } from '#src/adapters/embedded/log-file.ts';
import { openEmbeddedLog, type EmbeddedLog } from '#src/adapters/embedded/log.ts';
import type { Item } from '#src/adapters/embedded/dump.ts';
import {
  openReadDump,
  sameSpec,
  type CollectionDump,
  type ReadDump,
} from '#src/adapters/embedded/read-dump.ts';
import { readSnapshots } from '#src/adapters/embedded/snapshot-store.ts';
import { isDamage } from '#src/adapters/embedded/sqlite.ts';
import { START } from '#src/ports/event-store.ts';
import { EXIT, readArguments, type Command } from './command.ts';
import { firstDifference } from './compare.ts';
import { progressOf, print } from './output.ts';
import { refold, type Wanted } from './refold.ts';
import { isCurrent, snapshotDifference } from './snapshots.ts';

export const replayCommand: Command = {
  name: 'replay',
  takes: '<data folder>',
  does: 'fold the log again and compare with every read model and snapshot',
  help: `Works on a folder whose server runs, too: each file is compared as it is at one
moment, with what the log gives up to there. Folds into a folder of its own under
TMPDIR, which takes as much room as the read models do.`,

  async run(args) {
    const { positionals } = readArguments(args, ['The data folder'], {});
    const [dir = ''] = positionals;
    openLogFile(dir).close(); // Says what is wrong with the folder, if anything is.
    const log = openEmbeddedLog(dir);
    const temporary = mkdtempSync(join(tmpdir(), 'quipu-replay-'));
    try {
      const sound =
        (await derivedAreSound(dir, temporary, log)) && (await snapshotsAreSound(dir, log));
      if (sound) print('Equal: everything follows from the log.');
      return sound ? EXIT.fine : EXIT.difference;
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

async function derivedAreSound(dir: string, temporary: string, log: EmbeddedLog) {
  const kept = openReadDump(dir, log.logId);
  const keptIndex = openIndexDump(dir, log.logId);
  try {
    const progress = progressOf('Events folded');
    try {
      await refold(log, temporary, wantedOf(kept, keptIndex), progress.at);
    } catch (error) {
      print(`Different: the log cannot be folded: ${String(error)}`);
      return false;
    } finally {
      progress.end();
    }
    return isSound(temporary, log, kept, keptIndex);
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

function isSound(
  temporary: string,
  log: EmbeddedLog,
  kept: ReadDump | undefined,
  keptIndex: IndexDump | undefined,
): boolean {
  const folded = openReadDump(temporary, log.logId);
  const foldedIndex = openIndexDump(temporary, log.logId);
  try {
    for (const { collection } of projections) {
      const mine = ({ spec }: CollectionDump): boolean => sameSpec(spec, collection);
      const one = kept?.collections.find(mine);
      const other = folded?.collections.find(mine);
      if (one === undefined || other === undefined) {
        print(`${collection.name}: not built by this release yet; a server builds it`);
      } else if (!isEqual(collection.name, one.items(), other.items())) return false;
    }
    if (keptIndex === undefined || foldedIndex === undefined) {
      print('journal index: not built yet; a server builds it');
      return true;
    }
    return isEqual('journal index', keptIndex.items(), foldedIndex.items());
  } finally {
    folded?.close();
    foldedIndex?.close();
  }
}

function isEqual(name: string, kept: Iterable<Item>, folded: Iterable<Item>): boolean {
  const progress = progressOf(`${name}, items compared`);
  const found = firstDifference(kept, folded, progress.at);
  progress.end();
  if ('what' in found) print(`Different: ${name}: ${found.what}`);
  else print(`${name}: ${found.items} items equal`);
  return !('what' in found);
}

async function snapshotsAreSound(dir: string, log: EmbeddedLog): Promise<boolean> {
  for (const { journal, snapshot } of readSnapshots(dir)) {
    if (snapshot === undefined) {
      print(`Different: snapshot of ${journal}: it is torn, and no start will use it`);
      return false;
    }
    if (!isCurrent(journal, snapshot)) {
      print(`snapshot of ${journal}: of another release; no start of this one will use it`);
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
