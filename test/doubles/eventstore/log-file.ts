import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { HEAD_BYTES, readRecord, type Trailer } from './record.ts';

/** What was begun before it is on disk; `at` is where its record starts. */
type Waiting = Readonly<{ record: Buffer; durable: () => void }>;

/**
 * The file behind the double. Whatever waits while the disk is busy shares the next write and the next flush. A
 * failed write or flush ends the process: nothing is acknowledged that is not on disk.
 */
export class LogFile {
  readonly #handle: FileHandle;
  readonly #reader: number;
  /** Where the next record will start. */
  #end: number;
  /** Everything before it is on disk. */
  #durable: number;
  #waiting: Waiting[] = [];
  #flushing: Promise<void> | undefined;

  private constructor(handle: FileHandle, reader: number, end: number) {
    this.#handle = handle;
    this.#reader = reader;
    this.#end = end;
    this.#durable = end;
  }

  /** Hands over each whole record with its start; what a crash tore off the end is cut off. */
  static async open(dir: string, visit: (trailer: Trailer, at: number) => void): Promise<LogFile> {
    const path = join(dir, 'double.log');
    const handle = await open(path, 'a');
    if ((await handle.stat()).size === 0) await handle.write(MAGIC);
    const reader = openSync(path, 'r');
    const end = scan(reader, visit);
    await handle.truncate(end);
    await handle.sync();
    return new LogFile(handle, reader, end);
  }

  get end(): number {
    return this.#end;
  }
  get durable(): number {
    return this.#durable;
  }

  /** Resolves when the record is on disk. */
  append(record: Buffer): Promise<void> {
    this.#end += record.length;
    return new Promise((durable) => {
      this.#waiting.push({ record, durable });
      this.#flushing ??= this.#flush();
    });
  }

  read(at: number, length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length);
    const got = readSync(this.#reader, bytes, 0, length, at);
    if (got !== length) throw new Error(`The log ends within an event at ${at}`);
    return bytes;
  }

  async close(): Promise<void> {
    await this.#flushing;
    await this.#handle.close();
    closeSync(this.#reader);
  }

  async #flush(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve)); // What arrives in the same turn joins in.
    while (this.#waiting.length > 0) {
      const group = this.#waiting;
      this.#waiting = [];
      const bytes = Buffer.concat(group.map(({ record }) => record));
      await this.#handle.appendFile(bytes);
      await this.#handle.datasync();
      this.#durable += bytes.length;
      for (const { durable } of group) durable();
    }
    this.#flushing = undefined;
  }
}

function scan(file: number, visit: (trailer: Trailer, at: number) => void): number {
  const { size } = fstatSync(file);
  let at = MAGIC.length;
  let length = WINDOW_BYTES;
  while (at < size) {
    const window = Buffer.allocUnsafe(Math.min(length, size - at));
    readSync(file, window, 0, window.length, at);
    let within = 0;
    for (;;) {
      const record = readRecord(window, within);
      if (record === 'torn') break;
      visit(record.trailer, at + within);
      within = record.end;
    }
    if (within > 0) length = WINDOW_BYTES;
    else if (window.length === size - at)
      break; // Not whole, and nothing follows.
    else length *= 2; // Larger than the window.
    at += within;
  }
  return at;
}

const MAGIC = Buffer.from('double of a log\n');
const WINDOW_BYTES = 8 * 1024 * 1024 + HEAD_BYTES;
