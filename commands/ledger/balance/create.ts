import { beforeImage, needsBeforeImages } from '#commands/ledger/state/before-image.ts';
import { checkRecordSize } from '#src/kernel/record-size.ts';
import type { Ledger } from '#commands/ledger/state/ledger-state.ts';
import { DEFAULT_KEY, find, OVERDRAFT_KEY, type Account } from '#commands/ledger/state/book.ts';
import type { Facts, Needs, Stamp } from '#src/kernel/decider.ts';
import { refuse } from '#src/events/ledger/refusals.ts';
import { PARTS_MAX, type Uuid } from '#src/kernel/ids.ts';
import type { AccountRecord } from '#src/events/ledger/account.ts';
import type { LedgerEvent } from '#src/events/ledger/ledger.ts';
import { balanceOf, type BalanceFields } from './record.ts';
import { companion, opensCompanion } from './settings.ts';

/** Opens a further balance of an account, or reopens its default balance after that was deleted. */
export type CreateBalance = Readonly<{
  type: 'CreateBalance';
  organizationId: Uuid;
  accountId: Uuid;
  /** The key is in lower case. */
  fields: BalanceFields;
}>;

/** The type of the account is only in its image. */
export function needsAccount(
  { book }: Ledger,
  { accountId }: CreateBalance,
  facts: Facts,
): Needs | undefined {
  const account = book.accountById(accountId);
  return account && needsBeforeImages(facts, account.revision);
}

export function createBalance(
  { book }: Ledger,
  { accountId, fields }: CreateBalance,
  facts: Facts,
  { instant }: Stamp,
): LedgerEvent[] {
  const account = book.accountById(accountId);
  if (account === undefined) {
    throw refuse('NOT_FOUND', 'There is no such account.');
  }
  checkKey(account, fields.key);
  const image = beforeImage('account', account.revision, facts);
  const owing = opensCompanion(account, fields.settings);
  checkBalances(account, image, owing ? 2 : 1);
  const balance = balanceOf(image, account.parts + 1, fields, instant);
  const event = { type: 'BalanceCreated', data: { balance } } as const;
  if (!owing) return [event];
  const debt = companion(balance, account.parts + 2, instant);
  return [event, { type: 'BalanceCreated', data: { balance: debt, parentBalanceId: balance.id } }];
}

function checkKey(account: Account, key: string): void {
  const { alias, external, closed } = account;
  if (external) {
    throw refuse('EXTERNAL_BALANCES', `${alias} has one balance: it is the world outside.`);
  }
  if (closed) throw refuse('ACCOUNT_CLOSED', `${alias} is closed.`);
  if (key !== DEFAULT_KEY && find(account, DEFAULT_KEY) === undefined) {
    throw refuse('DEFAULT_BALANCE_MISSING', `${alias} has no default balance.`);
  }
  if (key === OVERDRAFT_KEY) {
    throw refuse('KEY_RESERVED', `The key ${key} is kept for what an account owes.`, {
      findings: [{ location: 'key', message: 'is reserved', value: key }],
    });
  }
  if (find(account, key) !== undefined) {
    throw refuse('KEY_TAKEN', `${alias} has a balance ${key} already.`, {
      findings: [{ location: 'key', message: 'is taken', value: key }],
    });
  }
}

/**
 * An account must fit one append together with its balances, because one event deletes them all. Ordinals are never
 * reused, not even those of deleted balances. Errors: TOO_LARGE.
 */
export function checkBalances(account: Account, image: AccountRecord, more: number): void {
  checkRecordSize(image, account.balances.length - 1 + more);
  if (account.parts + more <= PARTS_MAX) return;
  throw refuse('TOO_LARGE', `${account.alias} has had as many balances as it may.`, {
    entityType: 'request',
  });
}
