import { EventEmitter } from 'node:events';
import { SMALL_BODY_BYTES } from '#src/http/memory-budget.ts';
import type { HttpResponse, SentMark } from '#src/http/transport.ts';
import { BODY_BYTES_MAX } from './frame-queue.ts';
import { CORKED, LAST, LINES_SHIFT, REPLY_WINDOW, ToThread, type ReplyLine } from './protocol.ts';

/** The reply to a request that an HTTP thread has handed over. */
export class ThreadResponse implements HttpResponse {
  readonly slot: number;
  readonly serial: number;
  destroyed = false;
  headersSent = false;
  /** True once nothing more is heard of it. */
  isDone = false;
  private readonly line: ReplyLine;
  private status = 0;
  private lines: string[] | undefined;
  private flags = 0;
  private hasEnded = false;
  private written = 0;
  private taken = 0;
  private mark = 0;
  /** True once the HTTP thread has reported that the network did not take everything at once. */
  private isUnsent = false;
  private needsDrain = false;
  private events: EventEmitter | undefined;

  constructor(slot: number, serial: number, line: ReplyLine) {
    this.slot = slot;
    this.serial = serial;
    this.line = line;
  }

  /** The network usually takes a small reply at once, so that it counts only when it was reported. */
  get writableLength(): number {
    if (this.isDone || !(this.isUnsent || this.written > SMALL_BODY_BYTES)) return 0;
    return this.written - this.taken;
  }

  writeHead(status: number, lines: string[]): this {
    this.headersSent = true;
    this.status = status;
    this.lines = lines;
    return this;
  }

  cork(): void {
    this.flags = CORKED;
  }

  write(chunk: string | Uint8Array): boolean {
    this.send(chunk, 0);
    this.needsDrain = this.written - this.taken >= REPLY_WINDOW;
    return !this.needsDrain;
  }

  end(chunk = ''): void {
    if (this.hasEnded) return;
    this.send(chunk, LAST);
    this.hasEnded = true;
  }

  /** Also after the end, while the request goes on. */
  destroy(): void {
    this.destroyed = true;
    this.line.write({ kind: ToThread.destroy, slot: this.slot, serial: this.serial });
  }

  on(event: 'drain' | 'close', listener: () => void): this {
    this.emitter.on(event, listener);
    return this;
  }
  off(event: 'drain' | 'close', listener: () => void): this {
    this.emitter.off(event, listener);
    return this;
  }
  once(event: 'finish' | 'close', listener: () => void): this {
    this.emitter.once(event, listener);
    return this;
  }
  private get emitter(): EventEmitter {
    return (this.events ??= new EventEmitter());
  }

  sentMark(): SentMark {
    return { completed: this.taken, queued: this.mark };
  }

  /** Takes note of how much the network has taken: the low 32 bits of a count of bytes. */
  sent(taken: number, mark: number): void {
    this.taken += (taken - this.taken) | 0;
    this.mark = mark;
    this.isUnsent ||= this.taken < this.written;
    if (!this.needsDrain || this.written - this.taken >= REPLY_WINDOW) return;
    this.needsDrain = false;
    this.events?.emit('drain');
  }

  finished(): void {
    if (this.isDone) return;
    this.isDone = true;
    this.events?.emit('finish');
    this.events?.emit('close');
  }

  aborted(): void {
    if (this.isDone) return;
    this.isDone = this.destroyed = true;
    this.events?.emit('close');
  }

  /** Sends a chunk; a long one in pieces, since each has to fit into the queue. */
  private send(chunk: string | Uint8Array, last: number): void {
    if (this.destroyed || this.hasEnded) return;
    if (chunk.length <= BODY_BYTES_MAX) {
      this.sendPiece(chunk, last);
      return;
    }
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    for (let from = 0; from < bytes.length; from += BODY_BYTES_MAX) {
      const to = from + BODY_BYTES_MAX;
      this.sendPiece(bytes.subarray(from, to), to < bytes.length ? 0 : last);
    }
  }

  private sendPiece(body: string | Uint8Array, last: number): void {
    const { slot, serial, lines } = this;
    this.written += typeof body === 'string' ? Buffer.byteLength(body) : body.length;
    if (lines === undefined) {
      this.line.write({ kind: ToThread.piece, slot, serial, b: last, body });
      return;
    }
    this.lines = undefined;
    this.line.write({
      ...{ kind: ToThread.head, slot, serial, a: this.status },
      b: this.flags | last | (lines.length << LINES_SHIFT),
      text: lines.join('\n'),
      body,
    });
  }
}
