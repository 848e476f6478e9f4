import { statSync } from 'node:fs';
import { NoLog, openLogFile, type LogFile } from '#src/adapters/embedded/log-file.ts';
import type { JournalEvent } from '#src/resources/journal.ts';
import type { Difference } from '#src/verify/difference.ts';
import { eventsOfFile } from './source-file.ts';
import { eventsOfUrl } from './source-url.ts';

/** One event with its journal, which lines of a single journal do not name. */
export type Read = Readonly<{ journal: string | undefined; event: JournalEvent }>;

/** Events in order, some at a time; a difference is what could not even be read as one. */
export type Source = AsyncIterable<readonly (Read | Difference)[]>;

export const isDifference = (read: Read | Difference): read is Difference => 'what' in read;

/** What a word of the command line names: a URL, a data folder, a file, or stdin. */
export function sourceOf(word: string): Source {
  if (/^https?:\/\//.test(word)) return eventsOfUrl(word);
  if (word !== '-' && isFolder(word)) return eventsOfFolder(word);
  return eventsOfFile(word);
}

export const isFolder = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** The whole log as it is when the reading begins, in its own order; also beside a running server. */
export async function* eventsOfFolder(dir: string): Source {
  const log = openLogFile(dir);
  try {
    const last = log.last();
    for (let next = 1; next <= last;) {
      const reads = readFrom(log, next, last);
      yield reads;
      next += reads.length;
    }
  } finally {
    log.close();
  }
}

/** At least one; where the file cannot be read it goes event by event to the first that cannot. */
function readFrom(log: LogFile, next: number, last: number, limit = SLICE): (Read | Difference)[] {
  let slice;
  try {
    slice = log.slice(next, Math.min(limit, last - next + 1));
  } catch (error) {
    if (!(error instanceof NoLog)) throw error;
    if (limit > 1) return readFrom(log, next, last, 1);
    return [{ journal: 'event number', revision: next, eventId: '', what: error.message }];
  }
  return slice.map(({ number, stream, ...event }, n) => {
    const what = faultOf(number, next + n, stream);
    if (what === undefined) return { journal: stream, event };
    return { journal: stream, revision: event.revision, eventId: event.id, what };
  });
}

function faultOf(number: number, due: number, stream: string): string | undefined {
  if (number !== due) return `it is number ${number} of the log, number ${due} was to follow`;
  return stream === '' ? 'the log has no name for its journal' : undefined;
}

const SLICE = 512;
