import { NoLog, openLogFile, type LogFile } from '#src/adapters/embedded/log-file.ts';
import type { Difference } from '#src/verify/difference.ts';
import type { EventSlices, EventSource, SourceItem } from './event-source.ts';

/**
 * Reads the whole log, up to its end at the start of reading, in its own order; also while a server runs. The server reads
 * journals by an index of the file, so that an index which lacks events is a difference although every event is sound.
 */
export function eventsOfFolder(dir: string): EventSource {
  let part = 0;
  const events = readFolder(dir, (done) => (part = done));
  return { [Symbol.asyncIterator]: () => events[Symbol.asyncIterator](), part: () => part };
}

async function* readFolder(dir: string, passed: (part: number) => void): EventSlices {
  const log = openLogFile(dir);
  try {
    const last = log.last();
    for (let next = 1; next <= last;) {
      const reads = readFrom(log, next, last);
      next += reads.length;
      passed((next - 1) / last);
      yield reads;
    }
    yield structureOf(log, last);
  } finally {
    log.close();
  }
}

function structureOf(log: LogFile, last: number): Difference[] {
  const flaw = log.structureFlaw();
  if (flaw === undefined) return [];
  return [{ journal: 'log.db', revision: last, eventId: '', what: `SQLite finds: ${flaw}` }];
}

/** Reads at least one event. If the file is damaged, it reads event by event up to the first unreadable one. */
function readFrom(
  log: LogFile,
  next: number,
  last: number,
  limit = SLICE,
): (SourceItem | Difference)[] {
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
  if (number !== due)
    return `it is event number ${number} of the log, where number ${due} was expected`;
  return stream === '' ? 'the log has no name for its journal' : undefined;
}

const SLICE = 512;
