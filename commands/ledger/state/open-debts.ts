import { refuse } from '#src/events/ledger/refusals.ts';
import type { Uuid } from '#src/kernel/ids.ts';

/** The fees that the accounts of a ledger owe it, as part of its state (ADR 22). */
export interface OpenDebts {
  isOwedBy(account: Uuid): boolean;
}

/** Ledgers do not lend fees yet. */
export const noDebts: OpenDebts = { isOwedBy: () => false };

/** Errors: FEE_DEBT_OPEN, because closing the account would lose the debt. */
export function checkOwesNothing(
  debts: OpenDebts,
  { id, alias }: Readonly<{ id: Uuid; alias: string }>,
): void {
  if (debts.isOwedBy(id)) throw refuse('FEE_DEBT_OPEN', `${alias} owes fees.`);
}
