import type { DomainEvent } from '#src/kernel/decider.ts';
import type { LedgerEvent } from '#src/events/ledger/ledger.ts';
import type { OperationRecord, TransactionRecord } from '#src/events/ledger/transaction.ts';

/** The transaction that was posted, when nothing else happened. */
export function posted(events: readonly DomainEvent[]): TransactionRecord {
  const [event, ...others] = events as readonly LedgerEvent[];
  if (event?.type !== 'TransactionPosted' || others.length > 0) {
    throw new Error(
      `Not one transaction: ${events.map(({ type }) => type).join(', ') || 'nothing'}`,
    );
  }
  return event.data.transaction;
}

/** Operations as an accountant writes them: `DEBIT @alice 120.04: 500/0 v1 → 379.96/0 v2`. */
export const booked = (events: readonly DomainEvent[]): string[] =>
  posted(events).operations.map(row);

const row = ({ type, accountAlias, balanceKey, amount, ...states }: OperationRecord): string => {
  const key = balanceKey === 'default' ? '' : `#${balanceKey}`;
  const [before, after] = [states.balance, states.balanceAfter].map(
    ({ available, onHold, version }) => `${available}/${onHold} v${String(version)}`,
  );
  return `${type} ${accountAlias}${key} ${amount}: ${before ?? ''} → ${after ?? ''}`;
};
