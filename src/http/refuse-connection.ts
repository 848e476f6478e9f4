import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { refuse, type Refusal } from '#src/kernel/errors.ts';
import { STATUS_CODES } from './node-http.ts';
import { problemOf, type Problems } from './problem.ts';
import { SECURITY_HEADERS } from './security-headers.ts';

/** Replies to connections that never sent a valid request: broken HTTP, too many header bytes, too slow. */
export function refuseConnection(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  problems: Problems,
): void {
  if (waiting.has(socket)) return; // All data after the error causes further errors.
  const reply = replyOn(socket);
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
  } else if (reply?.req.complete === true) {
    // Requests before the error get their replies first.
    waiting.add(socket);
    reply.once('close', () => {
      waiting.delete(socket);
      refuseConnection(error, socket, problems);
    });
  } else if (reply?.headersSent === true) {
    socket.destroy(); // A reply is partly sent on this connection, so nothing else may be.
  } else if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    endWith(socket, 408, SECURITY_HEADERS, '');
  } else {
    endWithProblem(socket, refusalOf(error), problems);
  }
}

/** Ends a connection with a problem document, outside of any exchange. */
export function endWithProblem(
  socket: Duplex,
  refusal: Refusal,
  problems: Problems,
  more: Readonly<Record<string, string>> = {},
): void {
  const requestId = problems.ids.next();
  const { status, body, headers } = problemOf(refusal, { requestId }, problems);
  const own = { 'X-Request-Id': requestId, ...SECURITY_HEADERS };
  endWith(socket, status, { ...headers, ...own, ...more }, body);
}

/** Ends a connection; closes it after a while even if the client keeps its side open. */
function endWith(
  socket: Duplex,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string,
): void {
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    'Connection: close',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  const lingering = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => clearTimeout(lingering));
  socket.on('error', ignored);
  socket.resume(); // Drop further data, and detect the end of the other side.
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
}

function refusalOf({ code }: NodeJS.ErrnoException): Refusal {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return refuse('HEADERS_TOO_LARGE', 'The header fields have more than 16 KiB.');
  }
  return refuse('BODY_UNREADABLE', 'This is not a request of HTTP/1.1.');
}

/** Returns the reply that is next on a connection, as Node itself finds it. */
function replyOn(socket: Duplex): PendingReply | undefined {
  const { _httpMessage: reply } = socket as Duplex & { _httpMessage?: PendingReply | null };
  return reply ?? undefined;
}

type PendingReply = Readonly<{
  headersSent: boolean;
  req: IncomingMessage;
  once: (event: 'close', then: () => void) => unknown;
}>;

const waiting = new WeakSet<Duplex>();
const LINGER_MS = 2_000;
const ignored = (): void => {};
