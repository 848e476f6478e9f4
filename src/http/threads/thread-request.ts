import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import type { HttpConnection, HttpRequest, SentMark } from '#src/http/transport.ts';
import { ToThread, type ReplyLine } from './protocol.ts';
import type { ThreadResponse } from './thread-response.ts';

/** A request that an HTTP thread has handed over, with its connection. */
export class ThreadRequest implements HttpRequest, HttpConnection {
  readonly method: string;
  url: string;
  readonly headers: IncomingHttpHeaders = {};
  readonly address: string;
  readonly whole: Buffer | undefined;
  complete: boolean;
  isClosed = false;
  private readonly line: ReplyLine;
  private readonly response: ThreadResponse;
  /** The body, if it is not whole. */
  private readonly body: Readable | undefined;
  /** Bytes of the body that its reader has not asked for. */
  private waiting = 0;
  private idle: (() => void) | undefined;

  constructor(
    head: string,
    body: Readonly<{ bytes: Buffer; isWhole: boolean }>,
    response: ThreadResponse,
    line: ReplyLine,
  ) {
    const parts = head.split('\n');
    this.method = parts[0]!;
    this.url = parts[1]!;
    this.address = parts[2]!;
    for (let n = 3; n < parts.length; n += 2) this.headers[parts[n]!] = parts[n + 1];
    this.response = response;
    this.line = line;
    this.complete = body.isWhole;
    if (body.isWhole) {
      this.whole = body.bytes;
    } else {
      this.body = new Readable({ read: () => this.consumed() });
      this.body.on('error', ignored); // Those who read the body have their own listener.
      if (body.bytes.length > 0) this.push(body.bytes);
    }
  }

  /** Takes a piece of the body. */
  push(piece: Buffer): void {
    this.waiting += piece.length;
    if (this.body?.push(piece) === true) this.consumed();
  }

  endBody(): void {
    this.complete = true;
    this.body?.push(null);
  }

  /** Takes note that the connection is closed. */
  close(): void {
    this.isClosed = true;
    if (!this.complete) this.body?.destroy(new Error('The connection was closed'));
  }

  /** Reads and drops a body that nobody reads, so that the next request of the connection can come. */
  dropUnread(): void {
    if (this.body?.readableFlowing === null) this.body.resume();
  }

  becameIdle(): void {
    this.idle?.();
  }

  on(event: 'data' | 'end' | 'error', listener: (value: never) => void): unknown {
    return this.stream.on(event, listener as (value: unknown) => void);
  }
  pause(): unknown {
    return this.stream.pause();
  }
  resume(): unknown {
    return this.stream.resume();
  }
  iterator(options: { destroyOnReturn: false }): AsyncIterable<Buffer> {
    return this.stream.iterator(options);
  }
  destroy(): void {
    this.response.destroy();
  }

  sentMark(): SentMark {
    return this.response.sentMark();
  }
  onIdle(ms: number, then: () => void): void {
    this.idle = then;
    this.send(ToThread.watchIdle, ms);
  }
  refuseSlow(): void {
    this.send(ToThread.refuseSlow);
  }

  private get stream(): Readable {
    return this.body ?? Readable.from(this.whole === undefined ? [] : [this.whole]);
  }

  private consumed(): void {
    if (this.waiting === 0 || this.complete || this.isClosed) return;
    this.send(ToThread.consumed, this.waiting);
    this.waiting = 0;
  }

  private send(kind: number, a = 0): void {
    const { slot, serial } = this.response;
    this.line.write({ kind, slot, serial, a });
  }
}

const ignored = (): void => {};
