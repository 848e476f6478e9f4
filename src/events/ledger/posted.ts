import type { Uuid } from '#src/kernel/ids.ts';
import type { Instant } from '#src/kernel/instant.ts';
import type { BalanceState } from './account.ts';
import type { OperationRecord, TransactionPosted } from './transaction.ts';

/** What read models take from a transaction beside its text. */
export type Posted = Readonly<{
  id: Uuid;
  ledgerId: Uuid;
  parentTransactionId: Uuid | undefined;
  amount: string;
  assetCode: string;
  route: string | undefined;
  groupId: Uuid | undefined;
  createdAt: Instant;
  updatedAt: Instant;
  moves: readonly Move[];
  /** The record's own text, byte for byte; undefined when the event holds more than the record. */
  record: string | undefined;
}>;

export type Move = Readonly<
  Pick<
    OperationRecord,
    'type' | 'direction' | 'accountId' | 'accountAlias' | 'balanceId' | 'balanceKey'
  > & {
    before: Readonly<Pick<BalanceState, 'available' | 'onHold'>>;
    balanceAfter: BalanceState;
  }
>;

/**
 * Reads a TransactionPosted from its text. One as they mostly are is scanned, at a quarter of the cost of
 * parsing it whole, which is the largest cost of a projection outside its store; any other is parsed. The scan
 * accepts nothing that JSON would read differently: it follows the text member by member, and a quotation mark
 * inside a JSON string is always escaped, so no text of a client's can look like a member.
 * Errors: SyntaxError, TypeError for a damaged event.
 */
export function readPosted(text: string): Posted {
  if (text !== lastText) {
    lastPosted = scanned(text) ?? parsed(text);
    lastText = text;
  }
  return lastPosted;
}

/** Several read models take the same event one after the other. */
let lastText: string | undefined;
let lastPosted: Posted;

export function parsed(text: string): Posted {
  const data = JSON.parse(text) as TransactionPosted['data'];
  const { operations, ...transaction } = data.transaction;
  const { id, ledgerId, parentTransactionId, groupId, amount, assetCode, route } = transaction;
  const alone = Object.keys(data).length === 1 && text.startsWith(OPENING);
  return {
    id,
    ledgerId,
    parentTransactionId,
    groupId,
    amount,
    assetCode,
    route,
    createdAt: transaction.createdAt,
    updatedAt: transaction.updatedAt,
    moves: operations.map(moveOf),
    record: alone ? recordIn(text) : undefined,
  };
}

export function moveOf({
  type,
  direction,
  accountId,
  accountAlias,
  balanceId,
  balanceKey,
  balance,
  balanceAfter,
}: OperationRecord): Move {
  const { available, onHold, version, overdraftUsed } = balanceAfter;
  return {
    ...{ type, direction, accountId, accountAlias, balanceId, balanceKey },
    before: { available: balance.available, onHold: balance.onHold },
    balanceAfter: { available, onHold, version, overdraftUsed },
  };
}

/** Undefined for a text that is not exactly of the usual form. */
export function scanned(text: string): Posted | undefined {
  HEAD.lastIndex = 0;
  const head = HEAD.exec(text);
  const list = text.indexOf(OPERATIONS, HEAD.lastIndex);
  if (head === null || list < 0) return undefined;

  const moves: Move[] = [];
  OPERATION.lastIndex = list + OPERATIONS.length;
  for (;;) {
    const at = OPERATION.exec(text);
    if (at === null) return undefined;
    moves.push(moveIn(at));
    if (at[13] === ']') break;
  }
  TAIL.lastIndex = OPERATION.lastIndex;
  const tail = TAIL.exec(text);
  if (tail === null) return undefined;
  const routeText = head[7];
  return {
    id: head[1] as Uuid,
    ledgerId: head[2] as Uuid,
    parentTransactionId: head[3] as Uuid | undefined,
    groupId: head[4] as Uuid | undefined,
    amount: head[5]!,
    assetCode: head[6]!,
    route: routeText === undefined ? undefined : (JSON.parse(routeText) as string),
    createdAt: tail[1] as Instant,
    updatedAt: tail[2] as Instant,
    moves,
    record: recordIn(text),
  };
}

