/** The values of a request, whose body becomes the example of its operation. */
export type ExampleCall = Readonly<{
  /** Values of the path; those of the whole scenario come from `within`. */
  path?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string | number>>;
  headers?: Readonly<Record<string, string>>;
  /** A value that `media` encodes. */
  body?: unknown;
  /** The media type of the body; JSON unless it says otherwise. */
  media?: ExampleMedia;
  /** Calls this very operation, although the form under test has another. */
  isExact?: true;
  /** Repeats a request until it returns such a body, which alone is recorded. */
  until?: (body: never) => boolean;
  /** Cuts each list of the response to this many items, where the operation has no limit. */
  itemsMax?: number;
}>;

export type ExampleMedia =
  | 'application/json'
  | 'application/x-ndjson'
  | 'application/x-www-form-urlencoded'
  | 'multipart/form-data'
  | 'text/plain'
  | 'text/event-stream';

export type Identified = Readonly<{ id: string }>;

/** Runs a scenario through the API. The first body of each kind that an operation takes or returns is its example. */
export type ExampleApi = Readonly<{
  /** Sends a request, which must succeed, and returns the body of the response. */
  call: <T = Identified>(operationId: string, call?: ExampleCall) => Promise<T>;
  /** As `call`, for a value that the response has in a header. */
  header: (name: string, operationId: string, call?: ExampleCall) => Promise<string>;
  /** Returns the path of an operation, for what `call` cannot send. */
  path: (operationId: string) => string;
  /** Records a body that came another way. */
  received: (operationId: string, status: number, media: ExampleMedia, body: unknown) => void;
  /** Sets values for the paths of all later calls. */
  within: (places: Readonly<Record<string, string>>) => void;
}>;

export type ListedItems<T = Identified> = Readonly<{ items: readonly T[] }>;
