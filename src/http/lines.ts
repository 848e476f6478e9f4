import { isUtf8 } from 'node:buffer';
import { refuse, type Refusal } from '#src/domain/errors.ts';
import { unreadable } from './json.ts';

/** The text of a line without its end, or why it cannot be read. */
export type Line = string | Refusal;

/**
 * The lines of a body of any length, as they come; blank ones are left out. Holds one line and one chunk in memory:
 * what is beyond `max` bytes of a line is dropped, and the line refused. Errors: those of the connection.
 */
export async function* linesOf(
  chunks: AsyncIterable<Buffer>,
  max: number,
): AsyncGenerator<Line, void, undefined> {
  const line = new Gathering(max);
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = chunk.indexOf(LF); at >= 0; at = chunk.indexOf(LF, from)) {
      line.add(chunk.subarray(from, at));
      const read = line.end();
      if (read !== undefined) yield read;
      from = at + 1;
    }
    line.add(chunk.subarray(from));
  }
  const last = line.end();
  if (last !== undefined) yield last;
}

/** The pieces of one line; those of a line too long are only counted. */
class Gathering {
  readonly #max: number;
  #pieces: Buffer[] = [];
  #size = 0;

  constructor(max: number) {
    this.#max = max;
  }

  add(piece: Buffer): void {
    this.#size += piece.length;
    if (this.#size > this.#max) this.#pieces = [];
    else if (piece.length > 0) this.#pieces.push(piece);
  }

  /** The line, undefined for a blank one; the next one begins. */
  end(): Line | undefined {
    const line = this.#size > this.#max ? tooLong(this.#max) : textOf(Buffer.concat(this.#pieces));
    this.#pieces = [];
    this.#size = 0;
    return typeof line === 'string' && line.trim() === '' ? undefined : line;
  }
}

const textOf = (bytes: Buffer): Line =>
  isUtf8(bytes) ? bytes.toString() : unreadable('it is not valid UTF-8');

const tooLong = (max: number): Refusal =>
  refuse('TOO_LARGE', `The line has more than ${String(max)} bytes.`, { entityType: 'request' });

const LF = 10;
