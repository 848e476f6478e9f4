/** A record as the driver passes it to its encoder. */
export type DriverRecord = Readonly<{
  offsetDelta?: number;
  timestampDelta?: number;
  key?: DriverField;
  value?: DriverField;
  headers?: Readonly<Record<string, DriverField | readonly DriverField[]>>;
}>;

type DriverField = string | Buffer | null | undefined;

/** The members of the driver's own encoder that it reads of a finished record. */
export type EncodedRecord = Readonly<{ buf: Buffer; buffer: Buffer }>;

/**
 * Encodes a record of the format 2 of Kafka into one buffer of its exact size. It stands in for the driver's encoder,
 * which takes a buffer of 512 bytes for every header and an array for every length. Texts are written once, before their
 * length is known for sure: a call of the engine to measure one costs as much as to write it.
 */
export function encodeRecord(record: DriverRecord): EncodedRecord {
  const { offsetDelta = 0, timestampDelta = 0, key, value, headers = {} } = record;
  const fields: (readonly [name: string, value: DriverField])[] = [];
  let sizeMax = RECORD_OVERHEAD_MAX + sizeMaxOf(key) + sizeMaxOf(value);
  for (const name in headers) {
    const one = headers[name];
    if (Array.isArray(one)) for (const each of one as DriverField[]) fields.push([name, each]);
    else fields.push([name, one as DriverField]);
  }
  for (const [name, text] of fields) sizeMax += sizeMaxOf(name) + sizeMaxOf(text);

  const draft = sizeMax <= SCRATCH.length ? SCRATCH : Buffer.allocUnsafe(sizeMax);
  let at = draft.writeInt8(NO_ATTRIBUTES, 0);
  at = writeNumber(draft, timestampDelta, at);
  at = writeNumber(draft, offsetDelta, at);
  at = writeField(draft, key, at);
  at = writeField(draft, value, at);
  at = writeNumber(draft, fields.length, at);
  for (const [name, text] of fields) at = writeField(draft, text, writeField(draft, name, at));

  const buf = Buffer.allocUnsafe(sizeOfNumber(at) + at);
  draft.copy(buf, writeNumber(buf, at, 0), 0, at);
  return { buf, buffer: buf };
}

/** A UTF-16 unit is at most three bytes of UTF-8. */
const sizeMaxOf = (field: DriverField): number =>
  NUMBER_MAX + (typeof field === 'string' ? 3 * field.length : (field?.length ?? 0));

function writeField(buf: Buffer, field: DriverField, at: number): number {
  if (typeof field === 'string') return writeText(buf, field, at);
  if (field === null || field === undefined) return writeNumber(buf, -1, at);
  const from = writeNumber(buf, field.length, at);
  return from + field.copy(buf, from);
}

/** Writes a text as if it was ASCII, which nearly all are, and moves it if its length takes more room then. */
function writeText(buf: Buffer, text: string, at: number): number {
  const { length } = text;
  const from = writeNumber(buf, length, at);
  if (length <= SHORT && isWrittenAscii(buf, text, from)) return from + length;
  const bytes = buf.write(text, from);
  if (bytes === length) return from + length;
  const room = sizeOfNumber(bytes);
  buf.copyWithin(at + room, from, from + bytes);
  return writeNumber(buf, bytes, at) + bytes;
}

/** Writes a short text without a call of the engine. Returns false if it is not ASCII. */
function isWrittenAscii(buf: Buffer, text: string, at: number): boolean {
  for (let n = 0; n < text.length; n += 1) {
    const unit = text.charCodeAt(n);
    if (unit > 127) return false;
    buf[at + n] = unit;
  }
  return true;
}

/** Numbers are written in zigzag, seven bits in each byte, the least significant first. */
const zigzag = (value: number): number => (value < 0 ? -2 * value - 1 : 2 * value);

function sizeOfNumber(value: number): number {
  let bytes = 1;
  for (let rest = zigzag(value); rest >= 128; rest = Math.floor(rest / 128)) bytes += 1;
  return bytes;
}

function writeNumber(buf: Buffer, value: number, at: number): number {
  let [rest, next] = [zigzag(value), at];
  for (; rest >= 128; rest = Math.floor(rest / 128)) {
    buf[next] = (rest % 128) + 128;
    next += 1;
  }
  buf[next] = rest;
  return next + 1;
}

const NO_ATTRIBUTES = 0;
const NUMBER_MAX = 8;
const RECORD_OVERHEAD_MAX = 1 + 3 * NUMBER_MAX;
const SHORT = 80;
/** Records are put together here; larger ones get a buffer of their own. */
const SCRATCH = Buffer.allocUnsafe(65_536);
