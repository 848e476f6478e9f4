import type { EventName } from '#src/kernel/decider.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { IndexedEvents, NamesOf } from '#src/kernel/index-table.ts';
import type { FeeDebtChange } from './fee-debt.ts';
import type { LedgerEvent } from './ledger.ts';
import { crossLedger, ledgerChange, ledgerClosing, ledgerOpening } from './open-processes.ts';
import { readPosted } from './posted.ts';

/**
 * The names under which the journal index finds ledger events: a transaction by its id, its reversal by the id of the
 * transaction it reverts, a journal's part of a cross-ledger transaction by the id of the group, and a fee debt by its own.
 */
export const indexed: IndexedEvents = {
  names: {
    TransactionPosted: ({ transaction }) => withDebts(transaction),
    TransactionHeld: ({ transaction }) => allNames(transaction),
    TransactionCommitted: ({ transaction }) => withDebts(transaction),
    TransactionCanceled: ({ transaction }) => allNames(transaction),
    TransactionNoted: ({ transaction }) => [nameOf(transaction)],
    TransactionUpdated: ({ transaction }) => [nameOf(transaction)],
    OperationUpdated: ({ transaction }) => [nameOf(transaction)],
    GroupPrepared: ({ transaction }) => relations(transaction),
    GroupReleased: ({ transaction }) => relations(transaction),
  } satisfies NamesOf<LedgerEvent>,
  namesInText: { TransactionPosted: (text) => withDebts(readPosted(text)) },
  processes: [ledgerOpening, ledgerChange, ledgerClosing, crossLedger],
};

type Named = Readonly<{
  id: Uuid;
  parentTransactionId?: Uuid | undefined;
  groupId?: Uuid | undefined;
}>;

const nameOf = ({ id }: Named): EventName => ({ kind: 'transaction', key: id });

const allNames = (named: Named): readonly EventName[] =>
  isAlone(named) ? [nameOf(named)] : [nameOf(named), ...relations(named)];

const withDebts = (
  named: Named & Readonly<{ feeDebts?: readonly FeeDebtChange[] | undefined }>,
): readonly EventName[] => {
  const { feeDebts } = named;
  if (feeDebts === undefined) return allNames(named);
  const ids = new Set(feeDebts.map(({ debt }) => debt.id));
  return [...allNames(named), ...Array.from(ids, (key) => ({ kind: 'feeDebt', key }))];
};

const isAlone = ({ parentTransactionId, groupId }: Named): boolean =>
  parentTransactionId === undefined && groupId === undefined;

const relations = ({ parentTransactionId, groupId }: Named): readonly EventName[] => [
  ...(parentTransactionId === undefined ? [] : [{ kind: 'reversal', key: parentTransactionId }]),
  ...(groupId === undefined ? [] : [{ kind: 'group', key: groupId }]),
];