/** By their places: to take a match apart, and put pieces together by spreading them, costs as much as to match it. */
const moveIn = (at: RegExpExecArray): Move => ({
  type: at[1] as Move['type'],
  direction: at[2] as Move['direction'],
  accountId: at[3] as Uuid,
  accountAlias: at[4]!,
  balanceId: at[5] as Uuid,
  balanceKey: at[6]!,
  before: { available: at[7]!, onHold: at[8]! },
  balanceAfter: {
    available: at[9]!,
    onHold: at[10]!,
    version: Number(at[11]),
    overdraftUsed: at[12]!,
  },
});

/** A balance as an operation leaves it. */
export type Left = Pick<Move, 'accountId' | 'balanceId' | 'balanceAfter'>;

/**
 * What a fold takes of a transaction. It asks of the text what `scanned` asks, and keeps a third of it. Undefined for a
 * text that is not exactly of the usual form, and for the part of a group.
 */
export function balancesLeft(text: string): readonly Left[] | undefined {
  FOLDED_HEAD.lastIndex = 0;
  if (!FOLDED_HEAD.test(text)) return undefined;
  const list = text.indexOf(OPERATIONS, FOLDED_HEAD.lastIndex);
  if (list < 0) return undefined;

  const left: Left[] = [];
  FOLDED_OPERATION.lastIndex = list + OPERATIONS.length;
  for (;;) {
    const at = FOLDED_OPERATION.exec(text);
    if (at === null) return undefined;
    left.push(leftBy(at));
    if (at[7] === ']') break;
  }
  FOLDED_TAIL.lastIndex = FOLDED_OPERATION.lastIndex;
  return FOLDED_TAIL.test(text) ? left : undefined;
}

const leftBy = (at: RegExpExecArray): Left => ({
  accountId: at[1] as Uuid,
  balanceId: at[2] as Uuid,
  balanceAfter: {
    available: at[3]!,
    onHold: at[4]!,
    version: Number(at[5]),
    overdraftUsed: at[6]!,
  },
});

const OPENING = '{"transaction":';
const recordIn = (text: string): string => text.slice(OPENING.length, -1);

const OPERATIONS = '"operations":[';
const PLAIN = '[^"\\\\]*';
const value = (name: string): string => `"${name}":"(${PLAIN})"`;
const skipped = (name: string): string => `"${name}":"${PLAIN}"`;
/** Whatever a client wrote. */
const TEXT = '"[^"\\\\]*(?:\\\\.[^"\\\\]*)*"';
const TEXTS = `\\[(?:${TEXT},?)*\\]`;

/** What a leg may say for itself. Should the braces be those of a text, no member follows, and the scan ends. */
const OWN_WORDS =
  `(?:,"(?:description|chartOfAccounts|route|routeId|routeCode|routeDescription)":"${PLAIN}")*` +
  `(?:,"metadata":\\{[^{}]*\\})?`;

/** The text before the operations; what is not kept is only looked at. */
const headOf = (keep: typeof value, group: string): string =>
  `\\{"transaction":\\{${keep('id')},${skipped('organizationId')},${keep('ledgerId')},` +
  `(?:${keep('parentTransactionId')},)?${group}(?:"description":${TEXT},)?` +
  `${skipped('status')},${keep('amount')},${keep('assetCode')},` +
  `(?:"chartOfAccountsGroupName":${TEXT},)?(?:"code":${TEXT},)?"source":${TEXTS},` +
  `"destination":${TEXTS}`;
const operationOf = (keep: typeof value): string =>
  `\\{${skipped('id')},${keep('type')},${keep('direction')},${skipped('origin')},` +
  `${skipped('amount')},${value('accountId')},${keep('accountAlias')},${value('balanceId')},` +
  `${keep('balanceKey')},"balance":\\{${keep('available')},${keep('onHold')},"version":\\d+,` +
  `${skipped('overdraftUsed')}\\},` +
  `"balanceAfter":\\{${value('available')},${value('onHold')},"version":(\\d+),` +
  `${value('overdraftUsed')}\\}${OWN_WORDS}\\}([,\\]])`;
const tailOf = (keep: typeof value): string => `,${keep('createdAt')},${keep('updatedAt')}\\}\\}$`;

const HEAD = new RegExp(
  `${headOf(value, `(?:${value('groupId')},)?`)}(?:,"route":(${TEXT}))?`,
  'y',
);
const OPERATION = new RegExp(operationOf(value), 'y');
const TAIL = new RegExp(tailOf(value), 'y');
const FOLDED_HEAD = new RegExp(headOf(skipped, ''), 'y');
const FOLDED_OPERATION = new RegExp(operationOf(skipped), 'y');
const FOLDED_TAIL = new RegExp(tailOf(skipped), 'y');
