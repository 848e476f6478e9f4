import {
  OPERATION,
  STATE,
  TRANSACTION,
  type CompactMembers,
  type RecordShape,
} from './compact-form.ts';
import { isPart, ordinalOf, type Uuid } from './ids.ts';

/**
 * Returns the data of a TransactionPosted as text of schema version 2. Returns undefined unless the record is in the usual
 * form, down to the order of its members: what wholePosting makes of the text has to be `data`, byte for byte. A record
 * with a text that JSON escapes is not, so that readers may scan for quotation marks.
 */
export function compactPosting(data: object): string | undefined {
  for (const name in data) if (name !== 'transaction') return undefined;
  const { transaction } = data as Readonly<{ transaction: WholePosting }>;
  let more = optionsIn(transaction, TRANSACTION);
  if (more === undefined || transaction.status !== 'APPROVED') return undefined;

  const { id, organizationId, ledgerId, amount, assetCode, createdAt, updatedAt } = transaction;
  const { source, destination, operations } = transaction;
  const postings: unknown[] = [];
  for (const operation of operations) {
    const posting = compactOperation(operation, id, postings.length + 1);
    if (posting === undefined) return undefined;
    postings.push(posting);
  }
  if (!areAliases(source, operations, 'debit')) more = { ...more, source };
  if (!areAliases(destination, operations, 'credit')) more = { ...more, destination };
  if (updatedAt !== createdAt) more = { ...more, updatedAt };
  const posted = [id, organizationId, ledgerId, createdAt, assetCode, amount];
  const text = JSON.stringify(more === NO_MORE ? { posted, postings } : { posted, postings, more });
  return text.includes('\\') ? undefined : text;
}

function compactOperation(operation: Booked, id: Uuid, ordinal: number): unknown[] | undefined {
  let more = optionsIn(operation, OPERATION);
  const { type, direction, origin, amount, accountId, accountAlias, balanceId } = operation;
  const { balanceKey, balance, balanceAfter } = operation;
  const side = type === 'DEBIT' && direction === 'debit' ? 'D' : 'C';
  if (side === 'C' && !(type === 'CREDIT' && direction === 'credit')) return undefined;
  const nth = ordinalOf(balanceId);
  if (
    more === undefined ||
    !isPart(operation.id, id, ordinal) ||
    !isPart(balanceId, accountId, nth) ||
    !isNext(balance, balanceAfter)
  ) {
    return undefined;
  }

  if (origin !== 'request') more = { ...more, origin };
  if (nth !== 1 || balanceKey !== 'default') more = { ...more, balance: [nth, balanceKey] };
  if (balance.onHold !== '0') more = { ...more, onHold: balance.onHold };
  const [before, { available: after, version }] = [balance.available, balanceAfter];
  return more === NO_MORE
    ? [side, accountId, accountAlias, amount, before, after, version]
    : [side, accountId, accountAlias, amount, before, after, version, more];
}

/** Returns whether two states differ in what is available and in the version only, and nothing is owed. */
const isNext = (before: State, after: State): boolean =>
  optionsIn(before, STATE) !== undefined &&
  optionsIn(after, STATE) !== undefined &&
  before.version === after.version - 1 &&
  before.onHold === after.onHold &&
  before.overdraftUsed === '0' &&
  after.overdraftUsed === '0';

/** Returns whether a list has the aliases of one side, in the order of the operations. */
function areAliases(
  aliases: readonly string[],
  operations: readonly Booked[],
  side: Booked['direction'],
): boolean {
  let at = 0;
  for (const { direction, accountAlias } of operations) {
    if (direction !== side) continue;
    if (aliases[at] !== accountAlias) return false;
    at += 1;
  }
  return at === aliases.length;
}

/** Returns the optional members of a record; undefined if it does not have exactly the members of the shape, in order. */
function optionsIn(record: object, { names, isOptional }: RecordShape): CompactMembers | undefined {
  const members = record as CompactMembers;
  let options: Record<string, unknown> | undefined;
  let at = 0;
  for (const name in members) {
    while (names[at] !== name && isOptional[at] === true) at += 1;
    if (names[at] !== name) return undefined;
    if (isOptional[at] === true) {
      const value = members[name];
      if (value === undefined) return undefined;
      (options ??= {})[name] = value;
    }
    at += 1;
  }
  while (isOptional[at] === true) at += 1;
  return at === names.length ? (options ?? NO_MORE) : undefined;
}

const NO_MORE: CompactMembers = {};

/** The members of the records that are looked at, as src/events/ledger/transaction.ts declares them. */
type WholePosting = Readonly<
  Record<'id' | 'organizationId' | 'ledgerId', Uuid> &
    Record<'status' | 'amount' | 'assetCode' | 'createdAt' | 'updatedAt', string> & {
      source: readonly string[];
      destination: readonly string[];
      operations: readonly Booked[];
    }
>;
type Booked = Readonly<
  Record<'id' | 'accountId' | 'balanceId', Uuid> &
    Record<'type' | 'direction' | 'origin' | 'amount' | 'accountAlias' | 'balanceKey', string> & {
      balance: State;
      balanceAfter: State;
    }
>;
type State = Readonly<
  Record<'available' | 'onHold' | 'overdraftUsed', string> & { version: number }
>;
