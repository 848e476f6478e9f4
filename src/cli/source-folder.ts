import { NoLog, openLogFile, type LogFile } from '#src/adapters/embedded/log-file.ts';
import type { Difference } from '#src/verify/difference.ts';
import type { Read, Source } from './reads.ts';

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
