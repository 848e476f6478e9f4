import type {
  DescriptiveChanges,
  PostTransaction,
  TransactionCommand,
  TransactionRequest,
} from '#commands/ledger/transaction/commands.ts';
import type { DeleteBalance, UpdateBalance } from '#commands/ledger/balance/change.ts';
import type { CreateBalance } from '#commands/ledger/balance/create.ts';
import type { DomainEvent } from '#src/kernel/decider.ts';
import type { LedgerEvent } from '#src/events/ledger/ledger.ts';
import type { TransactionEvent } from '#src/events/ledger/transaction.ts';
import { units, wholeLegs, type WholeLeg } from './booked.ts';
import { assertThat } from './log-oracle.ts';
import { linesOf } from './lines.ts';
import type { Command } from './request.ts';
import { requestsOf } from './transaction-oracle.ts';

/** Insists that an answer is the answer to what was asked. */
export function checkMeaning(command: Command, events: readonly DomainEvent[], who: string): void {
  const asked = requestsOf(command);
  if (asked.length > 0) {
    assertThat(
      events.length === asked.length,
      `${who}: ${events.length} events for ${asked.length}`,
    );
    asked.forEach((request, n) => {
      const as = command.type === 'PostTransaction' ? command.as : undefined;
      checkPosted(request, as, events[n] as TransactionEvent, who);
    });
  }
  if (command.type === 'UpdateBalance') checkAllowed(command, events, who);
  if (command.type === 'CreateBalance' || command.type === 'DeleteBalance') {
    checkBalance(command, events, who);
  }
  if (!('transactionId' in command)) return;
  assertThat(events.length === 1, `${who}: ${events.length} events`);
  checkStep(command, events[0] as TransactionEvent, who);
}

function checkBalance(
  command: CreateBalance | DeleteBalance,
  events: readonly DomainEvent[],
  who: string,
): void {
  const [event] = events as readonly LedgerEvent[];
  assertThat(events.length === 1, `${who}: ${events.length} events`);
  if (command.type === 'DeleteBalance') {
    const ended = event?.type === 'BalanceDeleted' && event.data.balance.id === command.balanceId;
    assertThat(ended, `${who}: deleted another balance`);
    return;
  }
  if (event?.type !== 'BalanceCreated') throw new Error(`${who}: created nothing`);
  const { accountId, key, direction } = event.data.balance;
  const { fields } = command;
  const same = accountId === command.accountId && key === fields.key;
  assertThat(same && direction === fields.direction, `${who}: created another balance`);
}

/** The last of the events is the change; before it comes what shows the debt, if there was none. */
function checkAllowed(
  { balanceId, changes }: UpdateBalance,
  events: readonly DomainEvent[],
  who: string,
): void {
  const [last, first] = events.toReversed() as readonly LedgerEvent[];
  if (last?.type !== 'BalanceUpdated') throw new Error(`${who}: changed nothing`);
  assertThat(last.data.balance.id === balanceId, `${who}: changed another balance`);
  const same = JSON.stringify(last.data.balance.settings) === JSON.stringify(changes.settings);
  assertThat(same, `${who}: allows something else`);
  assertThat(first === undefined || first.type === 'BalanceCreated', `${who}: did something else`);
}

function checkPosted(
  request: TransactionRequest,
  as: PostTransaction['as'],
  { type, data: { transaction } }: TransactionEvent,
  who: string,
): void {
  const pending = request.pending === true && as === undefined;
  const settled = pending ? 'TransactionHeld' : 'TransactionPosted';
  const due = as === 'annotation' ? 'TransactionNoted' : settled;
  assertThat(type === due, `${who}: ${type} instead of ${due}`);
  const lines = linesOf(request).filter(({ amount }) => amount !== 0n);
  const expected = lines.map(({ side, alias, amount }) => {
    const waits = pending && side === 'destination';
    return `${waits ? 'waits' : side} ${alias} ${amount}`;
  });
  const { operations, awaiting = [] } = transaction;
  const found = [
    ...wholeLegs(operations)
      .filter(isLeg)
      .map(({ operation: { direction, accountAlias }, whole }) => {
        return `${direction === 'debit' ? 'source' : 'destination'} ${accountAlias} ${whole}`;
      }),
    ...awaiting.map(({ accountAlias, amount }) => `waits ${accountAlias} ${units(amount)}`),
  ].filter((line) => !line.endsWith(' 0'));
  const kinds = as === 'block' || as === 'unblock' ? [as.toUpperCase()] : USUAL;
  const kind = operations.every((one) => kinds.includes(one.type) || one.type === 'OVERDRAFT');
  assertThat(kind, `${who}: other operations than of ${as ?? 'a transfer'}`);
  const right = expected.sort().join() === found.sort().join();
  assertThat(right, `${who}: asked ${expected.join()}, got ${found.join()}`);
  assertThat(transaction.description === request.description, `${who}: other words`);
}

/** What is put on hold was taken before. */
const isLeg = ({ operation: { type, direction } }: WholeLeg): boolean =>
  type !== 'ON_HOLD' || direction === 'debit';

const USUAL = ['DEBIT', 'CREDIT', 'ON_HOLD'];

const STEPS: Readonly<Record<string, TransactionEvent['type']>> = {
  CommitTransaction: 'TransactionCommitted',
  CancelTransaction: 'TransactionCanceled',
  RevertTransaction: 'TransactionPosted',
  UpdateTransaction: 'TransactionUpdated',
  UpdateOperation: 'OperationUpdated',
};

type Addressed = Extract<TransactionCommand, Readonly<{ transactionId: string }>>;

function checkStep(command: Addressed, { type, data }: TransactionEvent, who: string): void {
  const { transaction } = data;
  assertThat(type === STEPS[command.type], `${who}: ${type} for a ${command.type}`);
  const id =
    command.type === 'RevertTransaction' ? transaction.parentTransactionId : transaction.id;
  assertThat(id === command.transactionId, `${who}: of another transaction, ${id ?? ''}`);
  if (command.type === 'UpdateTransaction') checkWords(transaction, command.changes, who);
  if (command.type !== 'UpdateOperation') return;
  const operation = transaction.operations.find(({ id: one }) => one === command.operationId);
  if (operation === undefined) throw new Error(`${who}: another operation`);
  const { description = transaction.description, metadata } = operation;
  checkWords({ description, metadata }, command.changes, who);
}

type Words = Readonly<{
  description?: string | undefined;
  metadata?: Readonly<Record<string, unknown>> | undefined;
}>;

function checkWords(
  { description = '', metadata = {} }: Words,
  changes: DescriptiveChanges<unknown>,
  who: string,
): void {
  const said = changes.description === undefined || changes.description === description;
  assertThat(said, `${who}: says ${description}`);
  for (const [key, value] of Object.entries(changes.metadata ?? {})) {
    assertThat(
      (metadata[key] ?? null) === value,
      `${who}: ${key} is ${JSON.stringify(metadata[key])}`,
    );
  }
}
