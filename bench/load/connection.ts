import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** An answer as text, one character per byte. `body` is empty when it was long and nobody wanted it. */
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

  /** `keep` asks for the body whatever its length. */
  send(text: string, keep: boolean): void {
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
    else this.#takeHead(chunk.toString('latin1', 0, bytes));
    return true;
  };

  #takeHead(text: string): void {
    const all = this.#head === '' ? text : this.#head + text;
    const end = all.indexOf(HEAD_END);
    if (end < 0) {
      this.#head = all;
      if (all.length > HEAD_BYTES_MAX) this.fail('head too long');
      return;
    }
    this.#head = all.slice(0, end);
    this.#status = Number(all.slice(9, 12));
    this.#bodyBytes = contentLength(this.#head, this.#status);
    if (this.#bodyBytes < 0) {
      this.fail('answer without Content-Length');
      return;
    }
    this.#keep ||= this.#bodyBytes <= KEPT_BYTES_MAX;
    const begin = end + HEAD_END.length;
    this.#body = this.#keep ? all.slice(begin) : '';
    this.#missing = this.#bodyBytes - (all.length - begin);
    this.#finish();
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
      head: this.#head,
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
const KEPT_BYTES_MAX = 16_384;
const LENGTH = '\r\nContent-Length: ';

function contentLength(head: string, status: number): number {
  const at = head.indexOf(LENGTH);
  if (at >= 0) return parseInt(head.slice(at + LENGTH.length, at + LENGTH.length + 12), 10);
  const other = /\r\ncontent-length: *(\d+)/i.exec(head);
  if (other !== null) return Number(other[1]);
  return status === 204 || status === 304 ? 0 : -1;
}
