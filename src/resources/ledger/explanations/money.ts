import type { LedgerRefusalName } from '#src/events/ledger/refusals.ts';
import type { Explanations } from '#src/kernel/explanation.ts';

/** Refusals of transactions that move money. */
export const moneyExplanations = {
  VALUE_NOT_POSITIVE:
    'The value of a transaction and the amount of every leg are greater than zero.',
  LEG_QUANTITY:
    'A leg says its part in one way: an amount, a share, or what remains. This one has none of them, or two.',
  TOTALS_DIFFER:
    'The sources, the destinations and the value of the transaction are not equal to the last digit, or shares ' +
    'leave a rest that no leg takes.',
  ACCOUNT_ON_BOTH_SIDES:
    'The same balance of an account stands among the sources and among the destinations.',
  ACCOUNTS_NOT_ELIGIBLE:
    'A leg names an alias or a balance key the ledger does not have, or an account that was deleted.',
  ACCOUNT_CLOSED:
    'A leg names an account that was closed: nothing moves into it or out of it any more.',
  ACCOUNT_BLOCKED: 'A leg names an account that is blocked: nothing moves into it or out of it.',
  EXCEPTION_NOT_USABLE:
    'The exception from a block does not let this transaction pass: it is unknown, was used or has expired, or the ' +
    'transaction has not exactly one debit from its account, of exactly its amount.',
  SIDE_NOT_PERMITTED:
    'The balance may not send, or may not receive; allowSending and allowReceiving of the balance say so.',
  INTERNAL_BALANCE:
    'A leg names the balance that shows what an account owes. Overdraft moves it, when one of the other balances is ' +
    'debited or credited.',
  OVERDRAFT_LIMIT:
    'What the source lacks is more than is left of its overdraft limit; overdraftLimitAvailable of the balance says ' +
    'how much that is. Nothing was moved.',
  INSUFFICIENT_FUNDS:
    'The available balance of a source is lower than the amount to debit. Or the destination is a debit-normal ' +
    'balance, and the amount to credit is more than what it has available and not on hold. No money was moved.',
  DATE_IN_FUTURE:
    'transactionDate lies in the future. A transaction may be dated back, never ahead.',
  DATE_WITH_PENDING:
    'A transaction that waits for its commit cannot be dated back: leave out transactionDate, or pending.',
  EXTERNAL_SOURCE_PENDING:
    'Nothing can be held on an external account: money from outside comes in at once, or not at all.',
  STATUS_NOT_ALLOWED:
    'Only a pending transaction can be committed or cancelled, and only an approved one reverted. Another request ' +
    'may have been first.',
  NOTHING_TO_REVERT:
    'The transaction collected fee debts. Its payments stay as they are until the transaction that opened the debt is reverted.',
  REVERTED_ALREADY: 'A transaction is reverted once, and this one has its reversal.',
  REVERSAL_OF_REVERSAL:
    'The transaction reverts another one, and cannot be reverted itself. Post the movement anew instead.',
} as const satisfies Partial<Explanations<LedgerRefusalName>>;
