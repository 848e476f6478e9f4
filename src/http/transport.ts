import type { IncomingHttpHeaders } from 'node:http';

/** The request of an exchange: one of Node's server, or one that an HTTP thread hands over. */
export interface HttpRequest {
  readonly method?: string | undefined;
  url?: string | undefined;
  readonly headers: IncomingHttpHeaders;
  /** True once the last byte of the body has arrived. */
  readonly complete: boolean;
  /** The whole body, if it arrived together with the head; it is not read as a stream then. */
  readonly whole?: Buffer | undefined;
  on(event: 'data', listener: (chunk: Buffer) => void): unknown;
  on(event: 'end', listener: () => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  pause(): unknown;
  resume(): unknown;
  iterator(options: { destroyOnReturn: false }): AsyncIterable<Buffer>;
  /** Closes the connection. */
  destroy(): unknown;
}

/** The reply of an exchange; it is written head first, then at once or piece by piece. */
export interface HttpResponse {
  readonly headersSent: boolean;
  /** True once the connection is closed. */
  readonly destroyed: boolean;
  /** The bytes that the network has not taken yet. */
  readonly writableLength: number;
  writeHead(status: number, lines: string[]): HttpResponse;
  cork(): void;
  /** Returns false when the caller should wait for `drain`. */
  write(chunk: string | Uint8Array): boolean;
  end(chunk?: string): unknown;
  /** Ends with a text of ASCII characters, which Latin 1 encodes without a look at each. */
  // eslint-disable-next-line @typescript-eslint/unified-signatures -- Node's response has no optional encoding.
  end(chunk: string, encoding: 'latin1'): unknown;
  on(event: 'drain' | 'close', listener: () => void): HttpResponse;
  off(event: 'drain' | 'close', listener: () => void): HttpResponse;
  once(event: 'finish' | 'close', listener: () => void): unknown;
  /** Closes the connection. */
  destroy(): unknown;
}

/** The connection of an exchange. */
export interface HttpConnection {
  /** The address of the client; empty if the connection is closed. */
  readonly address: string;
  /** True once the connection is closed. */
  readonly isClosed: boolean;
  /** Returns a value that changes with every byte of the reply that the client takes, and only then. */
  sentMark(): SentMark;
  /** Calls back once nothing was received and nothing was sent for `ms`. */
  onIdle(ms: number, then: () => void): void;
  /** Refuses a request whose body takes too long. */
  refuseSlow(): void;
}

export type SentMark = Readonly<{ completed: number; queued: number }>;
