import { bornAt, logBackedProjection } from '#projections/projection.ts';
import { ordinalOf, type Uuid } from '#src/kernel/ids.ts';
import type { LedgerEvent } from '#src/events/ledger/ledger.ts';
import type { OperationRecord, TransactionRecord } from '#src/events/ledger/transaction.ts';
import { readPosted } from '#src/events/ledger/posted.ts';
import { recordedTransaction } from '#src/events/ledger/recorded-transaction.ts';
import type { Recorded } from '#src/ports/projection.ts';
import type { RowEntry } from '#src/ports/read-store.ts';

/**
 * Transactions with their operations. An operation has no row, but an entry under its account; its id names its
 * transaction (wholeId in src/kernel/ids.ts). A member of a group also has an entry under the group, with the ordinal 0,
 * because an index over all transactions would serve very few.
 *
 * The key of an account's id has the movements of its first balance only, so that the last one before an instant is the
 * last entry, and most operations need one entry. Its other operations are under `besides`, in the same order; those
 * that move a balance are also under that balance.
 */
export const transactionProjection = logBackedProjection<LedgerEvent>(
  {
    name: 'transaction',
    version: 3,
    keys: { tenantId: 'text', ledgerId: 'text', createdAt: 'instant' },
    indexes: [['tenantId', 'ledgerId']],
    entries: { key: 'accountId', facts: { type: 'text', direction: 'text', createdAt: 'instant' } },
  },
  recordedTransaction,
  {
    TransactionPosted({ text, tenantId, revision }) {
      const { id, ledgerId, groupId, createdAt, moves } = readPosted(text);
      const entries = withGroup(
        { groupId, ledgerId, createdAt },
        moves.flatMap((move, n) =>
          entriesOf(move, n + 1, { type: move.type, direction: move.direction, createdAt }),
        ),
      );
      const keys = { tenantId, ledgerId, createdAt };
      return { id, born: bornAt(revision), keys, entries };
    },
    TransactionHeld: whole,
    TransactionNoted: whole,
    TransactionCommitted: whole,
    TransactionCanceled: whole,
    TransactionUpdated: whole,
    OperationUpdated: whole,
  },
);

/** Writes the transaction with all its operations. It keeps its list position; new operations get theirs now. */
function whole({
  data: { transaction },
  tenantId,
  revision,
}: Recorded<Readonly<{ transaction: TransactionRecord }>>) {
  const { id, ledgerId, groupId, createdAt, operations } = transaction;
  const entries = withGroup(
    { groupId, ledgerId, createdAt },
    operations.flatMap((operation, n) =>
      entriesOf(operation, n + 1, {
        type: operation.type,
        direction: operation.direction,
        createdAt: operation.createdAt ?? createdAt,
      }),
    ),
  );
  const keys = { tenantId, ledgerId, createdAt };
  return { id, born: bornAt(revision), keys, entries };
}

/** The key of the movements of a balance. */
export const movementsOf = (accountId: Uuid, balanceId: Uuid): string =>
  ordinalOf(balanceId) === 1 ? accountId : balanceId;

/** The key of an account's operations that are not movements of its first balance. */
export const besides = (accountId: Uuid): string => `besides ${accountId}`;

function entriesOf(
  { accountId, balanceId, balanceAffected = true }: Moving,
  ordinal: number,
  facts: RowEntry['facts'],
): readonly RowEntry[] {
  const at = movementsOf(accountId, balanceId);
  if (balanceAffected && at === accountId) return [{ at, ordinal, facts }];
  const other = { at: besides(accountId), ordinal, facts };
  return balanceAffected ? [other, { at, ordinal, facts }] : [other];
}

type Moving = Pick<OperationRecord, 'accountId' | 'balanceId'> &
  Readonly<{ balanceAffected?: boolean | undefined }>;

/**
 * The key of a group's members in one ledger. The group id alone would not do: entries under one key must be of one
 * journal, or two of them could have the same position.
 */
export const membersAt = (groupId: string, ledgerId: string): string => `${groupId}/${ledgerId}`;

type GroupMembership = Pick<TransactionRecord, 'ledgerId' | 'createdAt'> &
  Readonly<{ groupId: string | undefined }>;

function withGroup(
  { groupId, ledgerId, createdAt }: GroupMembership,
  parts: readonly RowEntry[],
): readonly RowEntry[] {
  if (groupId === undefined) return parts;
  const facts = { type: null, direction: null, createdAt };
  return [{ at: membersAt(groupId, ledgerId), ordinal: 0, facts }, ...parts];
}
