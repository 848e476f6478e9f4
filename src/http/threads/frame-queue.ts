/**
 * The memory of a queue of frames, with one thread that writes and one that reads. A message between threads costs as
 * much as serving a request, so only a reader that sleeps gets one: the more it has to do, the more frames it finds at
 * once.
 *
 * A frame is its length, a few numbers (Frame), a text of Latin-1 characters and a body. It is never split: where it
 * does not fit before the end of the memory, it begins again at its start.
 */
export type QueueMemory = SharedArrayBuffer;

export const newQueueMemory = (): QueueMemory => new SharedArrayBuffer(MARK_BYTES + QUEUE_BYTES);

/** A frame to be written; the numbers have 32 bits. */
export type Frame = Readonly<{
  kind: number;
  /** The place of the exchange, and its number, by which a frame for an earlier exchange at this place is detected. */
  slot: number;
  serial: number;
  a?: number;
  b?: number;
  /** Latin-1. */
  text?: string;
  /** At most BODY_BYTES_MAX, or as many characters. */
  body?: string | Uint8Array;
}>;

/** A frame in shared memory: valid until `read` returns. */
export interface ReadFrame {
  readonly kind: number;
  readonly slot: number;
  readonly serial: number;
  readonly a: number;
  readonly b: number;
  readonly text: string;
  /** True if the body is text of ASCII characters. */
  readonly isAscii: boolean;
  readonly bodyLength: number;
  /** Returns a copy of the body. */
  body(): Buffer;
  asciiBody(): string;
}

class QueueView {
  protected readonly marks: Int32Array;
  protected readonly words: Int32Array;
  protected readonly bytes: Buffer;
  protected readonly capacity: number;
  /** Places run through the memory twice, so that a full queue differs from an empty one. */
  protected head = 0;
  protected tail = 0;

  constructor(memory: QueueMemory) {
    this.marks = new Int32Array(memory, 0, MARK_BYTES / 4);
    this.words = new Int32Array(memory, MARK_BYTES);
    this.bytes = Buffer.from(memory, MARK_BYTES);
    this.capacity = this.bytes.length;
  }

  protected after(place: number, bytes: number): number {
    return (place + bytes) % (2 * this.capacity);
  }
}

export class QueueWriter extends QueueView {
  private readonly wake: () => void;

  /** `wake` is called when the reader sleeps and has something to read. */
  constructor(memory: QueueMemory, wake: () => void) {
    super(memory);
    this.wake = wake;
  }

  /** Writes a frame; the reader need not notice it before `flush`. Returns false if there is no room. */
  write({ kind, slot, serial, a = 0, b = 0, text = '', body = '' }: Frame): boolean {
    const isText = typeof body === 'string';
    const bytesMax = HEAD_BYTES + text.length + body.length * (isText ? UTF8_MAX : 1);
    const start = this.placeFor(bytesMax);
    if (start < 0) return false;
    const { words, bytes } = this;
    const textAt = start + HEAD_BYTES;
    const bodyAt = textAt + text.length;
    if (text !== '') bytes.write(text, textAt, 'latin1');
    let bodyBytes = body.length;
    if (!isText) bytes.set(body, bodyAt);
    else if (body !== '') bodyBytes = bytes.write(body, bodyAt, 'utf8');
    const length = HEAD_BYTES + text.length + bodyBytes;
    const word = start >> 2;
    words[word] = length;
    words[word + 1] = kind;
    words[word + 2] = slot;
    words[word + 3] = serial;
    words[word + 4] = a;
    words[word + 5] = b;
    words[word + 6] = text.length;
    words[word + 7] = isText && bodyBytes === body.length ? 1 : 0;
    this.head = this.after(this.head, aligned(length));
    Atomics.store(this.marks, HEAD, this.head);
    return true;
  }

  /** Lets the reader notice what was written. */
  flush(): void {
    if (Atomics.exchange(this.marks, ASLEEP, 0) === 1) this.wake();
  }

  /** Asks the reader to report when there is more room. Returns false if there is more already. */
  askForRoom(): boolean {
    Atomics.store(this.marks, ROOM_WANTED, 1);
    return Atomics.load(this.marks, TAIL) === this.tail;
  }

