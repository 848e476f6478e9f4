import { partId, type Uuid } from '#src/kernel/ids.ts';
import type { Instant } from '#src/kernel/instant.ts';
import type { BalanceState } from '#src/events/ledger/account.ts';
import type { LedgerEvent } from '#src/events/ledger/ledger.ts';
import type { OperationRecord, TransactionRecord } from '#src/events/ledger/transaction.ts';
import { accountId, idOf, LEDGER, ORGANIZATION } from './ledger-samples.ts';
import { NOW } from './stamps.ts';

export const transactionId = (name: string): Uuid => idOf(`transaction ${name}`);

export const state = (available: string, version: number): BalanceState => ({
  available,
  onHold: '0',
  version,
  overdraftUsed: '0',
});

export type Moved = Partial<OperationRecord> &
  Pick<OperationRecord, 'type' | 'balance' | 'balanceAfter'> & { alias: string };

/** A transaction by its name, its members in the order in which they are decided. */
export function transactionRecord(
  name: string,
  moves: readonly Moved[],
  changes: Partial<TransactionRecord> = {},
): TransactionRecord {
  const id = transactionId(name);
  return inOrder(TRANSACTION_MEMBERS, {
    id,
    organizationId: ORGANIZATION,
    ledgerId: LEDGER,
    status: 'APPROVED',
    amount: '500',
    assetCode: 'BRL',
    source: moves.filter(({ type }) => type === 'DEBIT').map(({ alias }) => alias),
    destination: moves.filter(({ type }) => type === 'CREDIT').map(({ alias }) => alias),
    operations: moves.map(({ alias, type, ...changed }, n) =>
      inOrder(OPERATION_MEMBERS, {
        id: partId(id, n + 1),
        type,
        direction: type === 'DEBIT' ? 'debit' : 'credit',
        origin: 'request',
        amount: '500',
        accountId: accountId(alias),
        accountAlias: alias,
        balanceId: partId(accountId(alias), 1),
        balanceKey: 'default',
        ...changed,
      }),
    ),
    createdAt: NOW,
    updatedAt: NOW,
    ...changes,
  });
}

const TRANSACTION_MEMBERS =
  'id organizationId ledgerId parentTransactionId groupId description status amount assetCode ' +
  'chartOfAccountsGroupName code source destination route routeId scheme feesSkipped tracerSkipped ' +
  'feePackage metadata awaiting operations createdAt updatedAt';
const OPERATION_MEMBERS =
  'id type direction origin amount accountId accountAlias balanceId balanceKey balance balanceAfter ' +
  'overdraftLimit description chartOfAccounts route routeId routeCode routeDescription metadata';

/** A record whose members stand in an order; those that are undefined are left out. */
function inOrder<Record extends object>(members: string, record: Record): Record {
  const entries = members
    .split(' ')
    .map((name) => [name, record[name as keyof Record]] as const)
    .filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Record;
}

export const transactionPosted = (transaction: TransactionRecord): LedgerEvent => ({
  type: 'TransactionPosted',
  data: { transaction },
});

/** 500 from outside to an account (contract ledger §9.1), the n-th of its kind, 1 at first. */
export const funded = (alias: string, n = 1, changes: Partial<TransactionRecord> = {}) =>
  transactionPosted(
    transactionRecord(
      `${alias} ${n}`,
      [
        {
          alias,
          type: 'CREDIT',
          balance: state(`${500 * (n - 1)}`, n - 1),
          balanceAfter: state(`${500 * n}`, n),
        },
        {
          alias: '@external/BRL',
          type: 'DEBIT',
          balance: state('0', 0),
          balanceAfter: state('500', 1),
        },
      ],
      changes,
    ),
  );

export const at = (text: string): Instant => text as Instant;
