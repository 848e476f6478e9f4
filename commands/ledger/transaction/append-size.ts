import { APPEND_BYTES_MAX } from '#src/kernel/append-limit.ts';
import { refuse } from '#src/kernel/errors.ts';
import type { Ledger } from '#commands/ledger/state/ledger-state.ts';
import type { TransactionRecord } from '#src/events/ledger/transaction.ts';
import { find, OVERDRAFT_KEY } from '#commands/ledger/state/book.ts';

/**
 * A pending transaction must still fit one append when it is committed, or its funds would be held for ever: each
 * leg becomes an operation then, beside those there are, and one more where it may repay what is owed. Errors:
 * TOO_LARGE.
 */
export function checkRoom({ book }: Ledger, transaction: TransactionRecord): void {
  const { awaiting = [], operations } = transaction;
  const repaying = awaiting.filter(
    ({ accountId }) => find(book.accountById(accountId), OVERDRAFT_KEY) !== undefined,
  );
  const recorded = Buffer.byteLength(JSON.stringify(transaction));
  const committed =
    2 * recorded + OPERATION_BYTES * (2 * operations.length + awaiting.length + repaying.length);
  if (committed <= APPEND_BYTES_MAX) return;
  throw refuse(
    'TOO_LARGE',
    'The commit of the transaction would be recorded in more than 900 KB.',
    {
      entityType: 'request',
    },
  );
}

/** An operation without its own words: ids, amounts of 64 digits at most, an alias of 100. */
const OPERATION_BYTES = 1100;
