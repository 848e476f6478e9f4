import type { Ledger } from '#commands/ledger/state/ledger-state.ts';
import type { Facts, Needs } from '#src/kernel/decider.ts';
import type { Uuid } from '#src/kernel/ids.ts';

/** The holders of an organization, as the opening of an account asks for them (ADR 22). */
export interface HolderLookup {
  /** What has to be known before `has` can answer; undefined when nothing is missing. */
  needs(ledger: Ledger, id: Uuid, facts: Facts): Needs | undefined;
  /** Whether the ledger's organization has a live holder of this id. */
  has(ledger: Ledger, id: Uuid, facts: Facts): boolean;
}

/** Without a registry of holders an organization has only the one that is itself, and every ledger knows that one. */
export const ownHolderOnly: HolderLookup = {
  needs: () => undefined,
  has: (ledger, id) => id === ledger.holderId,
};
