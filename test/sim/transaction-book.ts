import type {
  OperationRecord,
  TransactionEvent,
  TransactionRecord,
} from '#src/events/ledger/transaction.ts';
import { APART, apartOf, isPutAside, type TwoStepState } from './two-step-book.ts';
import {
  asOf,
  imageOf,
  isDebt,
  standingOf,
  units,
  wholeLegs,
  type BookedAccount,
  type BookedLedger,
  type BookedTransaction,
  type Standing,
  type WholeLeg,
} from './booked.ts';
import { assertThat } from './log-oracle.ts';

/** Books one event of a transaction. `passing`: whose debits an exception lets pass. Throws when it is not what may follow the ones before it. */
export function bookTransaction(
  ledger: BookedLedger,
  event: TransactionEvent,
  revision: number,
  passing?: string,
): void {
  const record = event.data.transaction;
  const at = `${ledger.journal} revision ${revision}, ${event.type} ${record.id}`;
  const known = ledger.transactions.get(record.id);
  if (known === undefined) {
    begin(ledger, event, revision, at);
    ledger.transactions.set(record.id, { id: record.id, images: [] });
  } else {
    goOn(known, event, at);
    if (event.type === 'TransactionCommitted') revert(ledger, record, revision, at);
  }
  move(ledger, event, { revision, passing }, at);
  for (const [asset, sum] of ledger.sums) {
    assertThat(sum === 0n, `${at}: the positions in ${asset} add up to ${sum}`);
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
  assertThat(starts, `${at}: of a transaction that is not there`);
  assertThat(
    transaction.status === STATUS[event.type as 'TransactionPosted'],
    `${at}: wrong status`,
  );
  if (event.type !== 'TransactionHeld') revert(ledger, transaction, revision, at);
}

/** A member of a group may be prepared first: it reverts when it is settled. */
function revert(
  ledger: BookedLedger,
  transaction: TransactionRecord,
  revision: number,
  at: string,
): void {
  const { parentTransactionId: parent } = transaction;
  if (parent === undefined) return;
  const reverted = ledger.transactions.get(parent);
  if (reverted === undefined) throw new Error(`${at}: reverts what is not there`);
  checkReversal(reverted, transaction, at);
  reverted.revertedAt = revision;
  reverted.reversalAt = revision;
}

/** J6: once, of what is settled and no reversal itself, by its mirror. */
function checkReversal(reverted: BookedTransaction, mirror: TransactionRecord, at: string): void {
  const { record } = imageOf(reverted);
  assertThat(reverted.revertedAt === undefined, `J6: ${at}: ${reverted.id} is reverted twice`);
  assertThat(record.status === 'APPROVED', `J6: ${at}: reverts what is ${record.status}`);
  assertThat(record.parentTransactionId === undefined, `J6: ${at}: reverts a reversal`);
  const moved = wholeLegs(record.operations).filter(
    ({ operation: { type } }) => type !== 'ON_HOLD' && type !== 'RELEASE',
  );
  const turned = moved.map(({ operation, whole }) =>
    lineOf(operation, operation.direction === 'debit' ? 'CREDIT' : 'DEBIT', whole),
  );
  const booked = wholeLegs(mirror.operations.filter(({ type }) => type !== 'ON_HOLD')).map(
    lineAsIs,
  );
  assertThat(sameLines(turned, booked), `J6: ${at}: is no mirror`);
}

function goOn(known: BookedTransaction, event: TransactionEvent, at: string): void {
  const { record: before } = imageOf(known);
  const after = event.data.transaction;
  const end = event.type === 'TransactionCommitted' || event.type === 'TransactionCanceled';
  const words = event.type === 'TransactionUpdated' || event.type === 'OperationUpdated';
  assertThat(end || words, `${at}: it is there already`);
  assertThat(fixedOf(before) === fixedOf(after), `${at}: changes what never changes`);
  if (end) {
    assertThat(before.status === 'PENDING', `J5: ${at}: it is ${before.status}`);
    assertThat(after.status === STATUS[event.type], `${at}: wrong status`);
    assertThat(after.awaiting === undefined, `${at}: still waits`);
  } else {
    assertThat(after.status === before.status, `${at}: its status changes`);
    assertThat(same(after.awaiting, before.awaiting), `${at}: other destinations wait`);
    assertThat(after.operations.length === before.operations.length, `${at}: other operations`);
  }
  if (event.type !== 'TransactionUpdated') {
    const kept = after.description === before.description && same(after.metadata, before.metadata);
    assertThat(kept, `${at}: its words were changed before, and are lost`);
  }
  const patched = event.type === 'OperationUpdated' ? event.data.operationId : undefined;
  before.operations.forEach((operation, n) => {
    const now = after.operations[n];
    if (now === undefined) throw new Error(`${at}: lacks an operation`);
    const kept = now.id === patched || wordsOf(operation, before) === wordsOf(now, after);
    assertThat(kept && bookedOf(operation) === bookedOf(now), `${at}: operation ${n} differs`);
  });
  if (end) checkEnd(before, event, at);
}

/** J5: a commit moves what was held to where it waits to go; a cancellation gives it back. */
function checkEnd(before: TransactionRecord, event: TransactionEvent, at: string): void {
  if (!('stepOperations' in event.data)) return;
  const { transaction, stepOperations } = event.data;
  const { operations, awaiting = [] } = before;
  assertThat(
    transaction.operations.length === operations.length + stepOperations,
    `${at}: its step`,
  );
  const commits = event.type === 'TransactionCommitted';
  const held = wholeLegs(operations).filter(({ operation }) => !isPutAside(operation));
  const step = transaction.operations.slice(operations.length);
  if (!commits) {
    const given = step.filter(({ direction }) => direction === 'credit');
    const back = given.map((one) => ({ operation: one, whole: units(one.amount) }));
    assertThat(sums(back) === sums(held), `J5: ${at}: gives back other amounts than were held`);
    return;
  }
  const due = held.map(({ operation, whole }) => lineOf(operation, 'DEBIT', whole));
  const arriving = awaiting.filter(({ amount }) => units(amount) !== 0n);
  const booked = wholeLegs(step).map(({ operation, whole }) => {
    return lineOf(operation, operation.type === 'ON_HOLD' ? 'DEBIT' : operation.type, whole);
  });
  const expected = [
    ...due,
    ...arriving.map((leg) => {
      return lineOf(leg, leg.direction === 'debit' ? 'DEBIT' : 'CREDIT', units(leg.amount));
    }),
  ];
  assertThat(sameLines(booked, expected), `J5: ${at}: books other lines than were held`);
}

/** What the event books: all operations of a first event, the last ones of an end, none of words. */
function stepOf(event: TransactionEvent): readonly OperationRecord[] {
  const { operations } = event.data.transaction;
  if ('stepOperations' in event.data) return operations.slice(-event.data.stepOperations);
  return event.type === 'TransactionPosted' || event.type === 'TransactionHeld' ? operations : [];
}

type When = Readonly<{
  revision: number;
  /** The account that an exception lets give, blocked or not. */
  passing: string | undefined;
}>;

function move(
  ledger: BookedLedger,
  event: TransactionEvent,
  { revision, passing }: When,
  at: string,
): void {
  const totals = { debit: 0n, credit: 0n };
  const { id, amount, groupId } = event.data.transaction;
  const before = ledger.transactions.get(id)?.images.at(-1)?.record;
  const { awaiting = [] } =
    event.type === 'TransactionHeld' ? event.data.transaction : (before ?? {});
  /** What is debited without a hold. */
  const outside = sumOf(awaiting.filter(({ direction }) => direction === 'debit'));
  const commits = event.type === 'TransactionCommitted';
  // What all ledgers of a group have decided is not stopped by what came since.
  const decided = groupId !== undefined && event.type !== 'TransactionHeld';
  const step = stepOf(event);
  const apart = apartOf(event, before);
  for (const [n, operation] of step.entries()) {
    const account = ledger.accounts.get(operation.accountAlias);
    if (account?.id !== operation.accountId) throw new Error(`${at}: a posting to nobody`);
    if (!isPutAside(operation)) totals[operation.direction] += units(operation.amount);
    const { blocked, closed } = account.stops.at(-1)!;
    const back = (event.type === 'TransactionCanceled' || decided) && !closed;
    const passes = account.alias === passing && operation.direction === 'debit' && !closed;
    const free = back || passes || !(blocked || closed);
    assertThat(free, `${at}: ${account.alias} is blocked or closed`);
    const about = isDebt(operation) ? step[n - 1] : step[n + 1];
    const held = commits && !account.external;
    moveOne(ledger, account, { operation, about, commits: held, apart }, revision, at);
  }
  if (event.type === 'TransactionPosted' || commits) {
    assertThat(totals.debit === totals.credit, `J1: ${at}: does not balance`);
  }
  if (event.type === 'TransactionHeld') {
    const waiting = sumOf(awaiting.filter(({ direction }) => direction !== 'debit'));
    const given = totals.debit + outside;
    assertThat(waiting === given && totals.credit === 0n, `J1: ${at}: does not balance`);
  }
  const moved = event.type === 'TransactionCanceled' ? totals.credit : totals.debit;
  const silent = step.length === 0;
  const whole = event.type === 'TransactionPosted' || commits ? moved : moved + outside;
  assertThat(silent || whole === units(amount), `J1: ${at}: moves ${moved}, says ${amount}`);
}

const sumOf = (legs: readonly Readonly<{ amount: string }>[]): bigint =>
  legs.reduce((sum, leg) => sum + units(leg.amount), 0n);

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
    case 'OVERDRAFT debit':
      return [-1n, 0n];
    case 'CREDIT credit':
    case 'BLOCK credit':
    case 'UNBLOCK credit':
    case 'OVERDRAFT credit':
      return [1n, 0n];
    default:
      throw new Error(`A ${type} books no ${direction}`);
  }
}

