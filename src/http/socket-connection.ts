import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Problems } from './problem.ts';
import { refuseConnection } from './refuse-connection.ts';
import type { HttpConnection, SentMark } from './transport.ts';

/** The connection of a request that this thread has received itself. */
export class SocketConnection implements HttpConnection {
  private readonly request: IncomingMessage;
  private readonly response: ServerResponse;
  private readonly problems: Problems;

  constructor(request: IncomingMessage, response: ServerResponse, problems: Problems) {
    this.request = request;
    this.response = response;
    this.problems = problems;
  }

  get address(): string {
    return this.socket?.remoteAddress ?? '';
  }

  get isClosed(): boolean {
    return this.socket?.destroyed !== false;
  }

  /** Node takes the socket from a request that is destroyed. */
  private get socket(): Socket | null {
    return (this.request as Readonly<{ socket: Socket | null }>).socket;
  }

  sentMark(): SentMark {
    return sentMarkOf(this.response);
  }

  onIdle(ms: number, then: () => void): void {
    this.socket?.setTimeout(ms, then);
  }

  refuseSlow(): void {
    const { socket } = this;
    if (socket === null) return;
    if (this.response.writableEnded) socket.destroy();
    else refuseConnection(requestTimeout(), socket, this.problems);
  }
}

/**
 * Measures progress. A long write counts as one to the stream while its bytes are sent bit by bit: only the handle
 * knows how many are left.
 */
export function sentMarkOf({ socket }: ServerResponse): SentMark {
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

const requestTimeout = (): Error =>
  Object.assign(new Error('Too slow'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
