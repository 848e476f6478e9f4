import { flawOf } from './described.ts';
import { Agent, request, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';

/** An answer as it came: nothing is decoded that a test did not ask for. */
export type Answer = Readonly<{
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** The body as JSON; the caller says what it takes it for. */
  json: () => unknown;
}>;

export type Sent = Readonly<{
  method: string;
  /** Goes out as it is: `//`, `%2F` and bad escapes too. */
  path: string;
  headers?: OutgoingHttpHeaders;
  body?: string | Buffer;
  /** The address of this machine that it is sent from; on Linux, every one in 127.0.0.0/8 is. */
  from?: string;
}>;

export interface Client {
  send(sent: Sent): Promise<Answer>;
  get(path: string, headers?: OutgoingHttpHeaders): Promise<Answer>;
  /** An object is sent as JSON, a text as it is; either as application/json unless headers say otherwise. */
  post(path: string, body?: unknown, headers?: OutgoingHttpHeaders): Promise<Answer>;
  patch(path: string, body: unknown): Promise<Answer>;
  delete(path: string): Promise<Answer>;
  /** Ends its connections. */
  close(): void;
}

export type ClientOptions = Readonly<{
  connections?: number;
  timeoutMs?: number;
  /** Answers are not held against the description of the API: where only speed counts. */
  undescribed?: boolean;
  /** Hands on what says "come again", instead of coming again: where that is what a test is about. */
  impatient?: boolean;
  /** Sent with every request, unless it has others. */
  headers?: () => OutgoingHttpHeaders;
}>;

/**
 * A plain client on kept connections. It follows and interprets nothing; an answer that the description of the API does
 * not allow is an error. As every client must, it comes again when it is told to: reads that fall behind by seconds on
 * a machine that stands still for so long are no fault.
 */
export function clientOf(
  server: () => Readonly<{ port: number }>,
  options: ClientOptions = {},
): Client {
  const { connections = 64, timeoutMs = 30_000, undescribed = false, impatient = false } = options;
  const { headers: always = () => ({}) } = options;
  const agent = new Agent({ keepAlive: true, maxSockets: connections });

  const send = async (sent: Sent): Promise<Answer> => {
    const untilMs = performance.now() + PATIENCE_MS;
    for (;;) {
      const answer = await ask(sent);
      const againMs = impatient ? undefined : comeAgainMs(sent, answer);
      if (againMs === undefined || performance.now() > untilMs) return answer;
      await new Promise((resolve) => setTimeout(resolve, againMs));
    }
  };

  const ask = ({ method, path, headers = {}, body, from }: Sent): Promise<Answer> => {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const chunked = 'Transfer-Encoding' in headers;
    const length =
      body === undefined || chunked ? {} : { 'Content-Length': Buffer.byteLength(body) };
    const { port } = server();
    const sending = request(
      {
        host: '127.0.0.1',
        port,
        agent,
        method,
        path,
        headers: { ...length, ...always(), ...headers },
        ...(from !== undefined && { localAddress: from }),
      },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('error', reject);
        incoming.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          const json = (): unknown => JSON.parse(text);
          const answer = {
            status: incoming.statusCode ?? 0,
            headers: incoming.headers,
            text,
            json,
          };
          const flaw = undescribed ? undefined : flawOf({ method, path, ...answer });
          if (flaw === undefined) resolve(answer);
          else
            reject(
              new Error(`Not as described: ${method} ${path}: ${flaw}\n${text.slice(0, 600)}`),
            );
        });
      },
    );
    sending.setTimeout(timeoutMs, () => {
      sending.destroy(new Error(`No answer to ${method} ${path} within ${timeoutMs} ms`));
    });
    sending.on('error', reject);
    sending.end(body);
    return promise;
  };

  const sendJson = (method: string, path: string, body: unknown, headers: OutgoingHttpHeaders) =>
    send({
      method,
      path,
      headers: { 'Content-Type': 'application/json', ...headers },
      body: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
    });

  return {
    send,
    get: (path, headers = {}) => send({ method: 'GET', path, headers }),
    post: (path, body, headers = {}) => sendJson('POST', path, body, headers),
    patch: (path, body) => sendJson('PATCH', path, body, {}),
    delete: (path) => send({ method: 'DELETE', path }),
    close: () => agent.destroy(),
  };
}

/**
 * When to come again: after a 429, which did nothing, and after a 503 with what may be asked twice, a read or what has a
 * key. A projection that stopped says a later time.
 */
function comeAgainMs(sent: Sent, { status, headers }: Answer): number | undefined {
  const seconds = Number(headers['retry-after'] ?? Infinity);
  if (seconds > SOON_S) return undefined;
  const isRead = sent.method === 'GET' || sent.method === 'HEAD';
  const mayRepeat = isRead || 'X-Idempotency' in (sent.headers ?? {});
  return status === 429 || (status === 503 && mayRepeat) ? seconds * 1000 : undefined;
}

const SOON_S = 5;
const PATIENCE_MS = 30_000;
