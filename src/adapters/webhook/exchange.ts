import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import type { WebhookRequest } from './message.ts';

/** The status of a response, its Retry-After header, and the beginning of its body. */
export type WebhookResponse = Readonly<{ statusCode: number; retryAfter?: string; body: string }>;

/** The whole exchange took longer than it may. */
export class ExchangeTimedOut extends Error {
  constructor(ms: number) {
    super(`No response within ${ms} ms`);
    this.name = 'ExchangeTimedOut';
  }
}

type ExchangeOptions = Readonly<{
  /** Starts a request with the right agent. */
  start(options: RequestOptions): ClientRequest;
  request: WebhookRequest;
  timeoutMs: number;
  signal: AbortSignal;
}>;

/**
 * Posts a request and resolves with the response. The time limit covers name resolution, connection, TLS and the
 * response; redirects are not followed. Once the status is there, the rest of the body cannot fail the exchange: at most
 * 1 KiB of it is read, for at most a second. Errors: ExchangeTimedOut, those of the connection, the reason of the signal.
 */
export async function exchange(options: ExchangeOptions): Promise<WebhookResponse> {
  const deadlineMs = performance.now() + options.timeoutMs;
  try {
    return await once(options, deadlineMs);
  } catch (error) {
    // Receivers close idle connections at any time, also at the moment when one is used again.
    if (error instanceof StaleConnection) return once(options, deadlineMs);
    throw error;
  }
}

class StaleConnection extends Error {}

async function once(
  { start, request, timeoutMs, signal }: ExchangeOptions,
  deadlineMs: number,
): Promise<WebhookResponse> {
  signal.throwIfAborted();
  const { headers, body } = request;
  const outgoing = start({ method: 'POST', headers, maxHeaderSize: HEADER_BYTES_MAX });
  const abort = (): void => {
    outgoing.destroy(signal.reason instanceof Error ? signal.reason : new Error('Aborted'));
  };
  const timer = setTimeout(
    () => outgoing.destroy(new ExchangeTimedOut(timeoutMs)),
    deadlineMs - performance.now(),
  );
  signal.addEventListener('abort', abort);
  try {
    const response = await responseTo(outgoing, body);
    const retryAfter = response.headers['retry-after'];
    return {
      statusCode: response.statusCode ?? 0,
      ...(retryAfter !== undefined && { retryAfter }),
      body: await beginningOf(response),
    };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}

const responseTo = (outgoing: ClientRequest, body: Buffer): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    outgoing.on('response', resolve);
    outgoing.on('upgrade', (response, socket) => {
      socket.destroy();
      resolve(response);
    });
    // The listener stays: errors after the response must not be unhandled.
    outgoing.on('error', (error: Error & { code?: unknown }) => {
      const isStale =
        outgoing.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
      reject(isStale ? new StaleConnection(error.message, { cause: error }) : error);
    });
    outgoing.end(body);
  });

/** Reads the beginning of a body; a longer one, or one that is slow, is cut off together with its connection. */
const beginningOf = (response: IncomingMessage): Promise<string> =>
  new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const finish = (): void => {
      clearTimeout(timer);
      if (!response.complete) response.destroy();
      resolve(textOf(Buffer.concat(chunks).subarray(0, BODY_BYTES_MAX)));
    };
    const timer = setTimeout(finish, BODY_MS_MAX);
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > BODY_BYTES_MAX) finish();
    });
    response.on('end', finish);
    response.on('error', finish);
    response.on('close', finish);
  });

/** Decodes UTF-8; a character that was cut in the middle is left out. */
const textOf = (bytes: Buffer): string => new TextDecoder().decode(bytes, { stream: true });

const HEADER_BYTES_MAX = 16_384;
const BODY_BYTES_MAX = 1024;
const BODY_MS_MAX = 1000;
