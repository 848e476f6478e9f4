import { partId } from '#src/kernel/ids.ts';
import type { Instant } from '#src/kernel/instant.ts';
import type { AccountRecord, BalanceRecord } from '#src/events/ledger/account.ts';

/** The members in which the balances of one account differ. */
export type BalanceFields = Pick<
  BalanceRecord,
  'key' | 'allowSending' | 'allowReceiving' | 'direction' | 'settings'
>;

/** Creates the record of a new balance; `ordinal` counts all balances that the account ever had. */
export const balanceOf = (
  account: AccountRecord,
  ordinal: number,
  { key, allowSending, allowReceiving, direction, settings }: BalanceFields,
  instant: Instant,
): BalanceRecord => ({
  id: partId(account.id, ordinal),
  organizationId: account.organizationId,
  ledgerId: account.ledgerId,
  accountId: account.id,
  alias: account.alias,
  key,
  assetCode: account.assetCode,
  accountType: account.type,
  allowSending,
  allowReceiving,
  direction,
  ...(settings && { settings }),
  createdAt: instant,
  updatedAt: instant,
  deletedAt: null,
});