/** An operation of a step, and the one of the other balance that goes with it, if it does. */
type Moved = Readonly<{
  operation: OperationRecord;
  about: OperationRecord | undefined;
  commits: boolean;
  apart: TwoStepState | undefined;
}>;

function moveOne(
  ledger: BookedLedger,
  account: BookedAccount,
  { operation, about, commits, apart }: Moved,
  revision: number,
  at: string,
): void {
  const debt = isDebt(operation);
  const who = `${at}, ${account.alias}${debt ? '#overdraft' : ''}`;
  const standings = debt ? account.companion?.standings : account.standings;
  const before = standings?.at(-1);
  if (before === undefined || standings === undefined) throw new Error(`${who} owes on nothing`);
  const same = before.live && before.balanceId === operation.balanceId;
  assertThat(same, `${who}: moves ${operation.balanceId}, which is not there`);
  const { balance, balanceAfter } = operation;
  const [ofAvailable, ofHold] =
    (apart && APART[apart][`${operation.type} ${operation.direction}`]) ??
    (debt && operation.type === 'DEBIT' ? NO_LONGER_HELD : effectOf(operation, commits));
  const amount = units(operation.amount);
  const { version } = before;
  const mirrored = before.direction === 'debit';
  const available = before.available + (mirrored ? -ofAvailable : ofAvailable) * amount;
  const onHold = before.onHold + ofHold * amount;
  const owed = debt ? 0n : before.owed + drawnBy(operation, about, apart);
  assertThat(balance.version === version, `J3: ${who}: version ${balance.version} before`);
  assertThat(balanceAfter.version === version + 1, `J3: ${who}: version grows by one`);
  const chains =
    units(balance.available) === before.available && units(balance.onHold) === before.onHold;
  assertThat(chains, `J4: ${who}: does not chain`);
  const right =
    units(balanceAfter.available) === available && units(balanceAfter.onHold) === onHold;
  assertThat(right, `J4: ${who}: wrong balance after`);
  assertThat(available >= 0n || account.external, `J2: ${who}: falls below zero`);
  assertThat(onHold >= 0n, `J2: ${who}: holds less than nothing`);
  const credited = operation.direction === 'credit' && operation.type !== 'RELEASE';
  if (mirrored && credited && !debt && !account.external && apart !== 'canceled') {
    assertThat(available >= onHold, `J2: ${who}: is credited what it has on hold`);
  }
  const after = { ...before, revision, version: version + 1, available, onHold, owed };
  if (debt) checkShown(account, after, operation, about, who);
  else checkOwed(account, before, after, operation, { who, apart });
  standings.push(after);
  const sum = ledger.sums.get(account.asset) ?? 0n;
  ledger.sums.set(account.asset, sum + (ofAvailable + ofHold) * amount);
}

