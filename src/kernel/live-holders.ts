import type { Uuid } from './ids.ts';

/**
 * The part of the public state of a registry that ledgers ask before they open an account, so that their rules need not
 * know holders.
 */
export interface LiveHolders {
  /** Returns whether an account may name this holder at the moment of the call: it exists, and nothing ends it. */
  isLive(id: Uuid): boolean;
}
