import { APPEND_BYTES_MAX } from '#src/kernel/append-limit.ts';
import { refuse } from '#src/events/ledger/refusals.ts';
import type { Ledger } from '#commands/ledger/state/ledger-state.ts';
import type { TransactionRecord } from '#src/events/ledger/transaction.ts';
import { find, OVERDRAFT_KEY } from '#commands/ledger/state/book.ts';

/**
 * Checks that the commit of a pending transaction will fit one append; otherwise its funds would stay held. The commit
 * adds an operation for each leg, and another where a leg may repay an overdraft. Errors: TOO_LARGE.
 */
export function checkAppendSize({ book }: Ledger, transaction: TransactionRecord): void {
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

/** An operation without descriptive members: amounts of at most 64 digits, an alias of 100 characters. */
const OPERATION_BYTES = 1100;
