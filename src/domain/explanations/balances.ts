import type { RefusalName } from '#src/domain/errors.ts';
import type { Explanation } from './explanation.ts';

/** What a further balance of an account is refused for. */
export const balanceExplanations = {
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
    means: 'Balances are added beside the default one, and the account has none.',
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
} as const satisfies Partial<Record<RefusalName, Explanation>>;
