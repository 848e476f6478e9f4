import type { Instant } from '#src/kernel/instant.ts';
import type { BalanceRecord, BalanceState } from '#src/events/ledger/account.ts';
import { instant, record, uuid } from '#src/kernel/schema-fragments.ts';
import type { Schema } from '#src/kernel/schema.ts';

const amount = { type: 'string', description: 'A decimal in plain notation' } as const;

/** Contract ledger §4.4: a historical balance, without its current permissions. */
export const balanceAtSchema = {
  title: 'BalanceThen',
  ...record(
    {
      id: uuid,
      organizationId: uuid,
      ledgerId: uuid,
      accountId: uuid,
      alias: { type: 'string' },
      key: { type: 'string' },
      assetCode: { type: 'string' },
      available: amount,
      onHold: amount,
      scale: { const: 1, description: 'Divisor of the printed amounts' },
      version: { type: 'integer', description: 'Operations applied by then' },
      accountType: { type: 'string' },
      overdraftUsed: amount,
      createdAt: instant,
      updatedAt: instant,
    },
    [
      'id',
      'organizationId',
      'ledgerId',
      'accountId',
      'alias',
      'key',
      'assetCode',
      'available',
      'onHold',
      'scale',
      'version',
      'accountType',
      'overdraftUsed',
      'createdAt',
      'updatedAt',
    ],
  ),
} as const satisfies Schema;

/** `updatedAt` is the time at which this state was recorded. */
export const balanceAtView = (
  balance: BalanceRecord,
  { available, onHold, version, overdraftUsed }: BalanceState,
  updatedAt: Instant,
) => ({
  id: balance.id,
  organizationId: balance.organizationId,
  ledgerId: balance.ledgerId,
  accountId: balance.accountId,
  alias: balance.alias,
  key: balance.key,
  assetCode: balance.assetCode,
  available,
  onHold,
  scale: 1,
  version,
  accountType: balance.accountType,
  overdraftUsed,
  createdAt: balance.createdAt,
  updatedAt,
});
