import type { paths } from './api.ts';

export type HttpMethod = 'get' | 'post' | 'put' | 'patch' | 'delete' | 'head';

/** The paths that have an operation of this method. */
export type PathWith<M extends HttpMethod> = {
  [Path in keyof paths]: M extends keyof paths[Path] ? Path : never;
}[keyof paths];

export type OperationAt<M extends HttpMethod, Path> = Path extends keyof paths
  ? M extends keyof paths[Path]
    ? paths[Path][M]
    : never
  : never;

/** The parts of a request of this operation: `path`, `query`, `headers` and `body`, each as far as it takes them. */
export type Options<Operation> = ParameterOptions<Operation> &
  BodyOption<Operation> &
  Readonly<{ signal?: AbortSignal | undefined }>;

/** Options can be left out if the operation requires none. */
export type OptionArguments<Operation> =
  Partial<Options<Operation>> extends Options<Operation>
    ? [options?: Options<Operation>]
    : [options: Options<Operation>];

/** The body of a success; undefined where there is none. */
export type Success<Operation, Media extends string = typeof JSON_MEDIA> = Operation extends {
  responses: infer Responses;
}
  ? { [Status in keyof Responses]: ContentOf<Responses[Status], Media> }[keyof Responses]
  : never;

/** The lists that `items` can go through. */
export type ListPath = {
  [Path in PathWith<'get'>]: Success<OperationAt<'get', Path>> extends List ? Path : never;
}[PathWith<'get'>];

export type List = Readonly<{
  items: readonly unknown[];
  limit: number;
  page?: number;
  next_cursor?: string;
}>;

export type ItemAt<Path> =
  Success<OperationAt<'get', Path>> extends Readonly<{ items: readonly (infer Item)[] }>
    ? Item
    : never;

/** The operations whose response is lines of JSON. */
export type LinesPath = {
  [Path in PathWith<'get'>]: LineAt<Path> extends object ? Path : never;
}[PathWith<'get'>];

export type LineAt<Path> = Success<OperationAt<'get', Path>, typeof NDJSON_MEDIA>;

export const JSON_MEDIA = 'application/json';
export const NDJSON_MEDIA = 'application/x-ndjson';

type ParameterOptions<Operation> = Operation extends { parameters: infer Parameters }
  ? Omit<Parameters, 'header'> & HeaderOption<Parameters>
  : never;

type HeaderOption<Parameters> = Parameters extends { header: infer Headers }
  ? { headers: Headers & AnyHeaders }
  : Parameters extends { header?: infer Headers }
    ? { headers?: OwnHeaders<NonNullable<Headers>> & AnyHeaders }
    : never;

type OwnHeaders<Headers> = [Headers] extends [never] ? unknown : Headers;

/** Headers that every operation takes. */
type AnyHeaders = Readonly<{
  'X-Request-Id'?: string;
  /** Shows the writes of another client; without it, the client sends what it wrote itself. */
  'X-Consistency-Token'?: string;
  'X-Correlation-ID'?: string;
  traceparent?: string;
  tracestate?: string;
}>;

type BodyOption<Operation> = Operation extends { requestBody: { content: infer Content } }
  ? { body: JsonIn<Content> }
  : Operation extends { requestBody?: { content: infer Content } }
    ? { body?: JsonIn<Content> }
    : { body?: never };

type JsonIn<Content> = Content extends { [JSON_MEDIA]: infer Body } ? Body : never;

type ContentOf<Response, Media extends string> = Response extends { content: infer Content }
  ? Media extends keyof Content
    ? Content[Media]
    : never
  : undefined;
