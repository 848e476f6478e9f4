import type { IncomingMessage, ServerResponse } from 'node:http';
import { SMALL_BODY_BYTES } from '#src/http/memory-budget.ts';
import type { SocketConnection } from '#src/http/socket-connection.ts';
import type { SentMark } from '#src/http/transport.ts';
import type { Frame, ReadFrame } from './frame-queue.ts';
import { BODY_WINDOW, CORKED, LAST, LINES_SHIFT, ToMain, ToThread } from './protocol.ts';

/** The thread of a handover. */
export type HandoverContext = Readonly<{
  /** Writes a frame; a quiet one does not wake the main thread. */
  write: (frame: Frame, isQuiet?: boolean) => void;
  /** Gives the place of a handover to others. */
  free: (handover: Handover) => void;
  /** The handovers whose reply the network has not taken; their progress is reported at intervals. */
  unsent: Set<Handover>;
}>;

/** A request and its reply, in the thread that has their connection. */
export class Handover {
  readonly slot: number;
  readonly serial: number;
  private readonly listener: number;
  private readonly request: IncomingMessage;
  private readonly response: ServerResponse;
  private readonly connection: SocketConnection;
  private readonly context: HandoverContext;
  /** Pieces of a body that the main thread does not know of; undefined once it knows the request. */
  private pieces: Buffer[] | undefined = [];
  /** Bytes of the body that the main thread has not consumed. */
  private ahead = 0;
  private bodyIsDone = false;
  private replyIsDone = false;
  private received = 0;
  private isCorked = false;
  private isStreamed = false;
  private reported = 0;
  private mark: SentMark | undefined;

  constructor(
    place: Readonly<{ slot: number; serial: number; listener: number }>,
    request: IncomingMessage,
    response: ServerResponse,
    connection: SocketConnection,
    context: HandoverContext,
  ) {
    this.slot = place.slot;
    this.serial = place.serial;
    this.listener = place.listener;
    this.request = request;
    this.response = response;
    this.connection = connection;
    this.context = context;
    response.on('close', () => this.replyClosed());
    if (hasBody(request)) {
      request.on('data', (chunk: Buffer) => this.take(chunk));
      request.on('end', () => this.endBody());
      request.on('close', () => this.requestClosed());
      request.on('error', ignored); // `close` follows.
    } else {
      this.bodyIsDone = true;
      this.announce();
    }
  }

  /** Hands the request over with the part of its body that has arrived, unless it was handed over. */
  announce(): void {
    const { pieces, request } = this;
    if (pieces === undefined) return;
    this.pieces = undefined;
    const { method = '', url = '', headers } = request;
    let text = `${method}\n${url}\n${this.connection.address}`;
    for (const name in headers) text += `\n${name}\n${String(headers[name])}`;
    const body = pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
    this.write(ToMain.request, this.listener, this.bodyIsDone ? 1 : 0, text, body);
  }

  private take(chunk: Buffer): void {
    this.ahead += chunk.length;
    if (this.pieces === undefined) {
      this.write(ToMain.body, 0, 0, '', chunk);
    } else if (this.ahead > SMALL_BODY_BYTES) {
      this.announce();
      this.write(ToMain.body, 0, 0, '', chunk);
    } else {
      this.pieces.push(chunk);
    }
    if (this.ahead > BODY_WINDOW) this.request.pause();
  }

  private endBody(): void {
    this.bodyIsDone = true;
    if (this.pieces === undefined) this.write(ToMain.body, 1);
    else this.announce();
    this.settle();
  }

  private requestClosed(): void {
    if (!this.request.complete) this.abort();
  }

  private replyClosed(): void {
    this.context.unsent.delete(this);
    if (this.replyIsDone) return;
    if (!this.response.writableFinished) {
      this.abort();
      return;
    }
    this.replyIsDone = true;
    const { slot, serial } = this;
    const isExpected = this.bodyIsDone && !this.isStreamed && this.reported === 0;
    this.context.write({ kind: ToMain.finished, slot, serial }, isExpected);
    this.settle();
  }

  private abort(): void {
    if (this.bodyIsDone && this.replyIsDone) return;
    this.bodyIsDone = this.replyIsDone = true;
    // A request that nobody knows is not worth announcing.
    if (this.pieces === undefined) this.write(ToMain.aborted);
    this.pieces = undefined;
    this.settle();
  }

  private settle(): void {
    if (!this.bodyIsDone || !this.replyIsDone) return;
    this.context.unsent.delete(this);
    this.context.free(this);
  }

  /** Does what the main thread wants. */
  obey(frame: ReadFrame): void {
    switch (frame.kind) {
      case ToThread.head:
        this.sendHead(frame);
        break;
      case ToThread.piece:
        this.sendPiece(frame);
        break;
      case ToThread.consumed:
        this.ahead -= frame.a;
        if (this.ahead <= BODY_WINDOW) this.request.resume();
        break;
      case ToThread.destroy:
        this.request.destroy(); // Which does nothing once the request has been read,
        this.response.destroy(); // nor this once the reply was sent.
        break;
      case ToThread.refuseSlow:
        this.connection.refuseSlow();
        break;
      case ToThread.watchIdle:
        this.connection.onIdle(frame.a, () => {
          if (!this.replyIsDone || !this.bodyIsDone) this.write(ToMain.idle);
        });
        break;
      default:
        throw new Error(`An HTTP thread received a frame of kind ${frame.kind}`);
    }
  }

  private sendHead(frame: ReadFrame): void {
    const { response } = this;
    const flags = frame.b;
    const lines = frame.text.split('\n');
    if (lines.length !== flags >> LINES_SHIFT) throw new Error('A header contains a line feed');
    response.writeHead(frame.a, lines);
    this.isStreamed = (flags & LAST) === 0;
    this.isCorked = (flags & CORKED) !== 0;
    if (this.isCorked) response.cork();
    this.sendPiece(frame);
  }

  private sendPiece(frame: ReadFrame): void {
    const { response } = this;
    this.received += frame.bodyLength;
    const isLast = (frame.b & LAST) !== 0;
    if (frame.bodyLength === 0) {
      if (isLast) response.end();
    } else if (frame.isAscii) {
      const text = frame.asciiBody();
      if (isLast) response.end(text, 'latin1');
      else response.write(text, 'latin1');
    } else {
      const body = frame.body();
      if (isLast) response.end(body);
      else response.write(body);
    }
    if (this.isCorked && !isLast) return;
    if (response.writableLength > 0) this.followUnsent();
    else if (this.isStreamed && !isLast) this.report();
  }

  private followUnsent(): void {
    if (!this.context.unsent.has(this)) {
      this.context.unsent.add(this);
      this.mark = this.connection.sentMark();
      this.response.on('drain', () => this.report());
    }
    this.report();
  }

  /** Reports progress, if there was any. */
  check(): void {
    const { completed, queued } = this.connection.sentMark();
    if (completed === this.mark?.completed && queued === this.mark.queued) return;
    this.mark = { completed, queued };
    this.report();
  }

  private report(): void {
    if (this.replyIsDone) return;
    const taken = Math.max(0, this.received - this.response.writableLength);
    this.write(ToMain.sent, taken | 0, (this.reported = (this.reported + 1) | 0));
  }

  private write(kind: number, a = 0, b = 0, text = '', body: string | Uint8Array = ''): void {
    this.context.write({ kind, slot: this.slot, serial: this.serial, a, b, text, body });
  }
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';

const ignored = (): void => {};
