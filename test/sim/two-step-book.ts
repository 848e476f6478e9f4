import type {
  OperationRecord,
  TransactionEvent,
  TransactionRecord,
} from '#src/events/ledger/transaction.ts';

/** Where routes are validated, a hold and its end are booked apart: first taken, then put on hold. */
export type TwoStepState = 'held' | 'committed' | 'canceled';

export function apartOf(
  event: TransactionEvent,
  before: TransactionRecord | undefined,
): TwoStepState | undefined {
  const { operations } = before ?? event.data.transaction;
  if (!operations.some(({ type }) => type === 'DEBIT')) return undefined;
  switch (event.type) {
    case 'TransactionHeld':
      return 'held';
    case 'TransactionCommitted':
      return 'committed';
    case 'TransactionCanceled':
      return 'canceled';
    default:
      return undefined;
  }
}

/** The second half of such a hold, which moves nothing more. */
export const isPutAside = ({ type, direction }: OperationRecord): boolean =>
  type === 'ON_HOLD' && direction === 'credit';

/** What each does to available and on hold: [of its amount, of its amount]. */
export const APART: Readonly<
  Record<TwoStepState, Readonly<Record<string, readonly [bigint, bigint]>>>
> = {
  held: { 'DEBIT debit': [-1n, 0n], 'ON_HOLD credit': [0n, 1n], 'ON_HOLD debit': [-1n, 1n] },
  committed: { 'ON_HOLD debit': [0n, -1n] },
  canceled: { 'RELEASE debit': [0n, -1n], 'CREDIT credit': [1n, 0n] },
};
