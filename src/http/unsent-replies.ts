import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Log } from '#src/ports/log.ts';
import type { MemoryBudget } from './memory-budget.ts';

/** A reply that is not completely sent, and its progress at the last check. */
type UnsentReply = {
  readonly response: ServerResponse;
  readonly requestId: string;
  readonly operation: string;
  bytes: number;
  sent: SentMark;
  progressedMs: number;
};

/** Changes with every byte that the client takes, and only then. */
type SentMark = Readonly<{ completed: number; queued: number }>;

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
  watch(response: ServerResponse, requestId: string, operation: string): void {
    if (response.destroyed) return;
    const reply: UnsentReply = {
      ...{ response, requestId, operation },
      bytes: 0,
      sent: sentOf(response),
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
      const { response } = reply;
      this.#count(reply, response.writableLength);
      const sent = sentOf(response);
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

/**
 * Measures progress. A long write counts as one to the stream while its bytes are sent bit by bit: only the handle
 * knows how many are left.
 */
function sentOf({ socket }: ServerResponse): SentMark {
  if (socket === null) return NOTHING_SENT; // The reply is sent, or its connection has ended.
  const { _handle: handle } = socket as Socket & {
    _handle?: Readonly<{ writeQueueSize?: number }> | null;
  };
  return {
    completed: socket.bytesWritten - socket.writableLength,
    queued: handle?.writeQueueSize ?? 0,
  };
}

const NOTHING_SENT: SentMark = { completed: 0, queued: 0 };
