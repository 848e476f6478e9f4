import { bornAt, projection, put, remove } from '#projections/projection.ts';
import type { Instant } from '#src/kernel/instant.ts';
import type { BalanceRecord, BalanceState } from '#src/events/ledger/account.ts';
import type { LedgerEvent } from '#src/events/ledger/ledger.ts';
import type { Settlement, TransactionRecord } from '#src/events/ledger/transaction.ts';
import type { Move } from '#src/events/ledger/posted-parts.ts';
import { moveOf, readPosted } from '#src/events/ledger/posted.ts';
import type { Recorded, Write } from '#src/ports/projection.ts';

/** Balances: their descriptive members in the body, the members that operations change in columns. */
export const balanceProjection = projection<LedgerEvent>(
  {
    name: 'balance',
    version: 1,
    keys: {
      tenantId: 'text',
      ledgerId: 'text',
      accountId: 'text',
      alias: 'text',
      createdAt: 'text',
    },
    values: {
      available: 'text',
      onHold: 'text',
      overdraftUsed: 'text',
      version: 'integer',
      updatedAt: 'text',
    },
    indexes: [
      ['tenantId', 'ledgerId'],
      ['tenantId', 'ledgerId', 'accountId'],
      ['tenantId', 'ledgerId', 'alias'],
    ],
  },
  {
    AccountOpened: ({ data: { balance }, tenantId, revision }) =>
      whole(balance, EMPTY_STATE, { tenantId, revision }),
    BalanceCreated: ({ data: { balance }, tenantId, revision }) =>
      whole(balance, EMPTY_STATE, { tenantId, revision }),
    BalanceUpdated: ({ data: { balance, state }, tenantId, revision }) =>
      whole(balance, state, { tenantId, revision }),
    BalanceDeleted: ({ data: { balance } }) => remove(balance.id),
    AccountDeleted: ({ data: { balances } }) => balances.flatMap(({ id }) => remove(id)),

    TransactionPosted({ text }) {
      const { moves, updatedAt } = readPosted(text);
      return moves.map((move) => moved(move, updatedAt));
    },
    TransactionHeld: ({ data: { transaction } }) => stepOf(transaction, 0),
    TransactionCommitted: settled,
    TransactionCanceled: settled,
  },
);

/** The row keeps its list position. */
const whole = (
  balance: BalanceRecord,
  { available, onHold, overdraftUsed, version }: BalanceState,
  { tenantId, revision }: Pick<Recorded, 'tenantId' | 'revision'>,
) =>
  put({
    id: balance.id,
    born: bornAt(revision),
    keys: {
      tenantId,
      ledgerId: balance.ledgerId,
      accountId: balance.accountId,
      alias: balance.alias,
      createdAt: balance.createdAt,
    },
    values: { available, onHold, overdraftUsed, version, updatedAt: balance.updatedAt },
    body: JSON.stringify(balance),
  });

/** The state of a balance that nothing has moved. */
export const EMPTY_STATE: BalanceState = {
  available: '0',
  onHold: '0',
  version: 0,
  overdraftUsed: '0',
};

function settled({ data: { transaction, stepOperations } }: Recorded<Settlement>) {
  return stepOf(transaction, transaction.operations.length - stepOperations);
}

/** Writes the effects of the operations from an index on. */
const stepOf = ({ operations, updatedAt }: TransactionRecord, from: number): Write[] =>
  operations.slice(from).map((operation) => moved(moveOf(operation), updatedAt));

/** Values are absolute: applying an event twice, or only the last of many, gives the same row. */
const moved = ({ balanceId, balanceAfter }: Move, updatedAt: Instant): Write => ({
  set: {
    id: balanceId,
    values: {
      available: balanceAfter.available,
      onHold: balanceAfter.onHold,
      overdraftUsed: balanceAfter.overdraftUsed,
      version: balanceAfter.version,
      updatedAt,
    },
  },
});
