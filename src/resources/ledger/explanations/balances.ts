import type { LedgerRefusalName } from '#src/events/ledger/refusals.ts';
import type { Explanation } from '#src/kernel/explanation.ts';

/** What the balances of an account, and their overdraft, are refused for. */
export const balanceExplanations = {
  INSTANT_IN_FUTURE: {
    means: 'The date lies in the future. Of a balance only what it was can be asked.',
    detail: 'Nobody knows yet what a balance will be.',
    errors: [
      {
        location: 'query.date',
        message: 'lies in the future',
        value: '2099-01-01T00:00:00.000000Z',
      },
    ],
    entityType: 'Balance',
  },
  NO_BALANCE_THEN: {
    means: 'The balance, or every balance of the account, was opened after that instant.',
    detail: 'There was no such balance at that instant.',
    entityType: 'Balance',
  },
  KEY_TAKEN: {
    means: 'The account has a live balance under this key; letter case does not tell keys apart.',
    detail: '@alice has a balance savings already.',
    errors: [{ location: 'key', message: 'is taken', value: 'savings' }],
    entityType: 'Balance',
  },
  EXTERNAL_BALANCES: {
    means:
      'An account of type external stands for the world outside, and has its default balance only.',
    detail: '@external/BRL has one balance: it is the world outside.',
    entityType: 'Balance',
  },
  DEFAULT_BALANCE_MISSING: {
    means:
      'Further balances need the default one, and that of the account was deleted. Create a balance with the key ' +
      'default first.',
    detail: '@alice has no default balance.',
    entityType: 'Balance',
  },
  KEY_RESERVED: {
    means:
      'The key overdraft names the balance that shows what an account owes. It is opened when overdraft is allowed.',
    detail: 'The key overdraft is kept for what an account owes.',
    errors: [{ location: 'key', message: 'is reserved', value: 'overdraft' }],
    entityType: 'Balance',
  },
  BALANCE_DIRECTION: {
    means:
      'direction says on which side a balance grows: credit, which is the usual one, or debit.',
    detail: 'The field "direction" is malformed.',
    errors: [{ location: 'direction', message: 'must be one of "credit", "debit"', value: 'up' }],
  },
  BALANCE_SETTINGS: {
    means:
      'The settings contradict themselves: a limit that is enabled is a number above zero, one that is not is left ' +
      'out; and only this program opens balances of scope internal.',
    detail: 'An enabled limit needs a number above zero.',
    errors: [
      { location: 'settings.overdraftLimit', message: 'must be greater than zero', value: '0' },
    ],
    entityType: 'Balance',
  },
  LIMIT_BELOW_USAGE: {
    means:
      'The balance owes more than its overdraft would allow then. Repay first, or leave a higher limit.',
    detail: '@alice#default has drawn 70 of its overdraft.',
    errors: [
      { location: 'settings.overdraftLimit', message: 'is less than what is in use', value: '50' },
    ],
    entityType: 'Balance',
  },
  INTERNAL_NOT_EDITABLE: {
    means:
      'The balance shows what its account owes, and has no settings or permissions of its own.',
    detail: '@alice#overdraft is kept by the ledger itself.',
    entityType: 'Balance',
  },
  INTERNAL_NOT_DELETABLE: {
    means:
      'The balance shows what its account owes, and is deleted only together with the account.',
    detail: '@alice#overdraft is kept by the ledger itself.',
    entityType: 'Balance',
  },
} as const satisfies Partial<Record<LedgerRefusalName, Explanation>>;
