import { refuse } from '#src/events/ledger/refusals.ts';
import type { Uuid } from '#src/kernel/ids.ts';

/** What the accounts of a ledger owe it in fees, a part of its state (ADR 22). */
export interface OpenDebts {
  isOwedBy(account: Uuid): boolean;
}

/** No ledger lends fees yet. */
export const noDebts: OpenDebts = { isOwedBy: () => false };

/** Errors: FEE_DEBT_OPEN; what is owed would be lost with the account. */
export function checkOwesNothing(
  debts: OpenDebts,
  { id, alias }: Readonly<{ id: Uuid; alias: string }>,
): void {
  if (debts.isOwedBy(id)) throw refuse('FEE_DEBT_OPEN', `${alias} owes fees.`);
}
