import { createReadStream, statSync } from 'node:fs';
import { readJournalLine } from '#src/resources/ledger/journal.ts';
import type { Difference } from '#src/verify/difference.ts';
import { CliError, failed } from './command.ts';
import type { EventSlices, EventSource, SourceItem } from './event-source.ts';

/** Reads lines as the journal endpoint or `export` writes them; `-` is stdin. */
export function eventsOfFile(path: string): EventSource {
  if (path === '-') return eventsOfLines(process.stdin);
  let bytes = 0;
  const events = eventsOfLines(opened(path, (length) => (bytes += length)));
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  return {
    [Symbol.asyncIterator]: () => events[Symbol.asyncIterator](),
    ...(size > 0 && { part: () => Math.min(1, bytes / size) }), // A pipe has no size.
  };
}

/** `name` is put before the number of a line in messages, because a URL may be one of several. */
export async function* eventsOfLines(bytes: AsyncIterable<Uint8Array>, name = ''): EventSlices {
  let number = 0;
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of bytes) {
    const text = rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([rest, chunk]);
    const events: (SourceItem | Difference)[] = [];
    let from = 0;
    for (let end = text.indexOf(LINE_FEED); end >= 0; end = text.indexOf(LINE_FEED, from)) {
      number += 1;
      events.push(read(text.toString('utf8', from, end), number, name));
      from = end + 1;
    }
    rest = text.subarray(from);
    if (rest.length > LINE_BYTES_MAX)
      throw new CliError(`Line ${number + 1} is longer than any event.`);
    if (events.length > 0) yield events;
  }
  if (rest.length > 0) yield [read(rest.toString(), number + 1, name)];
}

function read(line: string, number: number, name: string): SourceItem | Difference {
  const found = readJournalLine(line);
  if (found !== undefined) return found;
  const what = 'this line is not an event as the journal endpoint or export writes it';
  return { journal: `${name}line ${number}`, revision: revisionIn(line), eventId: '', what };
}

/** A line that is not an event may still show which one it was. */
function revisionIn(line: string): number | undefined {
  const digits = /"revision":(\d{1,15})\b/.exec(line)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

function opened(path: string, read: (bytes: number) => void): AsyncIterable<Uint8Array> {
  const stream = createReadStream(path, { highWaterMark: 1024 * 1024 });
  return (async function* () {
    try {
      for await (const chunk of stream as AsyncIterable<Uint8Array>) {
        read(chunk.length);
        yield chunk;
      }
    } catch (cause) {
      throw failed(`${path} cannot be read`, cause);
    }
  })();
}

const LINE_FEED = 0x0a;
/** Longer than any event, which has at most 900 KB. */
const LINE_BYTES_MAX = 16 * 1024 * 1024;
