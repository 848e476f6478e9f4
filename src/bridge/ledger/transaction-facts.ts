import { formatAmount, parseAmount, subtract, ZERO } from '#src/kernel/amount.ts';
import type {
  OperationRecord,
  TransactionEvent,
  TransactionRecord,
} from '#src/events/ledger/transaction.ts';
import type { Definition } from '#src/bridge/definition.ts';
import type { JournalEvent } from '#src/bridge/journal-event.ts';
import { decimal, inLedger, instant, oneOf, text, uuid } from '#src/bridge/payload-members.ts';
import { payloadOf } from '#src/bridge/payload-schema.ts';
import { balanceChangedPayload, balanceChangedSchema } from './balance-payload.ts';
import { transactionPayload, transactionSchema, withoutOperations } from './transaction-payload.ts';

type Life = Readonly<{
  event: string;
  description: string;
  types: readonly TransactionEvent['type'][];
  enabled?: boolean;
  when: (transaction: TransactionRecord, event: JournalEvent) => boolean;
}>;

/** Defines what happened to a transaction as a whole. A family, a transaction and its reversal, stays in order. */
const lifeOf = ({ event: name, description, types, enabled = true, when }: Life): Definition => ({
  key: `transaction.${name}`,
  schemaVersion: '1.0.0',
  tail: `ledger_transaction.${name}`,
  ...{ description, enabled, types, payload: transactionSchema },
  subject: 'id',
  partitionKey: 'parentTransactionId, or id without one',
  emissions(event) {
    const transaction = transactionOf(event);
    if (!when(transaction, event)) return [];
    const { id, parentTransactionId } = transaction;
    const payload = transactionPayload(transaction);
    return [{ subject: id, recordKey: parentTransactionId ?? id, payload }];
  },
  shortened: withoutOperations,
});

/** A part of a direct group is posted when its preparatory hold is committed: for consumers it was never pending. */
const isDirect = ({ data }: JournalEvent): boolean =>
  (data as Readonly<{ direct?: true }>).direct === true;
const isSettledAtOnce = (event: JournalEvent): boolean =>
  event.type === 'TransactionPosted' || isDirect(event);

const MOVING: readonly TransactionEvent['type'][] = [
  ...([
    'TransactionPosted',
    'TransactionHeld',
    'TransactionCommitted',
    'TransactionCanceled',
  ] as const),
];

/** P26. */
const overdraftSchema = payloadOf(
  {
    ...{ balanceId: uuid, accountId: uuid, organizationId: uuid, ledgerId: uuid, assetCode: text },
    ...{ transactionId: uuid, operationId: uuid, action: oneOf('drawn', 'repaid', 'cleared') },
    ...{ amount: decimal, overdraftBalance: decimal, overdraftLimit: decimal, occurredAt: instant },
  },
  'overdraftLimit',
);

/** In the order in which one step's events follow each other (contract events §6.6). */
export const transactionFacts: readonly Definition[] = [
  lifeOf({
    event: 'posted',
    description: 'A transaction was created and approved at once',
    types: ['TransactionPosted', 'TransactionCommitted'],
    when: ({ parentTransactionId }, event) =>
      parentTransactionId === undefined && isSettledAtOnce(event),
  }),
  lifeOf({
    event: 'reverted',
    description: 'A transaction was reverted; the payload is its reversal',
    types: ['TransactionPosted', 'TransactionCommitted'],
    when: ({ parentTransactionId }, event) =>
      parentTransactionId !== undefined && isSettledAtOnce(event),
  }),
  lifeOf({
    event: 'committed',
    description: 'A pending transaction was committed',
    types: ['TransactionCommitted'],
    when: (_, event) => !isDirect(event),
  }),
  lifeOf({
    event: 'canceled',
    description: 'A pending transaction was canceled',
    types: ['TransactionCanceled'],
    when: (_, event) => !isDirect(event),
  }),
  lifeOf({
    event: 'held',
    description: 'A pending transaction was created',
    types: ['TransactionHeld'],
    when: (_, event) => !isDirect(event),
    enabled: false,
  }),
  lifeOf({
    event: 'noted',
    description: 'An annotation was recorded, which moves nothing',
    types: ['TransactionNoted'],
    when: () => true,
    enabled: false,
  }),
  {
    key: 'transaction.updated',
    schemaVersion: '1.0.0',
    tail: 'ledger_transaction.updated',
    description:
      'The description or metadata of a transaction or one of its operations was changed',
    payload: payloadOf({ ...inLedger, updatedAt: instant }),
    subject: 'id',
    partitionKey: 'parentTransactionId, or id without one',
    enabled: false,
    types: ['TransactionUpdated', 'OperationUpdated'],
    emissions(event) {
      const { id, parentTransactionId, organizationId, ledgerId, updatedAt } = transactionOf(event);
      const payload = { id, organizationId, ledgerId, updatedAt };
      return [{ subject: id, recordKey: parentTransactionId ?? id, payload }];
    },
  },
  {
    key: 'balance.changed',
    schemaVersion: '1.0.0',
    tail: 'ledger_balance.changed',
    description: 'An operation changed what is available or on hold of a balance',
    payload: balanceChangedSchema,
    subject: 'transactionId:operationId',
    partitionKey: 'balanceId; of a companion overdraft balance the id of its parent',
    enabled: true,
    types: MOVING,
    emissions: (event) => {
      const transaction = transactionOf(event);
      return stepOf(event, transaction).map((operation, n, step) => ({
        subject: `${transaction.id}:${operation.id}`,
        recordKey: owing(operation, step[n - 1]).balanceId,
        part: operation.id,
        payload: balanceChangedPayload(operation, transaction, event.recordedAt),
      }));
    },
  },
  overdraftFact('drawn', 'An operation drew on the overdraft of a balance'),
  overdraftFact('repaid', 'An operation repaid a part of the overdraft of a balance'),
  overdraftFact('cleared', 'An operation repaid the whole overdraft of a balance'),
];

