import type { Ids } from '#src/ports/ids.ts';
import type { EventStore } from '#src/ports/event-store.ts';
import { CommitQueue } from './commit-queue.ts';
import { logFile, openEmbeddedLog, type EmbeddedLog } from './log.ts';

export type EmbeddedEventStoreOptions = Readonly<{
  /** Names the log when the folder has none yet. */
  ids: Ids;
  /**
   * Told once, when an I/O error has ended the log's service: the process says so and ends, because what the
   * page cache shows after a failed flush is not what the disk holds. The next start recovers.
   */
  onFatal: (error: Error) => void;
  /** How long an append may take before it is rejected as Ambiguous; it may land later. */
  answerWithinMs?: number;
}>;

/**
 * Opens the log of a data folder, `log.db`. Appends are committed by a worker thread, all that wait in one
 * transaction and one flush to disk; reads run on the calling thread. The folder must be locked
 * (folder-lock.ts); should two processes write all the same, the second to do so ends with onFatal.
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
    subscribe: (after, take) => log.subscribe(after, take),
    async close() {
      await log.close(); // Who writes closes last, and takes the write-ahead log into the file.
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
