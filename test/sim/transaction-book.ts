import type { OperationRecord, TransactionEvent, TransactionRecord } from '#src/events/ledger.ts';
import {
  imageOf,
  standingOf,
  units,
  type BookedAccount,
  type BookedLedger,
  type BookedTransaction,
} from './booked.ts';
import { insist } from './chronicle.ts';

/** Books one event of a transaction. Throws when it is not what may follow the ones before it. */
export function bookTransaction(
  ledger: BookedLedger,
  event: TransactionEvent,
  revision: number,
): void {
  const record = event.data.transaction;
  const at = `${ledger.journal} revision ${revision}, ${event.type} ${record.id}`;
  const known = ledger.transactions.get(record.id);
  if (known === undefined) {
    begin(ledger, event, revision, at);
    ledger.transactions.set(record.id, { id: record.id, images: [] });
  } else {
    goOn(known, event, at);
  }
  move(ledger, event, revision, at);
  for (const [asset, sum] of ledger.sums) {
    insist(sum === 0n, `${at}: the positions in ${asset} add up to ${sum}`);
  }
  const image = { revision, record, text: JSON.stringify(record) };
  ledger.transactions.get(record.id)?.images.push(image);
}

const STATUS = {
  TransactionPosted: 'APPROVED',
  TransactionHeld: 'PENDING',
  TransactionNoted: 'NOTED',
  TransactionCommitted: 'APPROVED',
  TransactionCanceled: 'CANCELED',
} as const;

function begin(ledger: BookedLedger, event: TransactionEvent, revision: number, at: string): void {
  const { transaction } = event.data;
  const starts = ['TransactionPosted', 'TransactionHeld', 'TransactionNoted'].includes(event.type);
  insist(starts, `${at}: of a transaction that is not there`);
  insist(transaction.status === STATUS[event.type as 'TransactionPosted'], `${at}: wrong status`);
  const { parentTransactionId: parent } = transaction;
  if (parent === undefined) return;
  const reverted = ledger.transactions.get(parent);
  if (reverted === undefined) throw new Error(`${at}: reverts what is not there`);
  checkReversal(reverted, transaction, at);
  reverted.revertedAt = revision;
}

/** J6: once, of what is settled and no reversal itself, by its mirror. */
function checkReversal(reverted: BookedTransaction, mirror: TransactionRecord, at: string): void {
  const { record } = imageOf(reverted);
  insist(reverted.revertedAt === undefined, `J6: ${at}: ${reverted.id} is reverted twice`);
  insist(record.status === 'APPROVED', `J6: ${at}: reverts what is ${record.status}`);
  insist(record.parentTransactionId === undefined, `J6: ${at}: reverts a reversal`);
  const moved = record.operations.filter(({ type }) => type !== 'ON_HOLD' && type !== 'RELEASE');
  const turned = moved.map((one) => lineOf(one, one.direction === 'debit' ? 'CREDIT' : 'DEBIT'));
  insist(sameLines(turned, mirror.operations.map(lineAsIs)), `J6: ${at}: is no mirror`);
}

function goOn(known: BookedTransaction, event: TransactionEvent, at: string): void {
  const { record: before } = imageOf(known);
  const after = event.data.transaction;
  const end = event.type === 'TransactionCommitted' || event.type === 'TransactionCanceled';
  const words = event.type === 'TransactionUpdated' || event.type === 'OperationUpdated';
  insist(end || words, `${at}: it is there already`);
  insist(fixedOf(before) === fixedOf(after), `${at}: changes what never changes`);
  if (end) {
    insist(before.status === 'PENDING', `J5: ${at}: it is ${before.status}`);
    insist(after.status === STATUS[event.type], `${at}: wrong status`);
    insist(after.awaiting === undefined, `${at}: still waits`);
  } else {
    insist(after.status === before.status, `${at}: its status changes`);
    insist(same(after.awaiting, before.awaiting), `${at}: other destinations wait`);
    insist(after.operations.length === before.operations.length, `${at}: other operations`);
  }
  if (event.type !== 'TransactionUpdated') {
    const kept = after.description === before.description && same(after.metadata, before.metadata);
    insist(kept, `${at}: its words were changed before, and are lost`);
  }
  const patched = event.type === 'OperationUpdated' ? event.data.operationId : undefined;
  before.operations.forEach((operation, n) => {
    const now = after.operations[n];
    if (now === undefined) throw new Error(`${at}: lacks an operation`);
    const kept = now.id === patched || wordsOf(operation, before) === wordsOf(now, after);
    insist(kept && bookedOf(operation) === bookedOf(now), `${at}: operation ${n} differs`);
  });
  if (end) checkEnd(before, event, at);
}

/** J5: a commit moves what was held to where it waits to go; a cancellation gives it back. */
function checkEnd(before: TransactionRecord, event: TransactionEvent, at: string): void {
  if (!('stepOperations' in event.data)) return;
  const { transaction, stepOperations } = event.data;
  const { operations, awaiting = [] } = before;
  insist(transaction.operations.length === operations.length + stepOperations, `${at}: its step`);
  const commits = event.type === 'TransactionCommitted';
  const due = operations.map((held) => lineOf(held, commits ? 'DEBIT' : 'RELEASE'));
  const arriving = commits ? awaiting.filter(({ amount }) => units(amount) !== 0n) : [];
  const booked = transaction.operations.slice(operations.length).map(lineAsIs);
  const expected = [...due, ...arriving.map((leg) => lineOf(leg, 'CREDIT'))];
  insist(sameLines(booked, expected), `J5: ${at}: books other lines than were held`);
}

