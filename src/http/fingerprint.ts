import { hash } from 'node:crypto';

/**
 * Identifies the request of an idempotency key: SHA-256 of the operation and the validated request as canonical JSON
 * (RFC 8785), amounts as text; hexadecimal.
 */
export function fingerprint(operationId: string, body: unknown): string {
  length = 0;
  writePlain(operationId);
  writeByte(NEWLINE);
  write(body);
  const digest = hash('sha256', bytes.subarray(0, length));
  if (bytes.length > KEPT_BYTES_MAX) bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
  return digest;
}

/** Writes a value as canonical JSON: members sorted by UTF-16 code units, no white space. */
export function canonical(value: unknown): string {
  length = 0;
  write(value);
  return bytes.toString('utf8', 0, length);
}

/**
 * The text is written as bytes into one buffer for all requests: concatenated, it would be a third of the garbage that a
 * transfer leaves. Nothing else runs while it is written and hashed.
 */
const FIRST_BYTES = 4096;
let bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
let length = 0;

function write(value: unknown): void {
  if (typeof value === 'string') writeText(value);
  else if (typeof value !== 'object' || value === null) writePlain(JSON.stringify(value));
  else if (Array.isArray(value)) writeList(value);
  else writeMembers(value as Readonly<Record<string, unknown>>);
}

function writeList(items: readonly unknown[]): void {
  let mark = OPEN_LIST;
  for (const item of items) {
    writeByte(mark);
    write(item);
    mark = COMMA;
  }
  if (mark === OPEN_LIST) writeByte(mark);
  writeByte(CLOSE_LIST);
}

function writeMembers(members: Readonly<Record<string, unknown>>): void {
  let mark = OPEN_OBJECT;
  for (const name of sorted(Object.keys(members))) {
    const member = members[name];
    if (member === undefined) continue;
    writeByte(mark);
    writeText(name);
    writeByte(COLON);
    write(member);
    mark = COMMA;
  }
  if (mark === OPEN_OBJECT) writeByte(mark);
  writeByte(CLOSE_OBJECT);
}

/** Sorts in place. For the few names that most objects have, Array.sort takes longer than writing them. */
function sorted(names: string[]): string[] {
  if (names.length > FEW) return names.sort();
  for (let n = 1; n < names.length; n += 1) {
    const name = names[n]!;
    let at = n;
    for (; at > 0 && names[at - 1]! > name; at -= 1) names[at] = names[at - 1]!;
    names[at] = name;
  }
  return names;
}

/** Writes a text as JSON.stringify does, which is asked only about texts with a character that it might escape. */
function writeText(text: string): void {
  const from = length;
  reserve(text.length + 2);
  bytes[length] = QUOTE;
  length += 1;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < SPACE || unit >= DELETE || unit === QUOTE || unit === BACKSLASH) {
      length = from;
      writeUtf8(JSON.stringify(text));
      return;
    }
    bytes[length] = unit;
    length += 1;
  }
  bytes[length] = QUOTE;
  length += 1;
}

/** Writes a text of ASCII characters. */
function writePlain(text: string): void {
  reserve(text.length);
  length += bytes.write(text, length, 'latin1');
}

function writeUtf8(text: string): void {
  reserve(UTF8_BYTES_MAX * text.length);
  length += bytes.write(text, length);
}

function writeByte(byte: number): void {
  reserve(1);
  bytes[length] = byte;
  length += 1;
}

function reserve(more: number): void {
  if (length + more <= bytes.length) return;
  const larger = Buffer.allocUnsafeSlow(2 * (length + more));
  bytes.copy(larger, 0, 0, length);
  bytes = larger;
}

/** A large batch does not keep its buffer. */
const KEPT_BYTES_MAX = 65_536;
/** A UTF-16 code unit takes at most three bytes. */
const UTF8_BYTES_MAX = 3;
const FEW = 12;
const NEWLINE = 0x0a;
const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const DELETE = 0x7f;