const NO_LONGER_HELD = [0n, -1n] as const;

/** How much more an account owes by what follows its operation: what is only settled of a hold is owed already. */
function drawnBy(
  operation: OperationRecord,
  next: OperationRecord | undefined,
  apart: TwoStepState | undefined,
): bigint {
  const isOver = apart === 'committed' || apart === 'canceled';
  if (isOver && (operation.type === 'ON_HOLD' || operation.type === 'RELEASE')) return 0n;
  const takesOver = next !== undefined && isDebt(next) && next.accountId === operation.accountId;
  if (!takesOver || next.type === 'DEBIT') return 0n;
  return next.direction === 'debit' ? units(next.amount) : -units(next.amount);
}

/** Nothing more is owed while there are funds, or beyond what is allowed. */
function checkOwed(
  { allowances, external }: BookedAccount,
  before: Standing,
  { owed, available, revision }: Standing,
  { type, direction, amount, balance, balanceAfter }: OperationRecord,
  { who, apart }: Readonly<{ who: string; apart: TwoStepState | undefined }>,
): void {
  const comesBack = type === 'RELEASE' || apart === 'held' || apart === 'canceled';
  const arrives = direction === 'credit' && !comesBack;
  const first = !arrives || owed === 0n || units(amount) === 0n;
  assertThat(first, `${who}: has funds before it has repaid`);
  const says = units(balance.overdraftUsed) === before.owed;
  assertThat(says && units(balanceAfter.overdraftUsed) === owed, `J4: ${who}: owes another amount`);
  assertThat(owed >= 0n, `J2: ${who}: owes less than nothing`);
  if (owed <= before.owed) return;
  assertThat(available === 0n && !external, `${who}: owes more while it has funds`);
  const { allowed, limit } = asOf(allowances, revision);
  assertThat(allowed && (limit === undefined || owed <= limit), `${who}: owes more than it may`);
}

