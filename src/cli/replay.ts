import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bodiesFromLog } from '#src/bootstrap/bodies-from-log.ts';
import { projections } from '#src/bootstrap/projections.ts';
import { isDiskFault } from '#src/adapters/embedded/folder-fault.ts';
import { openIndexDump, type IndexDump } from '#src/adapters/embedded/index-dump.ts';
import { openLogFile } from '#src/adapters/embedded/log-file.ts';
import { openLoggedBodies } from '#src/adapters/embedded/logged-bodies.ts';
import { openEmbeddedLog, type EmbeddedLog } from '#src/adapters/embedded/log.ts';
import {
  openReadDump,
  sameSpec,
  type CollectionDump,
  type ReadDump,
} from '#src/adapters/embedded/read-dump.ts';
import { readSnapshots } from '#src/adapters/embedded/snapshot-store.ts';
import { isDamage } from '#src/adapters/embedded/sqlite.ts';
import type { Revision } from '#src/kernel/ids.ts';
import { START } from '#src/ports/event-store.ts';
import {
  CliError,
  EXIT,
  failed,
  readArguments,
  type Command,
  type CommandResult,
  type ResultOutput,
} from './command.ts';
import { firstDifference } from './first-difference.ts';
import { counted, withProgress } from './output.ts';
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
  document: `{ equal, compared: [{ name, items }], notCompared, snapshots: [{ journal, revision,
comparable }] } or { equal, difference }`,

  async run(args, { print }) {
    const { positionals } = readArguments(args, ['The data folder'], {});
    const [dir = ''] = positionals;
    mustHoldEvents(dir);
    const log = openEmbeddedLog(dir);
    const { path: temporary, remove } = temporaryFolder();
    try {
      const found: Comparison = { compared: [], notCompared: [], snapshots: [], print };
      const difference =
        (await derivedDifference(dir, temporary, log, found)) ??
        (await snapshotsDifference(dir, log, found));
      if (difference !== undefined) return resultOf(difference, print);
      print(conclusionOf(dir, found));
      const { compared, notCompared, snapshots } = found;
      return {
        exitCode: EXIT.fine,
        document: { equal: true, compared, notCompared, snapshots },
      };
    } catch (error) {
      if (!isDamage(error)) throw error;
      return resultOf(`a file of ${dir} is damaged: ${String(error)}`, print);
    } finally {
      await log.close();
      remove();
    }
  },
};

/** Creates a folder that is removed also before a signal ends the process: it may be large, and nobody knows its name. */
function temporaryFolder(): Readonly<{ path: string; remove: () => void }> {
  let path = '';
  const remove = (): void => {
    for (const signal of INTERRUPTIONS) process.removeListener(signal, end);
    rmSync(path, { recursive: true, force: true });
  };
  const end = (signal: NodeJS.Signals): void => {
    remove();
    process.kill(process.pid, signal);
  };
  for (const signal of INTERRUPTIONS) process.on(signal, end); // First, so that no signal comes between.
  try {
    path = mkdtempSync(join(tmpdir(), 'quipu-replay-'));
  } catch (cause) {
    throw failed('The temporary folder cannot be created', cause);
  }
  return { path, remove };
}

const INTERRUPTIONS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

function resultOf(difference: string, print: ResultOutput['print']): CommandResult {
  print(`Different: ${difference}`);
  return {
    exitCode: EXIT.difference,
    document: { equal: false, difference: { what: difference } },
  };
}

/** The result so far, which is printed line by line. */
type Comparison = Readonly<{
  /** The read models and the index that were compared, and those that do not exist yet. */
  compared: { name: string; items: number }[];
  notCompared: string[];
  /** A snapshot of another release is not comparable, and ignored by this one. */
  snapshots: { journal: string; revision: Revision; comparable: boolean }[];
  print: ResultOutput['print'];
}>;

/** Requires a log with events, because nothing can be derived from an empty one. Errors: NoLog, CliError. */
function mustHoldEvents(dir: string): void {
  const file = openLogFile(dir);
  const last = file.last();
  file.close();
  if (last === 0) throw new CliError(`The log of ${dir} holds no events: nothing was compared.`);
}

