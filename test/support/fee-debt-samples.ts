import type { FeeDebtChange, FeeDebtRecord } from '#src/events/ledger/fee-debt.ts';
import { accountId, idOf } from './ledger-samples.ts';
import { NOW } from './stamps.ts';

/** An open debt of 10 of @alice to @bob. */
export function feeDebt(changes: Partial<FeeDebtRecord> = {}): FeeDebtRecord {
  const originTransactionId = changes.originTransactionId ?? idOf('origin');
  return {
    id: `${originTransactionId}:from:1:debit`,
    seq: 1,
    originTransactionId,
    assetCode: 'BRL',
    debtor: { accountId: accountId('@alice'), alias: '@alice', key: 'default' },
    creditor: { accountId: accountId('@bob'), alias: '@bob', key: 'default' },
    ...{ opened: '10', settled: '0', canceled: '0', reopened: '0', refunded: '0', remaining: '10' },
    ...{ openedAt: NOW, updatedAt: NOW },
    ...changes,
  };
}

/** A change as a reader writes it: `settled 4, leaves 6 of #1`. */
export const changeText = ({ kind, amount, debt }: FeeDebtChange): string =>
  `${kind} ${amount}, leaves ${debt.remaining} of #${debt.seq}`;