/** The other balance shows just what is owed, right after the operation that owes it. */
function checkShown(
  account: BookedAccount,
  { available }: Standing,
  { balance, balanceAfter, accountId }: OperationRecord,
  last: OperationRecord | undefined,
  who: string,
): void {
  assertThat(last?.accountId === accountId && !isDebt(last), `${who}: moves by itself`);
  assertThat(available === standingOf(account).owed, `${who}: shows another debt`);
  const repeats =
    balance.overdraftUsed === last?.balance.overdraftUsed &&
    balanceAfter.overdraftUsed === last.balanceAfter.overdraftUsed;
  assertThat(repeats, `${who}: repeats another debt`);
}

type Line = Readonly<{ accountId: string; balanceKey: string }>;
const lineOf = (
  { accountId, balanceKey }: Line,
  type: OperationRecord['type'],
  whole: bigint,
): string => `${type} ${accountId} ${balanceKey} ${whole}`;
const lineAsIs = ({ operation, whole }: WholeLeg): string =>
  lineOf(operation, operation.type, whole);

/** By account, in one text. */
function sums(legs: readonly WholeLeg[]): string {
  const found = new Map<string, bigint>();
  for (const { operation, whole } of legs) {
    found.set(operation.accountId, (found.get(operation.accountId) ?? 0n) + whole);
  }
  return [...found].sort().join();
}

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
