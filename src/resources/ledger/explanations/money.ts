import type { LedgerRefusalName } from '#src/events/ledger/refusals.ts';
import type { Explanation } from '#src/kernel/explanation.ts';

const SOME_ID = '0197f3a0-2222-7aaa-8bbb-000000000003';

/** What moves money, and what keeps it from moving. */
export const moneyExplanations = {
  VALUE_NOT_POSITIVE: {
    means: 'The value of a transaction and the amount of every leg are greater than zero.',
    detail: 'Amounts of a transaction must be greater than zero.',
    errors: [{ location: 'send.value', message: 'must be greater than zero', value: '0' }],
  },
  LEG_QUANTITY: {
    means:
      'A leg says its part in one way: an amount, a share, or what remains. This one has none of them, or two.',
    detail: 'A leg has an amount, or a share, or what remains: one of them.',
    errors: [
      { location: 'send.distribute.to[0]', message: 'needs one of amount, share, remaining' },
    ],
  },
  TOTALS_DIFFER: {
    means:
      'The sources, the destinations and the value of the transaction are not equal to the last digit, or shares ' +
      'leave a rest that no leg takes.',
    detail: 'The destinations add up to 99.99, the transaction moves 100.',
    entityType: 'Transaction',
  },
  ACCOUNT_ON_BOTH_SIDES: {
    means: 'The same balance of an account stands among the sources and among the destinations.',
    detail: '@alice gives and receives in one transaction.',
    errors: [
      {
        location: 'send.distribute.to[0]',
        message: 'is a source as well',
        value: '@alice',
      },
    ],
    entityType: 'Transaction',
  },
  ACCOUNTS_NOT_ELIGIBLE: {
    means:
      'A leg names an alias or a balance key the ledger does not have, or an account that was deleted.',
    detail: 'The ledger has no balance @zoe#default.',
    errors: [
      {
        location: 'send.source.from[0].accountAlias',
        message: 'names no balance of the ledger',
        value: '@zoe',
      },
    ],
    entityType: 'Transaction',
  },
  ACCOUNT_CLOSED: {
    means: 'A leg names an account that was closed: nothing moves into it or out of it any more.',
    detail: '@alice#default is closed.',
    errors: [
      { location: 'send.source.from[0].accountAlias', message: 'is closed', value: '@alice' },
    ],
    entityType: 'Transaction',
  },
  ACCOUNT_BLOCKED: {
    means: 'A leg names an account that is blocked: nothing moves into it or out of it.',
    detail: '@alice#default is blocked.',
    errors: [
      { location: 'send.source.from[0].accountAlias', message: 'is blocked', value: '@alice' },
    ],
    entityType: 'Transaction',
  },
  EXCEPTION_NOT_USABLE: {
    means:
      'The exception from a block does not let this transaction pass: it is unknown, was used or has expired, or the ' +
      'transaction has not exactly one debit from its account, of exactly its amount.',
    detail: 'The exception is for 120.04.',
    errors: [{ location: 'accountBlockExceptionId', message: 'is for 120.04', value: SOME_ID }],
    entityType: 'Transaction',
  },
  SIDE_NOT_PERMITTED: {
    means:
      'The balance may not send, or may not receive; allowSending and allowReceiving of the balance say so.',
    detail: '@alice#default may not send.',
    errors: [
      { location: 'send.source.from[0].accountAlias', message: 'may not send', value: '@alice' },
    ],
    entityType: 'Transaction',
  },
  INTERNAL_BALANCE: {
    means:
      'A leg names the balance that shows what an account owes. Overdraft moves it, when one of the other balances is ' +
      'debited or credited.',
    detail: '@alice#overdraft is kept by the ledger itself.',
    errors: [
      {
        location: 'send.source.from[0].balanceKey',
        message: 'is kept by the ledger itself',
        value: 'overdraft',
      },
    ],
    entityType: 'Transaction',
  },
  OVERDRAFT_LIMIT: {
    means:
      'What the source lacks is more than is left of its overdraft limit; overdraftLimitAvailable of the balance says ' +
      'how much that is. Nothing was moved.',
    detail: 'Source account @alice#default lacks 70 BRL, and 50 are left of its overdraft.',
    entityType: 'Transaction',
  },
  INSUFFICIENT_FUNDS: {
    means:
      'The available balance of a source is lower than the amount to debit. Or the destination is a debit-normal ' +
      'balance, and the amount to credit is more than what it has available and not on hold. No money was moved.',
    detail: 'Source account @alice#default has insufficient funds for 120.04 BRL.',
    entityType: 'Transaction',
  },
  DATE_IN_FUTURE: {
    means: 'transactionDate lies in the future. A transaction may be dated back, never ahead.',
    detail: 'A transaction cannot be dated in the future.',
    errors: [
      {
        location: 'transactionDate',
        message: 'lies in the future',
        value: '2099-01-01T00:00:00Z',
      },
    ],
  },
  DATE_WITH_PENDING: {
    means:
      'A transaction that waits for its commit cannot be dated back: leave out transactionDate, or pending.',
    detail: 'A pending transaction cannot be dated back.',
    errors: [
      {
        location: 'transactionDate',
        message: 'stands beside pending',
        value: '2025-06-01T00:00:00Z',
      },
    ],
  },
  EXTERNAL_SOURCE_PENDING: {
    means:
      'Nothing can be held on an external account: money from outside comes in at once, or not at all.',
    detail: '@external/BRL#default cannot be held.',
    errors: [
      {
        location: 'send.source.from[0].accountAlias',
        message: 'cannot be held',
        value: '@external/BRL',
      },
    ],
    entityType: 'Transaction',
  },
  STATUS_NOT_ALLOWED: {
    means:
      'Only a pending transaction can be committed or cancelled, and only an approved one reverted. Another request ' +
      'may have been first.',
    detail: 'The transaction is APPROVED, not PENDING.',
    entityType: 'Transaction',
  },
  REVERTED_ALREADY: {
    means: 'A transaction is reverted once, and this one has its reversal.',
    detail: 'The transaction has been reverted.',
    entityType: 'Transaction',
  },
  REVERSAL_OF_REVERSAL: {
    means:
      'The transaction reverts another one, and cannot be reverted itself. Post the movement anew instead.',
    detail: 'The transaction is itself a reversal.',
    entityType: 'Transaction',
  },
} as const satisfies Partial<Record<LedgerRefusalName, Explanation>>;
