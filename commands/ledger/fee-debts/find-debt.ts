import type { EventName, Facts, Needs } from '#src/kernel/decider.ts';
import type { FeeDebtChange, FeeDebtRecord } from '#src/events/ledger/fee-debt.ts';
import type { TransactionEvent } from '#src/events/ledger/transaction.ts';
import type { Ledger } from '#commands/ledger/state/ledger-state.ts';

/** Looks up the last events of the changed debts; open ones are in the state. */
export function needsDebts(
  ledger: Ledger,
  changes: readonly FeeDebtChange[] = [],
  facts: Facts,
): Needs | undefined {
  const closed = changes.filter(({ debt }) => openDebt(ledger, debt) === undefined);
  const names = [...new Set(closed.map(({ debt }) => debt.id))].map(debtName);
  const unknown = names.filter((name) => facts.revisionOf(name) === undefined);
  if (unknown.length > 0) return { names: unknown };
  const revisions = new Set(names.map((name) => facts.revisionOf(name) ?? MISSING));
  const events = [...revisions].filter(
    (revision) => revision !== MISSING && facts.event(revision) === undefined,
  );
  return events.length > 0 ? { events } : undefined;
}

/** The debt as it is now: from the state while it is open, else from the last event that changed it. */
export function findDebt(ledger: Ledger, debt: FeeDebtRecord, facts: Facts): FeeDebtRecord {
  const open = openDebt(ledger, debt);
  if (open !== undefined) return open;
  const revision = facts.revisionOf(debtName(debt.id)) ?? MISSING;
  const event = facts.event(revision) as TransactionEvent | undefined;
  const last = event?.data.transaction.feeDebts?.findLast((one) => one.debt.id === debt.id);
  if (last === undefined) throw new Error(`No debt ${debt.id} at ${revision}`);
  return last.debt;
}

const openDebt = ({ debts }: Ledger, { debtor, id }: FeeDebtRecord): FeeDebtRecord | undefined =>
  debts.of(debtor.accountId).find((one) => one.id === id);

const debtName = (key: string): EventName => ({ kind: 'feeDebt', key });

const MISSING = -1;
