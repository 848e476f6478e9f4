import { createBearerToken, type TokenSource } from './bearer-token.ts';
import { ConnectionLost, QuipuProblem, readProblem } from './problem.ts';
import { createRecentWrites } from './recent-writes.ts';
import { pauseAfter } from './retry.ts';

export type SenderOptions = Readonly<{
  token?: TokenSource | undefined;
  fetch: typeof fetch;
  retriesMax: number;
}>;

/** A request that can be sent any number of times. */
export type OutgoingRequest = Readonly<{
  method: string;
  url: string;
  headers: Headers;
  body?: string | undefined;
  signal?: AbortSignal | undefined;
  /** Carrying it out twice does no more than carrying it out once. */
  isRepeatable: boolean;
}>;

/** A success. JSON was read from the body of the response into `data`; any other body is still unread. */
export type ClientReply<Data = unknown> = Readonly<{ data: Data; response: Response }>;

export type Send = (request: OutgoingRequest) => Promise<ClientReply>;

/** Creates a function that sends requests. Errors: QuipuProblem, ConnectionLost, the reason of an aborted signal. */
export function createSender({ token, fetch, retriesMax }: SenderOptions): Send {
  const bearer = createBearerToken(token);
  const writes = createRecentWrites();

  const once = async (request: OutgoingRequest, isFirst = true): Promise<ClientReply> => {
    const headers = new Headers(request.headers);
    const used = await bearer.get();
    if (used !== undefined) headers.set('Authorization', `Bearer ${used}`);
    const written = isRead(request) && !headers.has(CONSISTENCY) ? writes.token() : undefined;
    if (written !== undefined) headers.set(CONSISTENCY, written);

    const reply = await exchange(fetch, { ...request, headers });
    if (!(reply instanceof QuipuProblem)) {
      const added = reply.response.headers.get(CONSISTENCY);
      if (added !== null) writes.add(added);
      return reply;
    }
    // Tokens are checked before anything else happens, so any request can be sent again.
    if (isFirst && isTokenRefused(reply) && bearer.expire(used)) return once(request, false);
    throw reply;
  };

  return async (request) => {
    const { isRepeatable, signal } = request;
    const policy = { retriesMax: isRepeatable ? retriesMax : 0, signal };
    for (let failures = 0; ; failures += 1) {
      try {
        return await once(request);
      } catch (error) {
        await pauseAfter(error, failures, policy);
      }
    }
  };
}

/** Sends a request once and reads its response, of which a part may be lost as well. */
async function exchange(
  fetch: SenderOptions['fetch'],
  { method, url, headers, body, signal }: OutgoingRequest,
): Promise<ClientReply | QuipuProblem> {
  const init = {
    method: method.toUpperCase(),
    headers,
    body: body ?? null,
    signal: signal ?? null,
  };
  try {
    const response = await fetch(url, init);
    if (!response.ok) return await readProblem(response);
    const data: unknown = isJson(response) ? JSON.parse(await response.text()) : undefined;
    return { data, response };
  } catch (error) {
    if (signal?.aborted === true) throw error;
    throw new ConnectionLost(`${init.method} ${url} got no complete response.`, { cause: error });
  }
}

const isRead = ({ method }: OutgoingRequest): boolean => method === 'get' || method === 'head';

const isJson = ({ headers, status }: Response): boolean =>
  status !== 204 && headers.get('Content-Type')?.startsWith('application/json') === true;

/** A response to HEAD does not say why. */
const isTokenRefused = ({ status, document }: QuipuProblem): boolean =>
  status === 401 && (document === undefined || document.legacyCode === TOKEN_INVALID);

const CONSISTENCY = 'X-Consistency-Token';
const TOKEN_INVALID = '0042';
