import type { Socket } from 'node:net';

/** The largest frame that is accepted, in bytes; a request body and an append are far smaller. */
export const FRAME_BYTES_MAX = 32 * 1024 * 1024;

/** Encodes a message: the length of its JSON as four bytes, then the JSON. */
export function frameOf(json: string): Buffer {
  const length = Buffer.byteLength(json);
  const frame = Buffer.allocUnsafe(LENGTH_BYTES + length);
  frame.writeUInt32BE(length);
  frame.write(json, LENGTH_BYTES);
  return frame;
}

/** Joins numbered texts of JSON to frames of about 1 MiB, so that a short message does not wait for many long ones. */
export function* framesOf(texts: readonly string[]): Iterable<Buffer> {
  let from = 0;
  let length = 0;
  for (let at = 0; at < texts.length; at += 1) {
    length += texts[at]!.length;
    if (length < JOINED_LENGTH && at < texts.length - 1) continue;
    yield frameOf(`[${texts.slice(from, at + 1).join(',')}]`);
    [from, length] = [at + 1, 0];
  }
}

/** Gives each message of a connection to `take`. Ends a connection that fails, is ended, or does not speak the protocol. */
export function onMessages(socket: Socket, take: (message: unknown) => void): void {
  const reader = new FrameReader();
  const destroy = (): unknown => socket.destroy();
  socket
    .setNoDelay(true)
    .on('error', destroy)
    .on('end', destroy)
    .on('data', (chunk: Buffer) => {
      try {
        for (const message of reader.take(chunk)) take(message);
      } catch {
        destroy();
      }
    });
}

/** Reads frames from the chunks of a connection. Errors: a frame that is too long or not JSON. */
export class FrameReader {
  #chunks: Buffer[] = [];
  #length = 0;

  *take(chunk: Buffer): Iterable<unknown> {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    let wanted: number | undefined;
    while ((wanted = this.#wanted()) !== undefined && this.#length >= LENGTH_BYTES + wanted) {
      const all = this.#joined();
      const end = LENGTH_BYTES + wanted;
      this.#chunks = all.length > end ? [all.subarray(end)] : [];
      this.#length = all.length - end;
      yield JSON.parse(all.toString('utf8', LENGTH_BYTES, end)) as unknown;
    }
  }

  /** Returns the length of the next frame; undefined until it is known. */
  #wanted(): number | undefined {
    if (this.#length < LENGTH_BYTES) return undefined;
    if (this.#chunks[0]!.length < LENGTH_BYTES) this.#joined();
    const length = this.#chunks[0]!.readUInt32BE();
    if (length > FRAME_BYTES_MAX) throw new Error(`A frame of ${length} bytes is too long`);
    return length;
  }

  #joined(): Buffer {
    const all = this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks);
    this.#chunks = [all];
    return all;
  }
}

const LENGTH_BYTES = 4;

/** A message without questions or answers: a sign of life. */
export const BEAT = frameOf('[]');
const JOINED_LENGTH = 1024 * 1024;
