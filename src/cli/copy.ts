import { resolve } from 'node:path';
import { FolderLocked, lockFolder, type FolderLock } from '#src/adapters/embedded/folder-lock.ts';
import { openLogFile, type LogFile } from '#src/adapters/embedded/log-file.ts';
import { keyFile } from '#src/adapters/environment-key/key-file.ts';
import { Unavailable } from '#src/ports/errors.ts';
import { shownUrl } from '#src/bootstrap/store-urls.ts';
import {
  readDataFolder,
  openTargetStores,
  type DataFolder,
  type TargetStores,
} from './data-folder.ts';
import {
  CliError,
  failed,
  readArguments,
  type Command,
  type CommandResult,
  type ResultOutput,
} from './command.ts';
import { endsIn, openTarget } from './copy-target.ts';
import { createCopier } from './copier.ts';
import { movePublished } from './move-published.ts';
import { moveSecrets, moveTokens, mustTakeSecrets } from './move-secrets.ts';
import { counted, warn } from './output.ts';
import { eventsOfFolder } from './source-folder.ts';
import { resultIfDifferent, soundResult, verifySource, type Sink } from './pipeline.ts';

export const copyCommand: Command = {
  name: 'copy',
  takes: '--from embedded:[folder] --to esdb://host:2113 [--with mongodb://host:27017]',
  does: 'move all journals to an event store server, verifying them on the way',
  help: `Events keep their ids, bytes and order, and the log keeps its id: consistency tokens
and cursors within a journal stay valid. Events that the target already has are compared
and not written again. If a copy is interrupted, run it again; if the server was running,
run it again after stopping the server. The command stops at the first event that does
not match. The target must be empty, or hold a copy of this log.

--with names the MongoDB of the new deployment, its READ_STORE_URL. Secrets, their search tokens and the
positions up to which events were published move there once the server has stopped; a
folder that has any cannot be moved without it. Everything else is rebuilt from the log:
start the new deployment with an empty DATA_DIR.`,
  document: `{ sound, logId, copied, serverRuns, moved: { secrets, topics }, events, journals }
or { sound, difference }`,

  async run(args, { print }) {
    const { values } = readArguments(args, [], {
      from: { type: 'string' },
      to: { type: 'string' },
      with: { type: 'string' },
    });
    const folder = folderIn(values.from);
    const to = serverIn(values.to);
    const mongo = mongoIn(values.with);
    await using open = new AsyncDisposableStack();
    const source = openLogFile(folder);
    open.defer(() => source.close());
    const lock = lockUnlessServed(folder);
    open.defer(() => lock?.release());
    const kept = await readable(folder);
    open.defer(() => kept.close());
    mustHaveTarget(kept, mongo);
    const stores = mongo === undefined ? undefined : await openTargetStores(mongo);
    open.defer(() => stores?.close());
    const isStopped = lock !== undefined;
    return await copy({ folder, to, source, kept, stores, isStopped, print });
  },
};

type CopyJob = Readonly<{
  folder: string;
  to: string;
  source: LogFile;
  kept: DataFolder;
  stores: TargetStores | undefined;
  /** No server runs on the folder, and none can start meanwhile. */
  isStopped: boolean;
  print: ResultOutput['print'];
}>;

async function copy(job: CopyJob): Promise<CommandResult> {
  const { folder, to, source, kept, stores, isStopped, print } = job;
  const { secrets, published } = kept;
  if (stores && secrets) await mustTakeSecrets(secrets, stores.secrets);
  await using open = new AsyncDisposableStack();
  const target = await openTarget(to, source);
  open.defer(() => target.close());
  const moving = movePublished(published, target, source.last());
  const copier = createCopier(target, await endsIn(target, source));
  const sink: Sink = {
    async take(items) {
      await copier.take(items);
      await moving.take(items);
    },
  };
  const checked = await verifySource(eventsOfFolder(folder), 'Events copied', { sink });
  const before = `Events copied before it: ${copier.written()}.`;
  const different = resultIfDifferent(checked, print, before);
  if (different !== undefined) return different;
  let moved: Readonly<{ secrets: number; topics: number }> | undefined;
  if (stores && isStopped) {
    moved = {
      secrets: secrets ? await moveSecrets(secrets, stores.secrets) : 0,
      topics: published.size,
    };
    if (kept.tokens) await moveTokens(kept.tokens, stores.tokens);
    for (const topic of await moving.save(stores.checkpoints)) {
      warn(`${topic} has been published further by the new deployment.`);
    }
    print(
      `Moved ${counted(moved.secrets, 'secret')} and the published positions of ${counted(moved.topics, 'topic')}.`,
    );
  }
  const { events, journals } = checked;
  print(
    `${shownUrl(to)} holds ${counted(events, 'event')} in ${counted(journals.length, 'journal')} ` +
      `of log ${target.logId}: sound. New events copied: ${copier.written()}.`,
  );
  if (kept.hasKeyFile) {
    warn(
      `Personal data opens only with the keys in ${keyFile(folder)}: give them to the new deployment as settings.`,
    );
  }
  if (!isStopped) warn('A server is running on the folder. Stop it, then copy again.');
  const { logId } = target;
  return soundResult(checked, { logId, copied: copier.written(), serverRuns: !isStopped, moved });
}

function folderIn(from = ''): string {
  const folder = /^embedded:(.*)$/.exec(from)?.[1];
  if (folder === undefined)
    throw new CliError('--from must be embedded: or embedded:<data folder>.');
  return resolve(folder === '' ? (process.env['DATA_DIR'] ?? './data') : folder);
}

function serverIn(to = ''): string {
  if (!/^(esdb|kurrentdb|kdb)(\+discover)?:\/\/./.test(to)) {
    throw new CliError(
      '--to must be the URL of an event store, such as esdb://127.0.0.1:2113?tls=false.',
    );
  }
  return to;
}

function mongoIn(url: string | undefined): string | undefined {
  if (url === undefined || /^mongodb(\+srv)?:\/\/./.test(url)) return url;
  throw new CliError(
    '--with must be the URL of a MongoDB, such as mongodb://127.0.0.1:27017/quipu.',
  );
}

/** Undefined if a server runs on the folder. */
function lockUnlessServed(folder: string): FolderLock | undefined {
  try {
    return lockFolder(folder);
  } catch (error) {
    if (error instanceof FolderLocked) return undefined;
    throw error;
  }
}

async function readable(folder: string): Promise<DataFolder> {
  try {
    return await readDataFolder(folder);
  } catch (cause) {
    throw cause instanceof Unavailable ? failed(folder, cause) : cause;
  }
}

function mustHaveTarget({ secrets, published }: DataFolder, mongo: string | undefined): void {
  if (mongo !== undefined || (secrets === undefined && published.size === 0)) return;
  const what = [
    ...(secrets === undefined ? [] : ['secrets']),
    ...(published.size === 0 ? [] : ['positions up to which events were published']),
  ];
  throw new CliError(
    `The folder holds ${what.join(' and ')}: name the MongoDB of the new deployment with ` +
      '--with mongodb://…. Nothing was copied.',
  );
}
