import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { refuse } from '#src/kernel/errors.ts';
import { SAFE_METHODS } from './cors.ts';
import type { Problems } from './problem.ts';
import { endWithProblem } from './refuse-connection.ts';

/**
 * Bounds the connections that several servers have open together. Further ones are refused before anything of them is
 * read; if more than REFUSED_MAX are being refused, they are closed without a reply. Every connection takes a file
 * descriptor and some memory: without a bound, files could not be opened any more.
 */
export function boundConnections(
  max: number,
  problems: Problems,
  count: ConnectionCount = newConnectionCount(),
): (server: Server) => void {
  return (server) => {
    const [serve] = server.listeners('connection') as ((this: Server, socket: Socket) => void)[];
    server.removeAllListeners('connection');
    server.on('connection', (socket: Socket) => {
      if (counts(count, OPEN, max, socket)) serve?.call(server, socket);
      else if (counts(count, REFUSED, REFUSED_MAX, socket))
        endWithProblem(socket, tooMany(max), problems);
      else socket.destroy();
    });
  };
}

/** Counts a connection until it is closed. Returns false if there are `max` already. */
function counts(count: ConnectionCount, kind: number, max: number, socket: Socket): boolean {
  if (Atomics.add(count, kind, 1) >= max) {
    Atomics.sub(count, kind, 1);
    return false;
  }
  socket.once('close', () => Atomics.sub(count, kind, 1));
  return true;
}

/** The numbers of connections that are open and that are being refused; the HTTP threads of a process count together. */
export type ConnectionCount = Int32Array<SharedArrayBuffer>;
export const newConnectionCount = (): ConnectionCount =>
  new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
const OPEN = 0;
const REFUSED = 1;

/** The maximum number of connections that are being refused at a time. */
export const REFUSED_MAX = 64;

const tooMany = (max: number) =>
  refuse('UNAVAILABLE', `All ${max} connections of this server are in use.`, {
    retryAfterSeconds: 1,
  });

/** Refuses CONNECT, because this server is not a proxy. */
export function refuseConnect(socket: Duplex, problems: Problems): void {
  const refusal = refuse(
    'METHOD_NOT_ALLOWED',
    'CONNECT is not allowed: this server is not a proxy.',
  );
  endWithProblem(socket, refusal, problems, { Allow: 'GET, HEAD, POST, PUT, PATCH, DELETE' });
}

/**
 * Handles a client that has sent its request and closes its side of the connection. A write still gets its reply,
 * because it may have been done. A read is abandoned, because a client that is gone looks the same and must not keep
 * the server at work.
 */
export function endHalfOpenReads(server: Server): void {
  Object.assign(server, { httpAllowHalfOpen: true });
  server.on('connection', (socket: Socket) => {
    socket.on('end', () => {
      const { _httpMessage: reply, parser } = socket as Followed;
      const isRead = [reply?.req, parser?.incoming].every(
        (request) => !request || SAFE_METHODS.has(request.method ?? ''),
      );
      if (isRead) socket.end();
    });
  });
}

/** Node's internal members: the reply that is next on a connection, and the request that was read last. */
type Followed = Socket & {
  _httpMessage?: Readonly<{ req: IncomingMessage }> | null;
  parser?: Readonly<{ incoming?: IncomingMessage | null }> | null;
};
