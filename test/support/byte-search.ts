import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Texts that must not be found, by what they are. */
export type Traces = Readonly<Record<string, string>>;

/**
 * Searches the raw bytes of every file below a folder, free pages and write-ahead logs included. Returns what was found,
 * such as `name in read.db`. A text is found in UTF-8, UTF-16, hexadecimal and base64; of a long text, any part of 24
 * characters is enough, because a file may store it in pieces.
 */
export const tracesIn = (dir: string, traces: Traces): string[] =>
  filesBelow(dir).flatMap((file) => foundIn(bytesOf(join(dir, file)), traces, file));

/** A running server may remove a file between the listing and the reading. */
function bytesOf(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    if (existsSync(path)) throw error;
    return Buffer.alloc(0);
  }
}

export const foundIn = (bytes: Buffer, traces: Traces, place: string): string[] =>
  Object.entries(traces)
    .filter(([, text]) => piecesOf(text).some((piece) => formsOf(piece).some(isIn(bytes))))
    .map(([name]) => `${name} in ${place}`);

const isIn = (bytes: Buffer) => (form: Buffer) => bytes.includes(form);

export const filesBelow = (dir: string): string[] =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(dir.length + 1))
    .sort();

function piecesOf(text: string): readonly string[] {
  if (text.length < 2 * PIECE) return [text];
  const count = Math.floor(text.length / PIECE);
  return Array.from({ length: count }, (_, n) => text.slice(n * PIECE, (n + 1) * PIECE));
}

/** Returns the encodings in which a text may be in a file. */
export function formsOf(text: string): readonly Buffer[] {
  const utf8 = Buffer.from(text);
  const hex = utf8.toString('hex');
  return [
    utf8,
    Buffer.from(text, 'utf16le'),
    Buffer.from(JSON.stringify(text).slice(1, -1)),
    ...[hex, hex.toUpperCase()].map((form) => Buffer.from(form)),
    ...[0, 1, 2].flatMap((before) => inBase64(utf8, before)),
  ];
}

/** Returns the characters of base64 that depend on these bytes alone, if so many bytes are encoded before them. */
function inBase64(bytes: Buffer, before: number): readonly Buffer[] {
  const from = Math.ceil((before * 8) / 6);
  const to = Math.floor(((before + bytes.length) * 8) / 6);
  const padded = Buffer.concat([Buffer.alloc(before), bytes]);
  return (['base64', 'base64url'] as const).map((encoding) =>
    Buffer.from(padded.toString(encoding).slice(from, to)),
  );
}

const PIECE = 24;
