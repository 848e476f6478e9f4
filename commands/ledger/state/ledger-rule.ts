import type { LedgerEvent } from '#src/events/ledger/ledger.ts';
import type { Decision, Facts, Needs, Stamp } from '#src/kernel/decider.ts';
import type { Ledger } from './ledger-state.ts';

/** The rules of one command: the facts it needs besides the state, and what it decides. */
export type LedgerRule<Command> = Readonly<{
  needs?: (ledger: Ledger, command: Command, facts: Facts) => Needs | undefined;
  decide: (ledger: Ledger, command: Command, facts: Facts, stamp: Stamp) => Decision<LedgerEvent>;
  /** The rule itself handles a ledger that is absent, deleted or another organization's. */
  inAnyLedger?: true;
}>;
