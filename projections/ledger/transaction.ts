import { bornAt, projection, put } from '#projections/projection.ts';
import { ordinalOf, type Uuid } from '#src/kernel/ids.ts';
import type { LedgerEvent } from '#src/events/ledger/ledger.ts';
import type {
  OperationRecord,
  TransactionPosted,
  TransactionRecord,
} from '#src/events/ledger/transaction.ts';
import { readPosted } from '#src/events/ledger/posted.ts';
import type { Recorded, Write } from '#src/ports/projection.ts';
import type { Entry } from '#src/ports/read-store.ts';

/**
 * Transactions whole, their operations inside. Each operation is also found under its account; it has no row
 * of its own, and its id names the transaction it is part of (domain/ids.ts, wholeId). A member of a group is found
 * under its group as well, as part 0: an index over all transactions would be there for very few.
 *
 * Under the id of an account stand the movements of its first balance alone, so that the last one before an instant is
 * the last entry, and most operations have one entry. Its other operations stand under `besides`, in the same order;
 * those of them that move a balance, under that balance as well.
 */
export const transactionProjection = projection<LedgerEvent>(
  {
    name: 'transaction',
    version: 2,
    keys: { tenantId: 'text', ledgerId: 'text', createdAt: 'text' },
    indexes: [['tenantId', 'ledgerId']],
    entries: { key: 'accountId', facts: { type: 'text', direction: 'text', createdAt: 'text' } },
  },
  {
    TransactionPosted({ text, tenantId, revision }) {
      const { id, ledgerId, groupId, createdAt, moves, record } = readPosted(text);
      return put({
        id,
        born: bornAt(revision),
        keys: { tenantId, ledgerId, createdAt },
        body: record ?? JSON.stringify(recordOf(text)),
        entries: withGroup(
          { groupId, ledgerId, createdAt },
          moves.flatMap((move, n) =>
            entriesOf(move, n + 1, { type: move.type, direction: move.direction, createdAt }),
          ),
        ),
      });
    },
    TransactionHeld: whole,
    TransactionNoted: whole,
    TransactionCommitted: whole,
    TransactionCanceled: whole,
    TransactionUpdated: whole,
    OperationUpdated: whole,
  },
);

const recordOf = (text: string) => (JSON.parse(text) as TransactionPosted['data']).transaction;

/** The transaction as an event leaves it. It keeps its place in the list; operations that are new take theirs now. */
function whole({
  data: { transaction },
  tenantId,
  revision,
}: Recorded<Readonly<{ transaction: TransactionRecord }>>): readonly Write[] {
  const { id, ledgerId, groupId, createdAt, operations } = transaction;
  return put({
    id,
    born: bornAt(revision),
    keys: { tenantId, ledgerId, createdAt },
    body: JSON.stringify(transaction),
    entries: withGroup(
      { groupId, ledgerId, createdAt },
      operations.flatMap((operation, n) =>
        entriesOf(operation, n + 1, {
          type: operation.type,
          direction: operation.direction,
          createdAt: operation.createdAt ?? createdAt,
        }),
      ),
    ),
  });
}

/** Where the movements of a balance stand, and nothing else. */
export const movementsOf = (accountId: Uuid, balanceId: Uuid): string =>
  ordinalOf(balanceId) === 1 ? accountId : balanceId;

/** Where the operations of an account stand that are no movements of its first balance. */
export const besides = (accountId: Uuid): string => `besides ${accountId}`;

function entriesOf(
  { accountId, balanceId, balanceAffected = true }: Moving,
  ordinal: number,
  facts: Entry['facts'],
): readonly Entry[] {
  const at = movementsOf(accountId, balanceId);
  if (balanceAffected && at === accountId) return [{ at, ordinal, facts }];
  const other = { at: besides(accountId), ordinal, facts };
  return balanceAffected ? [other, { at, ordinal, facts }] : [other];
}

type Moving = Pick<OperationRecord, 'accountId' | 'balanceId'> &
  Readonly<{ balanceAffected?: boolean | undefined }>;

/**
 * Where the members are that a ledger has of a group. The group alone would not do: what is found under one key is in
 * one journal, or two may have entered at one place.
 */
export const membersAt = (groupId: string, ledgerId: string): string => `${groupId}/${ledgerId}`;

type Member = Pick<TransactionRecord, 'ledgerId' | 'createdAt'> &
  Readonly<{ groupId: string | undefined }>;

function withGroup(
  { groupId, ledgerId, createdAt }: Member,
  parts: readonly Entry[],
): readonly Entry[] {
  if (groupId === undefined) return parts;
  const facts = { type: null, direction: null, createdAt };
  return [{ at: membersAt(groupId, ledgerId), ordinal: 0, facts }, ...parts];
}
