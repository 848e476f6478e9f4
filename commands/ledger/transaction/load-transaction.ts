import type { EventName, Facts, Needs } from '#src/kernel/decider.ts';
import { refuse } from '#src/events/ledger/refusals.ts';
import type { Revision, Uuid } from '#src/kernel/ids.ts';
import type {
  OperationRecord,
  TransactionEvent,
  TransactionRecord,
} from '#src/events/ledger/transaction.ts';
import type { Ledger } from '#commands/ledger/state/ledger-state.ts';

/** Looks up the last event of a transaction, which is its before-image. */
export function needsTransaction(ledger: Ledger, id: Uuid, facts: Facts): Needs | undefined {
  const revision = revisionOf(ledger, id, facts);
  if (revision === undefined) return { names: [transactionName(id)] };
  if (revision === null || facts.event(revision) !== undefined) return undefined;
  return { events: [revision] };
}

/** The transaction as its last event left it. Errors: NOT_FOUND. */
export const transactionBefore = (ledger: Ledger, id: Uuid, facts: Facts): TransactionRecord =>
  findTransaction(ledger, id, facts) ?? notFound();

/** The transaction as its last event left it; undefined when there is none. */
export function findTransaction(
  ledger: Ledger,
  id: Uuid,
  facts: Facts,
): TransactionRecord | undefined {
  const revision = revisionOf(ledger, id, facts) ?? null;
  if (revision === null) return undefined;
  const event = facts.event(revision) as TransactionEvent | undefined;
  if (event?.data.transaction.id !== id) throw new Error(`No transaction ${id} at ${revision}`);
  return event.data.transaction;
}

const revisionOf = ({ pending }: Ledger, id: Uuid, facts: Facts): Revision | null | undefined =>
  pending.get(id) ?? facts.revisionOf(transactionName(id));

function notFound(): never {
  throw refuse('NOT_FOUND', 'There is no such transaction.');
}

const transactionName = (key: Uuid): EventName => ({ kind: 'transaction', key });

/**
 * The operations as a later event of their transaction repeats them. Members inherited from the transaction are copied
 * onto them first, because that event changes the transaction's status, times or description.
 */
export const keptOperations = (transaction: TransactionRecord): OperationRecord[] =>
  transaction.operations.map((operation) => ({
    ...operation,
    description: operation.description ?? transaction.description ?? '',
    status: operation.status ?? transaction.status,
    createdAt: operation.createdAt ?? transaction.createdAt,
    updatedAt: operation.updatedAt ?? transaction.updatedAt,
  }));
