import { resolve } from 'node:path';
import { lockFolder } from '#src/adapters/embedded/folder-lock.ts';
import { openEmbeddedLog } from '#src/adapters/embedded/log.ts';
import { systemIds } from '#src/adapters/system.ts';
import type { Uuid } from '#src/domain/ids.ts';
import { Unavailable } from '#src/ports/errors.ts';
import type { EventStore } from '#src/ports/event-store.ts';
import { shownUrl } from '#src/profiles/places.ts';
import { EXIT, readArguments, Trouble, type Command } from './command.ts';
import { copyingTo } from './copying.ts';
import { counted, progressOf, say, tell } from './output.ts';
import { eventsOfFolder } from './source.ts';
import { sayDifference, verified } from './verifying.ts';

export const copyCommand: Command = {
  name: 'copy',
  takes: '--from embedded:[folder] --to esdb://host:2113',
  does: 'move all journals to an event store server, verifying them on the way',
  help: `Events keep their ids, bytes and order, and the log its id: consistency tokens and
cursors inside a journal stay valid. What is there already is compared and not written
again, so an interrupted copy is simply started again, and one that was made while
the server ran is completed after it has stopped. The first event that is not sound ends it. The
target must be empty, or hold a copy of this log.`,

  async run(args) {
    const { values } = readArguments(args, [], {
      from: { type: 'string' },
      to: { type: 'string' },
    });
    const folder = folderIn(values.from);
    const to = serverIn(values.to);
    const isRunning = !isFree(folder);
    const target = await open(to, await logIdOf(folder));
    try {
      const copying = copyingTo(target);
      const progress = progressOf('Events copied');
      const checked = await verified(eventsOfFolder(folder), progress, (sound) =>
        copying.take(sound),
      );
      if (sayDifference(checked, `Before it ${counted(copying.written(), 'event')} were copied.`)) {
        return EXIT.difference;
      }
      const { events, journals } = checked;
      say(
        `${shownUrl(to)} holds ${counted(events, 'event')} in ${counted(journals.length, 'journal')} ` +
          `of log ${target.logId}: sound; ${counted(copying.written(), 'event')} were new to it.`,
      );
      if (isRunning) tell('A server runs on the folder: stop it, and copy once more.');
      return EXIT.fine;
    } finally {
      await target.close();
    }
  },
};

function folderIn(from = ''): string {
  const folder = /^embedded:(.*)$/.exec(from)?.[1];
  if (folder === undefined) throw new Trouble('--from is embedded: or embedded:<data folder>.');
  return resolve(folder === '' ? (process.env['DATA_DIR'] ?? './data') : folder);
}

function serverIn(to = ''): string {
  if (!/^(esdb|kurrentdb|kdb)(\+discover)?:\/\/./.test(to)) {
    throw new Trouble(
      '--to is the address of an event store, like esdb://127.0.0.1:2113?tls=false.',
    );
  }
  return to;
}

async function logIdOf(folder: string): Promise<Uuid> {
  try {
    const log = openEmbeddedLog(folder);
    await log.close();
    return log.logId;
  } catch (cause) {
    throw new Trouble(`${folder} is no data folder.`, { cause });
  }
}

function isFree(folder: string): boolean {
  try {
    lockFolder(folder).release();
    return true;
  } catch {
    return false;
  }
}

/** The target under the id of the log that is copied. */
async function open(url: string, logId: Uuid): Promise<EventStore> {
  const { openEventStoreDbHere } = await import('#src/adapters/eventstoredb/event-store-here.ts');
  try {
    const store = await openEventStoreDbHere(url, { ids: systemIds(), logId });
    if (store.logId === logId) return store;
    await store.close();
    throw new Trouble(`${shownUrl(url)} holds the log ${store.logId} already.`);
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    throw new Trouble(error.message, { cause: error });
  }
}
