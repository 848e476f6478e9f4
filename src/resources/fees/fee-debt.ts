import { DEBT_CHANGES } from '#src/events/ledger/fee-debt.ts';
import { decimalAboveZero } from '#src/kernel/published.ts';
import {
  cursorListOf,
  instant,
  name,
  NOT_BLANK,
  record,
  text,
  uuid,
} from '#src/kernel/schema-fragments.ts';
import type { Schema, Shaped } from '#src/kernel/schema.ts';

const amount = {
  type: 'string',
  description: 'In units of the asset, as a decimal in plain notation',
} as const;

/** Contract registry-and-fees §B10. */
export const feeDebtSchema = {
  title: 'FeeDebt',
  ...record(
    {
      id: {
        type: 'string',
        description:
          'The transaction that opened it, a colon, and the posting that it takes the place of',
      },
      organizationId: uuid,
      ledgerId: uuid,
      debtorBalance: { type: 'string', description: 'The balance that owes, as alias#key' },
      creditBalance: { type: 'string', description: 'The balance that is paid, as alias#key' },
      originTransactionId: uuid,
      feePackageId: uuid,
      assetCode: { type: 'string' },
      seq: {
        type: 'integer',
        description: 'The place in the order in which debts are settled, from 1',
      },
      openedAmount: amount,
      remaining: amount,
      entries: {
        type: 'array',
        description: 'The changes of the debt, oldest first, at most 1000',
        items: record(
          {
            kind: { type: 'string', enum: DEBT_CHANGES },
            transactionId: uuid,
            postingRef: { type: 'string' },
            amount,
            appliedAt: instant,
          },
          ['kind', 'transactionId', 'amount', 'appliedAt'],
        ),
      },
      openedAt: instant,
      createdAt: instant,
      updatedAt: instant,
    },
    [
      ...(['id', 'organizationId', 'ledgerId', 'debtorBalance', 'creditBalance'] as const),
      ...(['originTransactionId', 'assetCode', 'seq', 'openedAmount', 'remaining'] as const),
      ...(['entries', 'openedAt', 'createdAt', 'updatedAt'] as const),
    ],
  ),
} as const satisfies Schema;

const { type, properties, required, additionalProperties } = cursorListOf(feeDebtSchema);

export const feeDebtListSchema = {
  title: 'FeeDebts',
  ...{ type, required, additionalProperties },
  properties: {
    ...properties,
    openTotal: {
      type: 'string',
      description: 'The open debt of the balance as a whole; present with account_alias',
    },
  },
} as const satisfies Schema;

/** An absent key means the default balance; without a maximum, all that is available is taken. */
export const collectFeeDebtsBody = record(
  {
    accountAlias: { ...name(100), pattern: NOT_BLANK, must: 'not be blank' },
    balanceKey: text(100),
    maxAmount: decimalAboveZero,
  },
  ['accountAlias'],
) satisfies Schema;

export type CollectFeeDebtsBody = Shaped<typeof collectFeeDebtsBody>;

export const collectedSchema = {
  title: 'CollectedFeeDebts',
  ...record({ collected: amount, transactionId: uuid }, ['collected']),
} as const satisfies Schema;
