import type { LogFile } from '#src/adapters/embedded/log-file.ts';
import { systemIds } from '#src/adapters/system.ts';
import type { Revision } from '#src/kernel/ids.ts';
import { START, type EventStore, type StoredEvent } from '#src/ports/event-store.ts';
import { shownUrl } from '#src/bootstrap/store-urls.ts';
import { CliError, failed } from './command.ts';
import { anotherEvent, isSame, retryCopy } from './copier.ts';

/**
 * Opens the server under the id of the log that is copied to it. Errors: CliError when it cannot be reached, or holds
 * anything else; nothing was written then.
 */
export async function openTarget(url: string, { logId }: LogFile): Promise<EventStore> {
  const place = shownUrl(url);
  const { openEventStoreDbHere, reach, ANSWER_WITHIN_MS } =
    await import('#src/adapters/eventstoredb/event-store-here.ts');
  const { LOG_STREAM } = await import('#src/adapters/eventstoredb/stored.ts');
  try {
    const server = reach(url, ANSWER_WITHIN_MS);
    let foreign: StoredEvent | undefined;
    try {
      const [name] = await server.read(LOG_STREAM, 0, 1);
      if (name === undefined) [foreign] = await server.readAll(START, 1);
    } finally {
      await server.close();
    }
    if (foreign !== undefined) {
      throw new CliError(
        `${place} is not empty: it holds the stream ${foreign.stream}, which is not part of a copy.`,
      );
    }
    const store = await openEventStoreDbHere(url, { ids: systemIds(), logId });
    if (store.logId === logId) return store;
    await store.close();
    throw new CliError(`${place} already holds the log ${store.logId}, not ${logId}.`);
  } catch (cause) {
    if (cause instanceof CliError) throw cause;
    throw failed(place, cause);
  }
}

/**
 * Returns the last revision of each journal in the target. It compares only the last event that both have, whose hash
 * covers those before it. Errors: CliError when it differs, or when both have new events since the copy.
 */
export async function endsIn(
  target: Pick<EventStore, 'last' | 'read'>,
  source: LogFile,
): Promise<Map<string, Revision>> {
  const ends = new Map<string, Revision>();
  const ahead: string[] = [];
  const behind: string[] = [];

  const look = async ([journal, end]: readonly [string, Revision]): Promise<void> => {
    const last = await retryCopy(() => target.last(journal));
    if (last === undefined || last.revision < end) behind.push(journal);
    if (last === undefined) return;
    if (last.revision > end) ahead.push(journal);
    const common = Math.min(last.revision, end);
    const ours = source.at(journal, common);
    const theirs =
      common === last.revision ? last : (await retryCopy(() => target.read(journal, common, 1)))[0];
    if (ours === undefined || !isSame(ours, theirs)) throw anotherEvent(journal, common);
    ends.set(journal, last.revision);
  };

  const all = [...source.ends()];
  for (let n = 0; n < all.length; n += AT_ONCE) {
    const looks = await Promise.allSettled(all.slice(n, n + AT_ONCE).map(look));
    const failed = looks.find((one) => one.status === 'rejected');
    if (failed !== undefined) throw failed.reason; // No comparison is still running.
  }
  const [theirs] = ahead;
  if (theirs !== undefined && behind.length > 0) {
    throw new CliError(
      `Both the target and the folder have new events since the last copy, the target in ${theirs}: only one of them can continue.`,
    );
  }
  return ends;
}

const AT_ONCE = 16;
