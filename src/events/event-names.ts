import type { DomainEvent, EventName } from '#src/domain/decider.ts';
import type { Uuid } from '#src/domain/ids.ts';
import type { LedgerEvent } from './ledger.ts';

type Named = Readonly<{ id: Uuid; parentTransactionId?: Uuid | undefined }>;

/**
 * The names under which later commands look an event up, in the writer's memory first and then in the journal
 * index. `transaction` reads the transaction an event carries; called only for types that carry one.
 */
export function eventNames(type: DomainEvent['type'], transaction: () => Named): EventName[] {
  switch (type as LedgerEvent['type']) {
    case 'TransactionPosted': {
      const { id, parentTransactionId } = transaction();
      const own: EventName = { kind: 'transaction', key: id };
      if (parentTransactionId === undefined) return [own];
      return [own, { kind: 'reversal', key: parentTransactionId }];
    }
    case 'TransactionHeld':
    case 'TransactionNoted':
    case 'TransactionCommitted':
    case 'TransactionCanceled':
    case 'TransactionUpdated':
    case 'OperationUpdated':
      return [{ kind: 'transaction', key: transaction().id }];
    default:
      return NONE; // Other events are found through the state.
  }
}

/** The transaction in the data of an event that carries one. */
export const transactionIn = (data: unknown): Named =>
  (data as Readonly<{ transaction: Named }>).transaction;

const NONE: EventName[] = [];
