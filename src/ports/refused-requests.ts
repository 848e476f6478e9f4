import type { Micros } from '#src/kernel/instant.ts';

/**
 * A request that was refused because of its sender: without a valid token, password or permission, too often,
 * or sent by a page of another origin or for another host. It holds no personal data: ids only, and no address of the client.
 */
export type RefusedRequest = Readonly<{
  at: Micros;
  status: number;
  /** The code of the problem document, such as `LDG-0043`. */
  code: string;
  method: string;
  /** The path template of the operation; undefined if the request was refused before it was routed. */
  route: string | undefined;
  requestId: string;
  /** The subject of the token and its client; undefined if no token was accepted, because anyone can invent them. */
  subject?: string | undefined;
  client?: string | undefined;
}>;

/** Keeps refused requests for those who look for attacks. Recording one neither waits nor fails. */
export interface RefusedRequests {
  record(refused: RefusedRequest): void;
  /** The number of refused requests that were counted and not kept. */
  readonly dropped: number;
  /** Writes what is left. */
  close(): Promise<void>;
}