type OverdraftAction = 'drawn' | 'repaid' | 'cleared';

function overdraftFact(action: OverdraftAction, description: string): Definition {
  return {
    key: `balance.overdraft-${action}`,
    schemaVersion: '1.0.0',
    tail: `ledger_balance.overdraft_${action}`,
    description,
    payload: overdraftSchema,
    subject: 'transactionId:operationId',
    partitionKey: 'balanceId',
    enabled: true,
    types: MOVING,
    emissions(event) {
      const transaction = transactionOf(event);
      return stepOf(event, transaction)
        .filter((operation) => overdraftActionOf(operation) === action)
        .map((operation) => ({
          subject: `${transaction.id}:${operation.id}`,
          recordKey: operation.balanceId,
          part: operation.id,
          payload: overdraftPayload(action, operation, transaction, event),
        }));
    },
  };
}

function overdraftPayload(
  action: OverdraftAction,
  { id, balanceId, accountId, balance, balanceAfter, overdraftLimit }: OperationRecord,
  transaction: TransactionRecord,
  { recordedAt }: JournalEvent,
) {
  const before = parseAmount(balance.overdraftUsed);
  const after = parseAmount(balanceAfter.overdraftUsed);
  const { organizationId, ledgerId, assetCode } = transaction;
  return {
    ...{ balanceId, accountId, organizationId, ledgerId, assetCode },
    ...{ transactionId: transaction.id, operationId: id, action },
    amount: formatAmount(after > before ? subtract(after, before) : subtract(before, after)),
    overdraftBalance: balanceAfter.overdraftUsed,
    ...(overdraftLimit !== undefined && { overdraftLimit }),
    occurredAt: recordedAt,
  };
}

/** The operation on the companion overdraft balance repeats what its parent's says. */
function overdraftActionOf({ origin, balance, balanceAfter }: OperationRecord) {
  if (origin === 'overdraft' || balance.overdraftUsed === balanceAfter.overdraftUsed)
    return undefined;
  const after = parseAmount(balanceAfter.overdraftUsed);
  if (after > parseAmount(balance.overdraftUsed)) return 'drawn';
  return after === ZERO ? 'cleared' : 'repaid';
}

const transactionOf = ({ data }: JournalEvent): TransactionRecord =>
  (data as TransactionEvent['data']).transaction;

/** Orders an overdraft operation with the balance that owes it, whose operation is the one before. */
const owing = (operation: OperationRecord, before = operation): OperationRecord =>
  operation.origin === 'overdraft' ? before : operation;

/** A transaction carries the operations of all its steps; those of the last one are what the event came to. */
function stepOf({ data }: JournalEvent, { operations }: TransactionRecord) {
  const { stepOperations } = data as Readonly<{ stepOperations?: number }>;
  return operations.slice(operations.length - (stepOperations ?? operations.length));
}
