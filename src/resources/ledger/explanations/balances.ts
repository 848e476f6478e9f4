import type { LedgerRefusalName } from '#src/events/ledger/refusals.ts';
import type { Explanations } from '#src/kernel/explanation.ts';

/** Refusals about balances of an account and their overdraft. */
export const balanceExplanations = {
  INSTANT_IN_FUTURE: 'The date lies in the future. Of a balance only what it was can be asked.',
  NO_BALANCE_THEN: 'The balance, or every balance of the account, was opened after that instant.',
  KEY_TAKEN: 'The account has a live balance under this key; letter case does not tell keys apart.',
  EXTERNAL_BALANCES:
    'An account of type external stands for the world outside, and has its default balance only.',
  DEFAULT_BALANCE_MISSING:
    'Further balances need the default one, and that of the account was deleted. Create a balance with the key ' +
    'default first.',
  KEY_RESERVED:
    'The key overdraft names the balance that shows what an account owes. It is opened when overdraft is allowed.',
  BALANCE_DIRECTION:
    'direction says on which side a balance grows: credit, which is the usual one, or debit.',
  BALANCE_SETTINGS:
    'The settings contradict themselves: a limit that is enabled is a number above zero, one that is not is left ' +
    'out; and only this program opens balances of scope internal.',
  LIMIT_BELOW_USAGE:
    'The balance owes more than its overdraft would allow then. Repay first, or leave a higher limit.',
  INTERNAL_NOT_EDITABLE:
    'The balance shows what its account owes, and has no settings or permissions of its own.',
  INTERNAL_NOT_DELETABLE:
    'The balance shows what its account owes, and is deleted only together with the account.',
} as const satisfies Partial<Explanations<LedgerRefusalName>>;
