import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/**
 * A response as text, one character per byte. Head and body are empty if the status was the expected one and nobody
 * asked for them.
 */
export type Answer = Readonly<{ status: number; head: string; body: string; bodyBytes: number }>;

export type Events = Readonly<{
  answered: (connection: Connection, answer: Answer) => void;
  broken: (connection: Connection, reason: string) => void;
}>;

/**
 * One keep-alive HTTP/1.1 connection with one request in flight. Knows just what a JSON server with
 * Content-Length sends: general clients cost more processor time than the server under test.
 */
export class Connection {
  /** Of the request in flight; the owner's business. */
  seq = -1;
  dueAt = 0;
  sentAt = 0;
  attempts = 0;

  readonly #events: Events;
  readonly #socket: Socket;
  #head = '';
  #body = '';
  #status = 0;
  #bodyBytes = 0;
  #missing = 0;
  #keep = false;
  #expected = 0;
  /** The offsets at which the last head with the expected status ended and its length began. */
  #headEnd = -1;
  #lengthAt = -1;
  #over = false;

  static async open(port: number, events: Events): Promise<Connection> {
    const connection = new Connection(port, events);
    await once(connection.#socket, 'connect');
    return connection;
  }

  private constructor(port: number, events: Events) {
    this.#events = events;
    // A buffer of our own, read in place: the stream machinery would copy and queue every chunk.
    const onread = { buffer: Buffer.allocUnsafeSlow(READ_BYTES), callback: this.#received };
    this.#socket = connect({ host: '127.0.0.1', port, noDelay: true, onread });
    this.#socket.on('error', (error) => {
      this.fail(error.message);
    });
    this.#socket.once('close', () => {
      this.fail('closed by the server');
    });
  }

  /** `keep` asks for head and body even if the status is the expected one. */
  send(text: string, expected: number, keep: boolean): void {
    this.#expected = expected;
    this.#keep = keep;
    this.#socket.write(text, 'latin1');
  }

  close(): void {
    this.#over = true;
    this.#socket.destroy();
  }

  readonly #received = (bytes: number, buffer: Uint8Array): boolean => {
    const chunk = buffer as Buffer;
    if (this.#missing > 0) this.#takeBody(bytes, chunk);
    else if (!this.#takeUsual(bytes, chunk)) this.#takeHead(chunk.toString('latin1', 0, bytes));
    return true;
  };

  /**
   * Takes a response with the expected status and the layout of the one before it, of which only the length is read.
   * A JSON body has no line break, so the empty line at that place is the end of the head. Returns false for any other.
   */
  #takeUsual(bytes: number, chunk: Buffer): boolean {
    const end = this.#headEnd;
    if (this.#keep || end < 0 || this.#head !== '' || end + HEAD_END.length > bytes) return false;
    const isUsual =
      chunk[end] === CR &&
      chunk[end + 2] === CR &&
      chunk[this.#lengthAt - 1] === SPACE &&
      chunk[this.#lengthAt - 2] === COLON &&
      digits(chunk, STATUS_AT) === this.#expected;
    if (!isUsual) return false;
    this.#status = this.#expected;
    this.#bodyBytes = digits(chunk, this.#lengthAt);
    this.#missing = this.#bodyBytes - (bytes - end - HEAD_END.length);
    this.#finish();
    return true;
  }

  #takeHead(text: string): void {
    const all = this.#head === '' ? text : this.#head + text;
    const end = all.indexOf(HEAD_END);
    if (end < 0) {
      this.#head = all;
      if (all.length > HEAD_BYTES_MAX) this.fail('head too long');
      return;
    }
    this.#head = all.slice(0, end);
    this.#status = Number(all.slice(STATUS_AT, STATUS_AT + 3));
    this.#bodyBytes = contentLength(this.#head, this.#status);
    if (this.#bodyBytes < 0) {
      this.fail('answer without Content-Length');
      return;
    }
    this.#learn();
    const begin = end + HEAD_END.length;
    this.#body = this.#keep ? all.slice(begin) : '';
    this.#missing = this.#bodyBytes - (all.length - begin);
    this.#finish();
  }

  /** Remembers the layout of a head. A response with another status is kept whole, for the report. */
  #learn(): void {
    if (this.#status !== this.#expected) {
      this.#keep = true;
      return;
    }
    const at = this.#head.indexOf(LENGTH);
    this.#headEnd = at < 0 ? -1 : this.#head.length;
    this.#lengthAt = at + LENGTH.length;
  }

  #takeBody(bytes: number, chunk: Buffer): void {
    if (this.#keep) this.#body += chunk.toString('latin1', 0, bytes);
    this.#missing -= bytes;
    this.#finish();
  }

  #finish(): void {
    if (this.#missing > 0) return;
    if (this.#missing < 0) {
      this.fail('more bytes than Content-Length says');
      return;
    }
    const answer: Answer = {
      status: this.#status,
      head: this.#keep ? this.#head : '',
      body: this.#body,
      bodyBytes: this.#bodyBytes,
    };
    this.#head = '';
    this.#body = '';
    this.#events.answered(this, answer);
  }

  fail(reason: string): void {
    if (this.#over) return;
    this.close();
    this.#events.broken(this, reason);
  }
}

const HEAD_END = '\r\n\r\n';
const READ_BYTES = 65_536;
const HEAD_BYTES_MAX = 65_536;
const STATUS_AT = 'HTTP/1.1 '.length;
const CR = 13;
const SPACE = 32;
const COLON = 58;
const DIGIT_0 = 48;
const LENGTH = '\r\nContent-Length: ';

function contentLength(head: string, status: number): number {
  const at = head.indexOf(LENGTH);
  if (at >= 0) return parseInt(head.slice(at + LENGTH.length, at + LENGTH.length + 12), 10);
  const other = /\r\ncontent-length: *(\d+)/i.exec(head);
  if (other !== null) return Number(other[1]);
  return status === 204 || status === 304 ? 0 : -1;
}

function digits(chunk: Buffer, from: number): number {
  let value = 0;
  for (let at = from; ; at += 1) {
    const digit = (chunk[at] ?? 0) - DIGIT_0;
    if (digit < 0 || digit > 9) return value;
    value = value * 10 + digit;
  }
}
