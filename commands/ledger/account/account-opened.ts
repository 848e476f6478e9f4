import type { Ledger } from '#commands/ledger/state/ledger-state.ts';
import { balanceOf } from '#commands/ledger/balance/record.ts';
import { DEFAULT_KEY } from '#commands/ledger/state/book.ts';
import type { Stamp } from '#src/kernel/decider.ts';
import { externalAlias } from '#src/kernel/external-alias.ts';
import type { AccountRecord } from '#src/events/ledger/account.ts';
import type { LedgerEvent } from '#src/events/ledger/ledger.ts';
import type { Side } from '#src/events/shared.ts';

export type AccountOpened = LedgerEvent & { type: 'AccountOpened' };

export const EXTERNAL = 'external';

/** Opens the account of an asset that stands for everything outside the ledger. */
export function externalAccount(ledger: Ledger, assetCode: string, stamp: Stamp): AccountOpened {
  const account: Opening = {
    id: stamp.ids.nextWhole(),
    organizationId: ledger.organizationId,
    ledgerId: ledger.id,
    name: `External ${assetCode}`,
    holderId: null,
    assetCode,
    status: { code: EXTERNAL, description: `The world outside this ledger, in ${assetCode}` },
    alias: externalAlias(assetCode),
    type: EXTERNAL,
    blocked: false,
    holderCheckSkipped: false,
  };
  return accountOpened(stamp, account, 'debit');
}

type Opening = Omit<AccountRecord, 'closedAt' | 'createdAt' | 'updatedAt' | 'deletedAt'>;

/** One event opens an account and its default balance, which is empty. */
export function accountOpened(
  { instant }: Stamp,
  opening: Opening,
  direction: Side,
): AccountOpened {
  const times = { createdAt: instant, updatedAt: instant, deletedAt: null };
  const { metadata, ...facts } = opening;
  const account: AccountRecord = {
    ...facts,
    closedAt: null,
    ...(metadata && { metadata }),
    ...times,
  };
  const own = { key: DEFAULT_KEY, allowSending: true, allowReceiving: true, direction } as const;
  const balance = balanceOf(account, 1, own, instant);
  return { type: 'AccountOpened', data: { account, balance } };
}