/** Describes the result. Errors: CliError when nothing was compared that serves queries. */
function conclusionOf(dir: string, { compared, notCompared }: Comparison): string {
  if (!compared.some(({ name }) => name !== INDEX)) {
    throw new CliError(
      `${dir} has no read models of this release: nothing was compared. Start a server on it to build them.`,
    );
  }
  if (notCompared.length === 0) return 'Equal: everything follows from the log.';
  return `Equal: everything that was compared follows from the log. Not compared: ${notCompared.join(', ')}.`;
}

/** Returns the first difference of the read models and the index. */
async function derivedDifference(
  dir: string,
  temporary: string,
  log: EmbeddedLog,
  found: Comparison,
): Promise<string | undefined> {
  const kept = openReadDump(dir, log.logId);
  const keptIndex = openIndexDump(dir, log.logId);
  try {
    try {
      await withProgress('Events folded', (report) =>
        refold(
          { log, bodies: openLoggedBodies(dir, bodiesFromLog) },
          temporary,
          wantedOf(kept, keptIndex),
          report,
        ),
      );
    } catch (error) {
      if (isDiskFault(error)) throw error; // It is about the temporary folder, and not about the log.
      return `the read models cannot be built from the log: ${String(error)}`;
    }
    return await firstIn(temporary, log, { kept, keptIndex }, found);
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

async function firstIn(
  temporary: string,
  log: EmbeddedLog,
  { kept, keptIndex }: Kept,
  found: Comparison,
): Promise<string | undefined> {
  const folded = openReadDump(temporary, log.logId);
  const foldedIndex = openIndexDump(temporary, log.logId);
  try {
    for (const { collection } of projections) {
      const mine = ({ spec }: CollectionDump): boolean => sameSpec(spec, collection);
      const one = kept?.collections.find(mine);
      const other = folded?.collections.find(mine);
      if (one === undefined || other === undefined || one.checkpoint === START) {
        found.notCompared.push(collection.name);
      } else {
        const difference = await compare(collection.name, one, other, found);
        if (difference !== undefined) return difference;
      }
    }
    if (keptIndex === undefined || foldedIndex === undefined || keptIndex.checkpoint === START) {
      found.notCompared.push(INDEX);
      return undefined;
    }
    return await compare(INDEX, keptIndex, foldedIndex, found);
  } finally {
    folded?.close();
    foldedIndex?.close();
  }
}

async function compare(
  name: string,
  kept: Pick<CollectionDump, 'items' | 'count'>,
  folded: Pick<CollectionDump, 'items'>,
  { compared, print }: Comparison,
): Promise<string | undefined> {
  const of = kept.count();
  const found = await withProgress(`${name}, items compared`, (report) =>
    firstDifference(kept.items(), folded.items(), (items) => {
      report(items, of);
    }),
  );
  if ('what' in found) return `${name}: ${found.what}`;
  compared.push({ name, items: found.items });
  print(`${name}: ${counted(found.items, 'item')} equal`);
  return undefined;
}

const INDEX = 'journal index';

/** Returns the first difference of the snapshots. */
async function snapshotsDifference(
  dir: string,
  log: EmbeddedLog,
  { snapshots, print }: Comparison,
): Promise<string | undefined> {
  for (const { journal, snapshot } of readSnapshots(dir)) {
    if (snapshot === undefined) {
      return `snapshot of ${journal}: it is damaged, and a start ignores it`;
    }
    const { revision } = snapshot;
    const comparable = isCurrent(journal, snapshot);
    snapshots.push({ journal, revision, comparable });
    if (!comparable) {
      print(`snapshot of ${journal}: written by another release, and ignored by this one`);
      continue;
    }
    const what = await withProgress(`snapshot of ${journal}, events folded`, (report) =>
      snapshotDifference(log, journal, snapshot, report),
    );
    if (what !== undefined) return `snapshot of ${journal} at revision ${revision}: ${what}`;
    print(`snapshot of ${journal}: equal at revision ${revision}`);
  }
  return undefined;
}
