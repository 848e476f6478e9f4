import type { Ledger } from '#commands/ledger/state/ledger-state.ts';
import type { Facts, Needs } from '#src/kernel/decider.ts';
import type { Uuid } from '#src/kernel/ids.ts';

/** The holders of an organization, for rules that open accounts (ADR 22). */
export interface HolderLookup {
  /** Returns the lookups that `has` needs first; undefined when nothing is missing. */
  needs(ledger: Ledger, id: Uuid, facts: Facts): Needs | undefined;
  /** Returns true if the ledger's organization has a live holder with this id. */
  has(ledger: Ledger, id: Uuid, facts: Facts): boolean;
}

/** Without a registry, the only holder of an organization is the organization itself, whose id every ledger has. */
export const ownHolderOnly: HolderLookup = {
  needs: () => undefined,
  has: (ledger, id) => id === ledger.holderId,
};
