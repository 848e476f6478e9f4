import type { Duplex } from 'node:stream';
import { refuse, type Refusal } from '#src/domain/errors.ts';
import { STATUS_CODES } from './node-http.ts';
import { problemOf, type Problems } from './problem.ts';

/** Answers what never became a request: broken HTTP, too many header bytes, too slow. */
export function refuseConnection(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  problems: Problems,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable || answering(socket)) {
    socket.destroy();
    return;
  }
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    socket.end('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
    return;
  }
  const requestId = problems.ids.next();
  const { status, body, headers } = problemOf(refusalOf(error), { requestId }, problems);
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    ...Object.entries({ ...headers, 'X-Request-Id': requestId, Connection: 'close' }).map(
      ([name, value]) => `${name}: ${value}`,
    ),
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
}

function refusalOf({ code }: NodeJS.ErrnoException): Refusal {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return refuse('HEADERS_TOO_LARGE', 'The header fields have more than 16 KiB.');
  }
  return refuse('BODY_UNREADABLE', 'This is not a request of HTTP/1.1.');
}

/** An answer is half-way out on this connection: nothing may be put between. Node's own test of it. */
function answering(socket: Duplex): boolean {
  const { _httpMessage: message } = socket as Duplex & { _httpMessage?: { headersSent?: boolean } };
  return message?.headersSent === true;
}
