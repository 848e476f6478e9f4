/** A chunk consists of its form, its length, and its bytes. */
const HEAD_BYTES = 5;
const UTF8 = 8;
const UTF16 = 16;

/** Turns chunks of text into one stream of bytes, cut into pieces that fit a document. */
export function* toPieces(chunks: Iterable<string>, pieceBytes: number): Iterable<Buffer> {
  let waiting: Buffer[] = [];
  let length = 0;
  for (const chunk of chunks) {
    for (let part of encodeChunk(chunk)) {
      while (length + part.length >= pieceBytes) {
        const cut = pieceBytes - length;
        yield Buffer.concat([...waiting, part.subarray(0, cut)]);
        part = part.subarray(cut);
        waiting = [];
        length = 0;
      }
      if (part.length === 0) continue;
      waiting.push(part);
      length += part.length;
    }
  }
  if (length > 0) yield Buffer.concat(waiting);
}

/** Reverses toPieces; returns undefined when the pieces end inside a chunk. */
export function fromPieces(pieces: readonly Uint8Array[]): readonly string[] | undefined {
  const bytes = Buffer.concat(pieces);
  const chunks: string[] = [];
  let at = 0;
  while (at < bytes.length) {
    if (at + HEAD_BYTES > bytes.length) return undefined;
    const form = bytes.readUInt8(at);
    const end = at + HEAD_BYTES + bytes.readUInt32LE(at + 1);
    if (end > bytes.length) return undefined;
    chunks.push(bytes.toString(form === UTF16 ? 'utf16le' : 'utf8', at + HEAD_BYTES, end));
    at = end;
  }
  return chunks;
}

/** Encodes a chunk. Text cut inside a surrogate pair has no UTF-8 form, so its UTF-16 form is kept. */
function encodeChunk(chunk: string): readonly [Buffer, Buffer] {
  const whole = chunk.isWellFormed();
  const body = Buffer.from(chunk, whole ? 'utf8' : 'utf16le');
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt8(whole ? UTF8 : UTF16);
  head.writeUInt32LE(body.length, 1);
  return [head, body];
}
