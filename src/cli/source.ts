import { statSync } from 'node:fs';
import { openLogFile } from '#src/adapters/embedded/log-file.ts';
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
      const slice: (Read | Difference)[] = [];
      for (const { number, stream, ...event } of log.slice(next, SLICE)) {
        if (number > last) break;
        const fault = faultOf(number, next, stream);
        if (fault !== undefined) {
          const { revision, id } = event;
          slice.push({ journal: stream, revision, eventId: id, what: fault });
          break;
        }
        slice.push({ journal: stream, event });
        next += 1;
      }
      if (slice.length === 0) throw new Error(`The log lost its events after number ${next - 1}`);
      yield slice;
    }
  } finally {
    log.close();
  }
}

function faultOf(number: number, due: number, stream: string): string | undefined {
  if (number !== due) return `it is number ${number} of the log, number ${due} was to follow`;
  return stream === '' ? 'the log has no name for its journal' : undefined;
}

const SLICE = 512;
