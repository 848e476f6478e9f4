import { batchResults, type BatchItems, type BatchResult } from './client/batch.ts';
import type { TokenSource } from './client/bearer-token.ts';
import { createSender, type ClientReply } from './client/send-request.ts';
import { itemsOf } from './client/items.ts';
import { keyedOperations } from './client/keyed-operations.ts';
import { linesOf } from './client/lines.ts';
import {
  JSON_MEDIA,
  NDJSON_MEDIA,
  type ItemAt,
  type LineAt,
  type LinesPath,
  type List,
  type ListPath,
  type HttpMethod,
  type OperationAt,
  type OptionArguments,
  type PathWith,
  type Success,
} from './client/operation-types.ts';
import { requestUrl, type QueryParameters } from './client/request-url.ts';

export type { components, paths, ProblemCode } from './client/api.ts';
export type { TransactionToCreate, BatchResult } from './client/batch.ts';
export { ConnectionLost, isProblem, QuipuProblem } from './client/problem.ts';
export type { ProblemDocument } from './client/problem.ts';

export type ClientOptions = Readonly<{
  /** The address of the server, such as `http://127.0.0.1:3000`. */
  url: string;
  /** A bearer token, or a function that gets one, and is called again when the server no longer accepts it. */
  token?: TokenSource | undefined;
  /** The most that a request is repeated, by default 5 times. */
  retriesMax?: number;
  /** Used instead of the global fetch. */
  fetch?: typeof fetch;
}>;

/**
 * Calls the operations of the API by method and path. Each call resolves to the body of the response. Errors:
 * QuipuProblem when the server refuses it; ConnectionLost; the reason of an aborted signal.
 */
export interface Client {
  get: Call<'get'>;
  post: Call<'post'>;
  put: Call<'put'>;
  patch: Call<'patch'>;
  delete: Call<'delete'>;

  /** Returns the number of records in a list. */
  count<Path extends PathWith<'head'>>(
    path: Path,
    ...options: OptionArguments<OperationAt<'head', Path>>
  ): Promise<number>;

  /** Yields the items of a list, a page at a time. */
  items<Path extends ListPath>(
    path: Path,
    ...options: OptionArguments<OperationAt<'get', Path>>
  ): AsyncGenerator<ItemAt<Path>, void, undefined>;

  /** Yields what the server sends line by line, such as a journal. */
  lines<Path extends LinesPath>(
    path: Path,
    ...options: OptionArguments<OperationAt<'get', Path>>
  ): AsyncGenerator<LineAt<Path>, void, undefined>;

  /** Creates any number of transactions, each for itself, and yields their results in the same order. */
  batch(
    ledger: Readonly<{ organization_id: string; ledger_id: string }>,
    transactions: BatchItems,
    options?: Readonly<{ signal?: AbortSignal }>,
  ): AsyncGenerator<BatchResult, void, undefined>;

  /** Calls an operation and returns the response as well, for its headers or for a body that is not JSON. */
  request<M extends HttpMethod, Path extends PathWith<M>>(
    method: M,
    path: Path,
    ...options: OptionArguments<OperationAt<M, Path>>
  ): Promise<ClientReply<Success<OperationAt<M, Path>>>>;
}

/**
 * Creates a client. It makes idempotency keys for the operations that take them, and repeats reads, updates, deletions
 * and creations with a key after a lost connection and when the server is busy. Its reads show its earlier writes.
 */
export function createClient({ url, token, retriesMax = 5, ...own }: ClientOptions): Client {
  const send = createSender({ token, retriesMax, fetch: own.fetch ?? globalThis.fetch });

  const call = (
    method: HttpMethod,
    path: string,
    options: AnyOptions = {},
  ): Promise<ClientReply> => {
    const headers = new Headers(options.headers);
    const isKeyed = keyedOperations.has(`${method} ${path}`);
    if (isKeyed && !KEY_HEADERS.some((name) => headers.has(name))) {
      headers.set('X-Idempotency', crypto.randomUUID());
    }
    if (options.body !== undefined) headers.set('Content-Type', JSON_MEDIA);
    return send({
      method,
      url: requestUrl(url, path, options.path, options.query),
      headers,
      body: JSON.stringify(options.body),
      signal: options.signal,
      isRepeatable: method !== 'post' || isKeyed,
    });
  };
  const dataOf = (method: HttpMethod) => async (path: string, options?: AnyOptions) =>
    (await call(method, path, options)).data;

  const client = {
    get: dataOf('get'),
    post: dataOf('post'),
    put: dataOf('put'),
    patch: dataOf('patch'),
    delete: dataOf('delete'),
    request: call,
    async count(path: string, options?: AnyOptions) {
      const { response } = await call('head', path, options);
      return Number(response.headers.get('X-Total-Count'));
    },
    items(path: string, options: AnyOptions = {}) {
      const read = async (query: AnyOptions['query']) =>
        (await call('get', path, { ...options, ...(query && { query }) })).data as List;
      return itemsOf(read, options.query);
    },
    async *lines(path: string, options?: AnyOptions) {
      const { response } = await call('get', path, options);
      yield* linesOf(response, options?.signal);
    },
    batch(ledger: AnyOptions['path'], items: BatchItems, { signal }: AnyOptions = {}) {
      const headers = new Headers({ 'Content-Type': NDJSON_MEDIA });
      const to = { method: 'post', url: requestUrl(url, BATCH, ledger), headers, signal };
      // The batch repeats it with fewer lines.
      const post = async (body: string) =>
        (await send({ ...to, body, isRepeatable: false })).response;
      return batchResults(post, items, { retriesMax, signal });
    },
  };
  // The types of the API are narrower than what sends any request.
  return client as unknown as Client;
}

type Call<M extends HttpMethod> = <Path extends PathWith<M>>(
  path: Path,
  ...options: OptionArguments<OperationAt<M, Path>>
) => Promise<Success<OperationAt<M, Path>>>;

/** The options of any operation; the types of Client say which each takes. */
type AnyOptions = Readonly<{
  path?: Readonly<Record<string, string>>;
  query?: QueryParameters;
  headers?: Readonly<Record<string, string>>;
  body?: unknown;
  signal?: AbortSignal;
}>;

const KEY_HEADERS = ['X-Idempotency', 'Idempotency-Key'];
const BATCH: PathWith<'post'> =
  '/v1/organizations/{organization_id}/ledgers/{ledger_id}/transactions/batch';
