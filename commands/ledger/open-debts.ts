import { refuse } from '#src/domain/errors.ts';
import type { Uuid } from '#src/domain/ids.ts';

/** The accounts of a ledger that owe it fees. Its own journal records them, so that they are always known. */
export type OpenDebts = ReadonlySet<Uuid>;

/** No ledger lends fees yet. */
export const NO_DEBTS: OpenDebts = new Set();

/** Errors: FEE_DEBT_OPEN; what is owed would be lost with the account. */
export function checkOwesNothing(
  debts: OpenDebts,
  { id, alias }: Readonly<{ id: Uuid; alias: string }>,
): void {
  if (debts.has(id)) throw refuse('FEE_DEBT_OPEN', `${alias} owes fees.`);
}
