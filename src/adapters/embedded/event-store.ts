import type { Ids } from '#src/ports/ids.ts';
import type { EventStore } from '#src/ports/event-store.ts';
import { CommitQueue } from './commit-queue.ts';
import { logFile, openEmbeddedLog, type EmbeddedLog } from './log.ts';

export type EmbeddedEventStoreOptions = Readonly<{
  /** Generates the log's id when the folder has no log yet. */
  ids: Ids;
  /**
   * Called once, when an I/O error has stopped the log. The process should report it and exit, because after a failed
   * flush the page cache differs from the disk. The next start recovers.
   */
  onFatal: (error: Error) => void;
  /** The time an append may take, in milliseconds, before it is rejected as Ambiguous; it may land later. */
  answerWithinMs?: number;
}>;

/**
 * Opens the log of a data folder, `log.db`. A worker thread commits all waiting appends in one transaction and one
 * flush to disk; reads run on the calling thread. The folder must be locked (folder-lock.ts); if two processes write
 * nevertheless, the second to do so ends with onFatal.
 */
export async function openEmbeddedEventStore(
  dir: string,
  { ids, onFatal, answerWithinMs = ANSWER_WITHIN_MS }: EmbeddedEventStoreOptions,
): Promise<EventStore> {
  const commits = await CommitQueue.start({
    path: logFile(dir),
    newLogId: ids.next(),
    answerWithinMs,
    onFatal,
  });
  const log = await openLogBeside(commits, dir);

  return {
    logId: log.logId,
    exclusive: true,
    append: (stream, events, expected) => commits.append(stream, events, expected),
    read: (stream, from, limit) => log.read(stream, from, limit),
    readAll: (after, limit) => log.readAll(after, limit),
    at: (position) => log.at(position),
    last: (stream) => log.last(stream),
    end: () => log.end(),
    positionAt: (instant) => log.positionAt(instant),
    subscribe: (after, take) => log.subscribe(after, take),
    async close() {
      await log.close(); // The writer closes last, and folds the write-ahead log into the file.
      await commits.close();
    },
  };
}

async function openLogBeside(commits: CommitQueue, dir: string): Promise<EmbeddedLog> {
  try {
    return openEmbeddedLog(dir);
  } catch (error) {
    await commits.close(); // Its thread would outlive the failure.
    throw error;
  }
}

const ANSWER_WITHIN_MS = 10_000;
