import { checkAwaitsNothing } from '#commands/ledger/state/reservations.ts';
import { beforeImage } from '#commands/ledger/state/before-image.ts';
import type { Ledger } from '#commands/ledger/state/ledger-state.ts';
import { checkOwesNothing } from '#commands/ledger/state/open-debts.ts';
import { isEmpty, type Account } from '#commands/ledger/state/book.ts';
import type { Facts, Stamp } from '#src/kernel/decider.ts';
import { refuse } from '#src/events/ledger/refusals.ts';
import type { Revision, Uuid } from '#src/kernel/ids.ts';
import type { Instant } from '#src/kernel/instant.ts';
import type { LedgerEvent } from '#src/events/ledger/ledger.ts';
import { editableAccount } from './update.ts';

export type DeleteAccount = Readonly<{
  type: 'DeleteAccount';
  organizationId: Uuid;
  accountId: Uuid;
}>;

/** Frees the alias of the account; children keep its id, and pending credits to it cannot be committed. */
export function deleteAccount(
  ledger: Ledger,
  { accountId }: DeleteAccount,
  facts: Facts,
  { instant }: Stamp,
): LedgerEvent {
  const account = editableAccount(ledger, accountId);
  checkAwaitsNothing(ledger.parts, account.id, account.alias);
  const filled = account.balances.find((balance) => !isEmpty(balance));
  if (filled !== undefined) {
    const detail = `The balance ${account.alias}#${filled.key} is not zero.`;
    throw refuse('BALANCE_BLOCKS_DELETION', detail);
  }
  checkOwesNothing(ledger.debts, account);
  return accountDeleted(account, facts, instant);
}

/** Deletes an account together with its balances, in one event. */
export const accountDeleted = (account: Account, facts: Facts, instant: Instant): LedgerEvent => {
  const gone = { updatedAt: instant, deletedAt: instant };
  return {
    type: 'AccountDeleted',
    data: {
      account: { ...beforeImage('account', account.revision, facts), ...gone },
      balances: account.balances.map(({ revision }) => {
        return { ...beforeImage('balance', revision, facts), ...gone };
      }),
    },
  };
};

/** The revisions of the last images of an account and its balances. */
export const accountImageRevisions = ({ revision, balances }: Account): Revision[] => [
  ...new Set([revision, ...balances.map((balance) => balance.revision)]),
];