  /** Waits until the reader has made room. Only for a thread that nobody waits for in turn. */
  waitForRoom(): void {
    this.flush();
    if (this.askForRoom()) Atomics.wait(this.marks, ROOM_WANTED, 1);
  }

  /** Returns the place for a frame of at most so many bytes, -1 if there is none. */
  private placeFor(bytesMax: number): number {
    const at = this.head % this.capacity;
    const left = this.capacity - at;
    const skipped = bytesMax > left ? left : 0;
    if (!this.hasRoomFor(skipped + aligned(bytesMax))) return -1;
    if (skipped === 0) return at;
    this.words[at >> 2] = SKIPPED;
    this.head = this.after(this.head, skipped);
    return 0;
  }

  private hasRoomFor(bytes: number): boolean {
    if (this.used() + bytes <= this.capacity) return true;
    this.tail = Atomics.load(this.marks, TAIL);
    return this.used() + bytes <= this.capacity;
  }

  private used(): number {
    const used = this.head - this.tail;
    return used < 0 ? used + 2 * this.capacity : used;
  }
}

export class QueueReader extends QueueView implements ReadFrame {
  private readonly onRoom: () => void;
  private start = 0;
  private length = 0;

  /** `onRoom` is called when the writer wants to know that there is more room. */
  constructor(memory: QueueMemory, onRoom: () => void) {
    super(memory);
    this.onRoom = onRoom;
  }

  /**
   * Reads the frames that are there now, not those that arrive meanwhile: others must have their turn. Returns true if
   * it must be called again; otherwise the writer will wake this thread.
   */
  read(take: (frame: ReadFrame) => void): boolean {
    const head = Atomics.load(this.marks, HEAD);
    while (this.tail !== head) {
      this.start = this.tail % this.capacity;
      this.length = this.words[this.start >> 2]!;
      if (this.length === SKIPPED) {
        this.tail = this.after(this.tail, this.capacity - this.start);
        continue;
      }
      take(this);
      this.tail = this.after(this.tail, aligned(this.length));
    }
    Atomics.store(this.marks, TAIL, this.tail);
    if (Atomics.exchange(this.marks, ROOM_WANTED, 0) === 1) {
      Atomics.notify(this.marks, ROOM_WANTED);
      this.onRoom();
    }
    Atomics.store(this.marks, ASLEEP, 1);
    const isMore = Atomics.load(this.marks, HEAD) !== this.tail;
    return isMore && Atomics.exchange(this.marks, ASLEEP, 0) === 1;
  }

  get kind(): number {
    return this.word(1);
  }
  get slot(): number {
    return this.word(2);
  }
  get serial(): number {
    return this.word(3);
  }
  get a(): number {
    return this.word(4);
  }
  get b(): number {
    return this.word(5);
  }
  get isAscii(): boolean {
    return this.word(7) === 1;
  }
  get text(): string {
    return this.bytes.toString('latin1', this.start + HEAD_BYTES, this.bodyStart);
  }
  get bodyLength(): number {
    return this.start + this.length - this.bodyStart;
  }
  body(): Buffer {
    const copy = Buffer.allocUnsafe(this.bodyLength);
    this.bytes.copy(copy, 0, this.bodyStart, this.start + this.length);
    return copy;
  }
  asciiBody(): string {
    return this.bytes.toString('latin1', this.bodyStart, this.start + this.length);
  }

  private get bodyStart(): number {
    return this.start + HEAD_BYTES + this.word(6);
  }

  private word(n: number): number {
    return this.words[(this.start >> 2) + n]!;
  }
}

const aligned = (bytes: number): number => (bytes + 3) & ~3;

export const BODY_BYTES_MAX = 64 * 1024;
/** Room for more than a dozen of the longest frames. */
const QUEUE_BYTES = 1024 * 1024;
const HEAD_BYTES = 8 * 4;
/** A UTF-16 code unit has at most this many bytes in UTF-8. */
const UTF8_MAX = 3;
const SKIPPED = -1;
/** Marks lie on different cache lines, since both threads write them. */
const MARK_BYTES = 256;
const HEAD = 0;
const TAIL = 16;
const ASLEEP = 32;
const ROOM_WANTED = 48;
