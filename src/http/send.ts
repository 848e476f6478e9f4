import { encodeToken } from './headers.ts';
import { sizeOf, type Body, type Reply } from './reply.ts';
import { SECURITY_HEADERS } from './security-headers.ts';
import type { HttpRequest, HttpResponse } from './transport.ts';

/**
 * Writes a reply at once, with its length. `extra` are headers that depend on the request rather than the reply. To
 * HEAD, it sends what GET would return without the body; of an error, only the status. Returns the bytes of the body;
 * for a stream, when it has ended.
 */
export function send(
  request: HttpRequest,
  response: HttpResponse,
  reply: Reply,
  requestId: string,
  extra: Readonly<Record<string, string>> | undefined,
  onCutOff: (error: unknown) => void,
): number | Promise<number> {
  if (response.headersSent || response.destroyed) return 0;
  const { status, body, headers, token, isAscii = false } = reply;
  const head = request.method === 'HEAD';
  const lines: string[] = ['X-Request-Id', requestId];
  const bare = head && status >= 400;
  for (const name of SECURITY_NAMES) {
    if (headers?.[name] === undefined) lines.push(name, SECURITY_HEADERS[name]);
  }
  if (headers !== undefined) append(lines, headers, bare);
  if (extra !== undefined) append(lines, extra);
  if (token !== undefined) lines.push('X-Consistency-Token', encodeToken(token));
  if (reply.replayed !== undefined) lines.push('X-Idempotency-Replayed', String(reply.replayed));

  if (reply.chunks !== undefined) {
    response.writeHead(status, lines);
    if (!head) return stream(response, reply.chunks, onCutOff);
    response.end();
    return 0;
  }
  if (body === undefined || bare) {
    if (status !== 204) lines.push('Content-Length', '0');
    response.writeHead(status, lines).end();
    return 0;
  }
  if (headers?.['Content-Type'] === undefined) lines.push('Content-Type', 'application/json');
  // To count the bytes of a text copies it, if it is a concatenation.
  const bytes = typeof body === 'string' && !isAscii ? Buffer.byteLength(body) : sizeOf(reply);
  lines.push('Content-Length', String(bytes));
  response.writeHead(status, lines);
  if (head) {
    response.end();
    return 0;
  }
  if (typeof body !== 'string') sendPieces(response, body);
  else if (isAscii) response.end(body, 'latin1');
  else response.end(body);
  return bytes;
}

const SECURITY_NAMES = Object.keys(SECURITY_HEADERS) as (keyof typeof SECURITY_HEADERS)[];

/** Writes all pieces in one write. */
function sendPieces(response: HttpResponse, pieces: Exclude<Body, string>): void {
  response.cork();
  for (const piece of pieces) response.write(piece);
  response.end();
}

function append(lines: string[], headers: Readonly<Record<string, string>>, bare = false): void {
  for (const name of Object.keys(headers)) {
    if (!bare || name !== 'Content-Type') lines.push(name, headers[name] ?? '');
  }
}

/**
 * Writes no faster than the client reads, and yields between two chunks, because their producer may never wait for
 * anything itself. If it fails halfway, the reply can only be cut off. Returns the bytes that were sent.
 */
async function stream(
  response: HttpResponse,
  chunks: AsyncIterable<string>,
  onCutOff: (error: unknown) => void,
): Promise<number> {
  let bytes = 0;
  try {
    for await (const chunk of chunks) {
      bytes += Buffer.byteLength(chunk);
      if (!response.write(chunk)) await drained(response);
      await othersHadTheirTurn();
      if (response.destroyed) return bytes; // No further chunk is needed.
    }
    response.end();
  } catch (error) {
    if (!response.destroyed) onCutOff(error); // Else the client disconnected.
    response.destroy();
  }
  return bytes;
}

const othersHadTheirTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const drained = (response: HttpResponse): Promise<void> =>
  new Promise((resolve) => {
    const go = (): void => {
      response.off('drain', go).off('close', go);
      resolve();
    };
    response.on('drain', go).on('close', go);
  });
