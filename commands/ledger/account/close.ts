import { checkAwaitsNothing } from '#commands/ledger/state/reservations.ts';
import { beforeImage } from '#commands/ledger/state/before-image.ts';
import type { Ledger } from '#commands/ledger/state/ledger-state.ts';
import { checkOwesNothing } from '#commands/ledger/state/open-debts.ts';
import type { Account } from '#commands/ledger/state/book.ts';
import { ZERO } from '#src/kernel/amount.ts';
import type { Facts, Stamp } from '#src/kernel/decider.ts';
import { refuse } from '#src/events/ledger/refusals.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { LedgerEvent } from '#src/events/ledger/ledger.ts';
import { editableAccount } from './update.ts';

export type CloseAccount = Readonly<{
  type: 'CloseAccount';
  organizationId: Uuid;
  accountId: Uuid;
}>;

/**
 * Ends all movement of an account, with the checks in the order of contract ledger §3.4.6. Holds of the account itself
 * must be settled first. Credits that still wait for a commit do not prevent closing: their commit is refused afterwards,
 * their cancellation is not. Errors: NOT_FOUND, EXTERNAL_PROTECTED, CLOSED_ALREADY, ACCOUNT_HELD, BALANCE_LEFT,
 * HOLDS_PENDING, FEE_DEBT_OPEN.
 */
export function closeAccount(
  ledger: Ledger,
  { accountId }: CloseAccount,
  facts: Facts,
  { instant }: Stamp,
): LedgerEvent {
  const known = editableAccount(ledger, accountId);
  if (known.closed) throw refuse('CLOSED_ALREADY', `${known.alias} is closed.`);
  checkAwaitsNothing(ledger.parts, known.id, known.alias);
  checkEmpty(known);
  checkOwesNothing(ledger.debts, known);
  const before = beforeImage('account', known.revision, facts);
  const account = { ...before, closedAt: instant, updatedAt: instant };
  return { type: 'AccountClosed', data: { account } };
}

function checkEmpty({ alias, balances }: Account): void {
  const filled = balances.find(({ available }) => available !== ZERO);
  if (filled) throw refuse('BALANCE_LEFT', `The balance ${alias}#${filled.key} is not zero.`);
  const held = balances.find(({ onHold }) => onHold !== ZERO);
  if (held) throw refuse('HOLDS_PENDING', `Something of ${alias}#${held.key} is on hold.`);
}
