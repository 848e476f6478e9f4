import type { Uuid } from '#src/kernel/ids.ts';
import type { Instant } from '#src/kernel/instant.ts';
import type { BalanceState } from './account.ts';
import type { FeeDebtChange } from './fee-debt.ts';
import type { OperationRecord } from './transaction.ts';

/** The parts of a transaction that read models use, besides its text. */
export type Posted = Readonly<{
  id: Uuid;
  ledgerId: Uuid;
  parentTransactionId: Uuid | undefined;
  amount: string;
  assetCode: string;
  route: string | undefined;
  routeId: Uuid | undefined;
  /** The aliases of its sources, if it names a route. */
  routedFrom: readonly string[];
  groupId: Uuid | undefined;
  createdAt: Instant;
  updatedAt: Instant;
  moves: readonly Move[];
  /** Undefined in the usual form. */
  feeDebts: readonly FeeDebtChange[] | undefined;
}>;

export type Move = Readonly<
  Pick<
    OperationRecord,
    'type' | 'direction' | 'accountId' | 'accountAlias' | 'balanceId' | 'balanceKey'
  > & {
    before: Readonly<Pick<BalanceState, 'available' | 'onHold'>>;
    balanceAfter: BalanceState;
  }
>;

/** The state of a balance after an operation; the ordinal is that of the balance in its account. */
export type Left = Pick<Move, 'accountId' | 'balanceAfter'> & Readonly<{ ordinal: number }>;