/** What the event books: all operations of a first event, the last ones of an end, none of words. */
function stepOf(event: TransactionEvent): readonly OperationRecord[] {
  const { operations } = event.data.transaction;
  if ('stepOperations' in event.data) return operations.slice(-event.data.stepOperations);
  return event.type === 'TransactionPosted' || event.type === 'TransactionHeld' ? operations : [];
}

function move(ledger: BookedLedger, event: TransactionEvent, revision: number, at: string): void {
  const totals = { debit: 0n, credit: 0n };
  const { amount, awaiting = [] } = event.data.transaction;
  const commits = event.type === 'TransactionCommitted';
  for (const operation of stepOf(event)) {
    const account = ledger.accounts.get(operation.accountAlias);
    if (account?.id !== operation.accountId) throw new Error(`${at}: a posting to nobody`);
    totals[operation.direction] += units(operation.amount);
    const { blocked, closed } = account.stops.at(-1)!;
    const back = event.type === 'TransactionCanceled' && !closed;
    insist(back || !(blocked || closed), `${at}: ${account.alias} is blocked or closed`);
    moveOne(ledger, account, operation, commits, revision, at);
  }
  if (event.type === 'TransactionPosted' || commits) {
    insist(totals.debit === totals.credit, `J1: ${at}: does not balance`);
  }
  if (event.type === 'TransactionHeld') {
    const waiting = awaiting.reduce((sum, leg) => sum + units(leg.amount), 0n);
    insist(waiting === totals.debit && totals.credit === 0n, `J1: ${at}: does not balance`);
  }
  const moved = totals.debit + (event.type === 'TransactionCanceled' ? totals.credit : 0n);
  const silent = stepOf(event).length === 0;
  insist(silent || moved === units(amount), `J1: ${at}: moves ${moved}, says ${amount}`);
}

/** What an operation does to available and on hold: [of its amount, of its amount]. */
function effectOf({ type, direction }: OperationRecord, commits: boolean): [bigint, bigint] {
  switch (`${type} ${direction}`) {
    case 'ON_HOLD debit':
      return [-1n, 1n];
    case 'RELEASE credit':
      return [1n, -1n];
    case 'DEBIT debit':
      return commits ? [0n, -1n] : [-1n, 0n];
    case 'BLOCK debit':
    case 'UNBLOCK debit':
      return [-1n, 0n];
    case 'CREDIT credit':
    case 'BLOCK credit':
    case 'UNBLOCK credit':
      return [1n, 0n];
    default:
      throw new Error(`A ${type} books no ${direction}`);
  }
}

function moveOne(
  ledger: BookedLedger,
  account: BookedAccount,
  operation: OperationRecord,
  commits: boolean,
  revision: number,
  at: string,
): void {
  const who = `${at}, ${account.alias}`;
  const { balance, balanceAfter } = operation;
  const [ofAvailable, ofHold] = effectOf(operation, commits);
  const amount = units(operation.amount);
  const before = standingOf(account);
  const version = account.standings.length - 1;
  const available = before.available + (account.external ? -ofAvailable : ofAvailable) * amount;
  const onHold = before.onHold + ofHold * amount;
  insist(balance.version === version, `J3: ${who}: version ${balance.version} before`);
  insist(balanceAfter.version === version + 1, `J3: ${who}: version grows by one`);
  const chains =
    units(balance.available) === before.available && units(balance.onHold) === before.onHold;
  insist(chains, `J4: ${who}: does not chain`);
  const right =
    units(balanceAfter.available) === available && units(balanceAfter.onHold) === onHold;
  insist(right, `J4: ${who}: wrong balance after`);
  insist(available >= 0n || account.external, `J2: ${who}: falls below zero`);
  insist(onHold >= 0n, `J2: ${who}: holds less than nothing`);
  account.standings.push({ revision, available, onHold });
  const sum = ledger.sums.get(account.asset) ?? 0n;
  ledger.sums.set(account.asset, sum + (ofAvailable + ofHold) * amount);
}

type Line = Readonly<{ accountId: string; balanceKey: string; amount: string }>;
const lineOf = ({ accountId, balanceKey, amount }: Line, type: OperationRecord['type']): string =>
  `${type} ${accountId} ${balanceKey} ${units(amount)}`;
const lineAsIs = (operation: OperationRecord): string => lineOf(operation, operation.type);
const sameLines = (a: readonly string[], b: readonly string[]): boolean =>
  a.toSorted().join() === b.toSorted().join();

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

const fixedOf = (record: TransactionRecord): string =>
  without(record, ['status', 'description', 'metadata', 'awaiting', 'operations', 'updatedAt']);

const bookedOf = (operation: OperationRecord): string =>
  without(operation, ['description', 'metadata', 'status', 'createdAt', 'updatedAt']);

const without = (record: object, members: readonly string[]): string =>
  JSON.stringify(Object.entries(record).filter(([name]) => !members.includes(name)));

/** What a reader is shown of an operation beside what it booked. */
const wordsOf = (operation: OperationRecord, of: TransactionRecord): string =>
  JSON.stringify([
    operation.description ?? of.description ?? '',
    operation.metadata,
    operation.status ?? of.status,
    operation.createdAt ?? of.createdAt,
    operation.updatedAt ?? of.updatedAt,
  ]);
