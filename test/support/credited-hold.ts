import type { BalanceState } from '#src/events/ledger/account.ts';
import type { LedgerEvent } from '#src/events/ledger/ledger.ts';
import { accountOpened, ledgerWith } from './ledger-samples.ts';
import { accountTypeCreated } from './record-samples.ts';
import {
  funded,
  transactionId,
  transactionPosted,
  transactionRecord,
} from './transaction-samples.ts';

export const LENT = transactionId('lent');

/**
 * A ledger in which a debit balance was credited what it has on hold, which releases before 0.3.0 accepted. The hold was
 * booked in two steps, as where routes are validated.
 */
export function creditedHold(): readonly LedgerEvent[] {
  const at = (available: string, onHold: string, version: number): BalanceState => ({
    ...{ available, onHold, version, overdraftUsed: '0' },
  });
  const ten = { alias: '@loan', amount: '10' };
  const held = transactionRecord(
    'lent',
    [
      { ...ten, type: 'DEBIT', balance: at('0', '0', 0), balanceAfter: at('10', '0', 1) },
      {
        ...{ ...ten, type: 'ON_HOLD', direction: 'credit' },
        ...{ balance: at('10', '0', 1), balanceAfter: at('10', '10', 2) },
      },
    ],
    { status: 'PENDING', amount: '10', source: ['@loan'], destination: [] },
  );
  const credited = transactionRecord(
    'settled',
    [
      {
        ...{ alias: '@alice', amount: '10', type: 'DEBIT' },
        ...{ balance: at('500', '0', 1), balanceAfter: at('490', '0', 2) },
      },
      { ...ten, type: 'CREDIT', balance: at('10', '10', 2), balanceAfter: at('0', '10', 3) },
    ],
    { amount: '10' },
  );
  return [
    ...ledgerWith('BRL', '@alice'),
    accountTypeCreated({ keyValue: 'loans', defaultDirection: 'debit' }),
    accountOpened({ alias: '@loan', type: 'loans', direction: 'debit' }),
    funded('@alice'),
    { type: 'TransactionHeld', data: { transaction: held } },
    transactionPosted(credited),
  ];
}
