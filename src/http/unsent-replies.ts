import type { Log } from '#src/ports/log.ts';
import type { MemoryBudget } from './memory-budget.ts';
import type { HttpConnection, HttpResponse, SentMark } from './transport.ts';

/** A reply and its connection. */
type Sending = Readonly<{
  response: Pick<HttpResponse, 'destroyed' | 'writableLength' | 'once' | 'destroy'>;
  connection: Pick<HttpConnection, 'sentMark'>;
}>;

/** A reply that is not completely sent, and its progress at the last check. */
type UnsentReply = Sending & {
  readonly requestId: string;
  readonly operation: string;
  bytes: number;
  sent: SentMark;
  progressedMs: number;
};

/**
 * Keeps the replies that the network has not taken yet: their bytes count as held, and a connection whose client takes
 * nothing for a set time is ended. All replies are checked together at intervals, because a timer for each would cost
 * every request.
 */
export class UnsentReplies {
  readonly #memory: MemoryBudget;
  readonly #log: Log;
  readonly #replies = new Set<UnsentReply>();

  constructor(memory: MemoryBudget, log: Log) {
    this.#memory = memory;
    this.#log = log;
  }

  /** Follows a reply until it is sent or its connection ends. */
  watch({ response, connection }: Sending, requestId: string, operation: string): void {
    if (response.destroyed) return;
    const reply: UnsentReply = {
      ...{ response, connection, requestId, operation },
      bytes: 0,
      sent: connection.sentMark(),
      progressedMs: performance.now(),
    };
    this.#replies.add(reply);
    this.#count(reply, response.writableLength);
    response.once('close', () => {
      this.#replies.delete(reply);
      this.#count(reply, 0);
    });
  }

  /** Ends the connections that made no progress for `limitMs`. */
  cutOffStalled(limitMs: number): void {
    const nowMs = performance.now();
    for (const reply of this.#replies) {
      const { response, connection } = reply;
      this.#count(reply, response.writableLength);
      const sent = connection.sentMark();
      const { completed, queued } = reply.sent;
      if (reply.bytes === 0 || sent.completed !== completed || sent.queued !== queued) {
        reply.sent = sent;
        reply.progressedMs = nowMs;
      } else if (nowMs - reply.progressedMs >= limitMs) {
        this.#cutOff(reply, limitMs);
      }
    }
  }

  #cutOff({ response, requestId, operation, bytes }: UnsentReply, limitMs: number): void {
    const message = `a reply was cut off because its reader took nothing for ${String(limitMs / 1000)} s`;
    this.#log.warn({ requestId, operation, unsentBytes: bytes }, message);
    response.destroy();
  }

  #count(reply: UnsentReply, bytes: number): void {
    this.#memory.add(bytes - reply.bytes);
    reply.bytes = bytes;
  }
}
