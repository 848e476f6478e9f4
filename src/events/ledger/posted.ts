import { isCompact } from '#src/kernel/compact-form.ts';
import { ordinalOf, type Uuid } from '#src/kernel/ids.ts';
import type { Instant } from '#src/kernel/instant.ts';
import { compactLeft, compactPosted } from './compact-posted.ts';
import type { Left, Move, Posted } from './posted-parts.ts';
import type { OperationRecord, TransactionPosted } from './transaction.ts';

/**
 * Reads a TransactionPosted from its text. The usual form of schema version 1 is scanned, at a quarter of the cost of
 * parsing it whole, which is the largest cost of a projection outside its store; any other form is parsed. The scan
 * accepts nothing that JSON would read differently: it follows the text member by member, and a quotation mark inside a
 * JSON string is always escaped, so no text of a client can look like a member. Version 2 is read by compact-posted.ts.
 * Errors: SyntaxError, TypeError, Error for a damaged event.
 */
export function readPosted(text: string): Posted {
  if (text !== lastText) {
    lastPosted = isCompact(text) ? compactPosted(text) : (scanned(text) ?? parsed(text));
    lastText = text;
  }
  return lastPosted;
}

/** Several read models take the same event one after the other, so the last result is kept. */
let lastText: string | undefined;
let lastPosted: Posted;

export function parsed(text: string): Posted {
  const data = JSON.parse(text) as TransactionPosted['data'];
  const { operations, ...transaction } = data.transaction;
  const { id, ledgerId, parentTransactionId, groupId, amount, assetCode, route } = transaction;
  const { routeId, source } = transaction;
  return {
    id,
    ledgerId,
    parentTransactionId,
    groupId,
    amount,
    assetCode,
    route,
    routeId,
    routedFrom: route === undefined && routeId === undefined ? [] : source,
    createdAt: transaction.createdAt,
    updatedAt: transaction.updatedAt,
    moves: operations.map(moveOf),
    feeDebts: transaction.feeDebts,
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

/** Scans a text; undefined if it does not have exactly the usual form. */
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
  const [routeText, routeId] = [head[8], head[9]];
  const isRouted = routeText !== undefined || routeId !== undefined;
  return {
    id: head[1] as Uuid,
    ledgerId: head[2] as Uuid,
    parentTransactionId: head[3] as Uuid | undefined,
    groupId: head[4] as Uuid | undefined,
    amount: head[5]!,
    assetCode: head[6]!,
    route: routeText === undefined ? undefined : (JSON.parse(routeText) as string),
    routeId: routeId as Uuid | undefined,
    routedFrom: isRouted ? (JSON.parse(head[7]!) as readonly string[]) : [],
    createdAt: tail[1] as Instant,
    updatedAt: tail[2] as Instant,
    moves,
    feeDebts: undefined,
  };
}

/** Reads groups by number: named groups or destructuring would cost as much as the match itself. */
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

/**
 * Returns the balances that a transaction changed, for folding. It checks the text like `scanned` and keeps a third of
 * it. Undefined if the text does not have exactly the usual form, and for the part of a group, neither of which version 2
 * has. Errors: SyntaxError, Error for a damaged event.
 */
export function balancesLeft(text: string): readonly Left[] | undefined {
  if (isCompact(text)) return compactLeft(text);
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
  ordinal: ordinalOf(at[2] as Uuid),
  balanceAfter: {
    available: at[3]!,
    onHold: at[4]!,
    version: Number(at[5]),
    overdraftUsed: at[6]!,
  },
});

const OPERATIONS = '"operations":[';
const PLAIN = '[^"\\\\]*';
const value = (name: string): string => `"${name}":"(${PLAIN})"`;
const skipped = (name: string): string => `"${name}":"${PLAIN}"`;
/** A JSON string with any content that a client wrote. */
const TEXT = '"[^"\\\\]*(?:\\\\.[^"\\\\]*)*"';
const TEXTS = `\\[(?:${TEXT},?)*\\]`;

/** Optional members of a leg. If the braces are inside a string, no member follows and the scan fails. */
const OWN_WORDS =
  `(?:,"(?:overdraftLimit|description|chartOfAccounts|route|routeId|routeCode|routeDescription)":"${PLAIN}")*` +
  `(?:,"metadata":\\{[^{}]*\\})?`;

/** Matches the text before the operations; parts that are not kept are only matched. */
const headOf = (keep: typeof value, group: string, texts: string): string =>
  `\\{"transaction":\\{${keep('id')},${skipped('organizationId')},${keep('ledgerId')},` +
  `(?:${keep('parentTransactionId')},)?${group}(?:"description":${TEXT},)?` +
  `${skipped('status')},${keep('amount')},${keep('assetCode')},` +
  `(?:"chartOfAccountsGroupName":${TEXT},)?(?:"code":${TEXT},)?"source":${texts},` +
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
  headOf(value, `(?:${value('groupId')},)?`, `(${TEXTS})`) +
    `(?:,"route":(${TEXT}))?(?:,${value('routeId')})?`,
  'y',
);
const OPERATION = new RegExp(operationOf(value), 'y');
const TAIL = new RegExp(tailOf(value), 'y');
const FOLDED_HEAD = new RegExp(headOf(skipped, '', TEXTS), 'y');
const FOLDED_OPERATION = new RegExp(operationOf(skipped), 'y');
const FOLDED_TAIL = new RegExp(tailOf(skipped), 'y');
