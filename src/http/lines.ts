import { isUtf8 } from 'node:buffer';
import { refuse, type Refusal } from '#src/kernel/errors.ts';
import { unreadable } from './json.ts';
import { noRoom, PIECE_BYTES, type MemoryBudget } from './memory-budget.ts';

/** The text of a line without its end, or the reason why it cannot be read. */
export type BodyLine = string | Refusal;

/**
 * Yields the lines of a body of any length as they arrive, without blank ones. It holds one line and one chunk in
 * memory: a line of more than `max` bytes, or without room in memory, is dropped and refused. Errors: those of the
 * connection.
 */
export async function* linesOf(
  chunks: AsyncIterable<Buffer>,
  max: number,
  memory: Pick<MemoryBudget, 'takeArriving' | 'release'>,
): AsyncGenerator<BodyLine, void, undefined> {
  const line = new LineBuffer(max, memory);
  try {
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
  } finally {
    line.drop();
  }
}

/** The pieces of one line; the pieces of a refused line are only counted. */
class LineBuffer {
  readonly #max: number;
  #pieces: Buffer[] = [];
  #size = 0;
  #held = 0;
  #refusal: Refusal | undefined;
  readonly #memory: Pick<MemoryBudget, 'takeArriving' | 'release'>;

  constructor(max: number, memory: Pick<MemoryBudget, 'takeArriving' | 'release'>) {
    this.#max = max;
    this.#memory = memory;
  }

  add(piece: Buffer): void {
    this.#size += piece.length;
    if (this.#refusal !== undefined || piece.length === 0) return;
    const bytes = piece.length + PIECE_BYTES;
    if (this.#size > this.#max) this.#refuse(tooLong(this.#max));
    else if (!this.#memory.takeArriving(bytes, this.#size)) this.#refuse(noRoom());
    else {
      this.#held += bytes;
      this.#pieces.push(piece);
    }
  }

  #refuse(refusal: Refusal): void {
    this.drop();
    this.#refusal = refusal;
  }

  /** Drops the gathered pieces. */
  drop(): void {
    this.#memory.release(this.#held);
    this.#held = 0;
    this.#pieces = [];
  }

  /** Ends the line and begins the next one; returns undefined for a blank line. */
  end(): BodyLine | undefined {
    const line = this.#refusal ?? textOf(Buffer.concat(this.#pieces));
    this.drop();
    this.#refusal = undefined;
    this.#size = 0;
    return typeof line === 'string' && line.trim() === '' ? undefined : line;
  }
}

const textOf = (bytes: Buffer): BodyLine =>
  isUtf8(bytes) ? bytes.toString() : unreadable('it is not valid UTF-8');

const tooLong = (max: number): Refusal =>
  refuse('TOO_LARGE', `The line has more than ${String(max)} bytes.`, { entityType: 'request' });

const LF = 10;
