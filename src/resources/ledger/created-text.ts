import type { BalanceState } from '#src/events/ledger/account.ts';
import type { OperationRecord, TransactionRecord } from '#src/events/ledger/transaction.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { Version } from '#src/kernel/schema-fragments.ts';
import { transactionView } from './transaction.ts';

/** A response as text; `isAscii` is true if it is known to have ASCII characters only. */
export type CreatedText = Readonly<{ text: string; isAscii: boolean }>;

/**
 * Writes the response to a creation: `JSON.stringify(transactionView(record, { as: 'created', version }))`, byte for
 * byte. The record of a plain posting is written member by member, in two thirds of the time; any other is viewed.
 */
export const createdText = (record: TransactionRecord, version: Version): CreatedText =>
  plainText(record, version) ?? {
    text: JSON.stringify(transactionView(record, { as: 'created', version })),
    isAscii: false,
  };

/**
 * Returns undefined if the record or an operation has a member that a plain posting has not. The fewer pieces the text is
 * concatenated from, the less it costs to write: what is the same for most postings is one piece.
 */
export function plainText(record: TransactionRecord, version: Version): CreatedText | undefined {
  const { id, organizationId, ledgerId, description = '', status, amount, operations } = record;
  const { createdAt, updatedAt } = record;
  const members = record.description === undefined ? MEMBERS : MEMBERS + 1;
  if (status !== 'APPROVED' || count(record) !== members) return undefined;
  const isAscii = hasUsualWords(record);
  const quote: Quote = isAscii ? inQuotes : JSON.stringify;
  const words = quote(description);
  const asset = quote(record.assetCode);
  const source = listText(record.source, quote);
  const destination = listText(record.destination, quote);
  const places = placesText(organizationId, ledgerId);
  const times = `"createdAt":"${createdAt}","updatedAt":"${updatedAt}","deletedAt":null`;
  const first = version === 1;

  const head = `"transactionId":"${id}","description":${words}`;
  const middle = `"assetCode":${asset},${first ? '"chartOfAccounts":"",' : ''}"amount":{"value":"`;
  const tail = `${places},"balanceAffected":true${first ? ',"route":""' : ''},"metadata":{},${times}}`;
  let list = '';
  for (const operation of operations) {
    if (count(operation) !== OPERATION_MEMBERS) return undefined;
    if (list !== '') list += ',';
    list += operationText(operation, quote, head, middle, tail);
  }
  const sides = first
    ? `"chartOfAccountsGroupName":"","source":${source},"destination":${destination},"route":""`
    : `"debit":${source},"credit":${destination}`;
  const text =
    `{"id":"${id}",${places},"description":${words},` +
    `"status":{"code":"CREATED","description":"CREATED"},"amount":"${amount}",` +
    `"assetCode":${asset},${sides},"feesSkipped":false,"tracerSkipped":false,${times},` +
    `"operations":[${list}]}`;
  return { text, isAscii };
}

/** The three parts are the same for all operations of a transaction. Ids and amounts have nothing to escape. */
const operationText = (
  operation: OperationRecord,
  quote: Quote,
  head: string,
  middle: string,
  tail: string,
): string =>
  `{"id":"${operation.id}",${head},${effectText(operation)},${middle}${operation.amount}"},` +
  `"balance":${stateText(operation.balance)},"balanceAfter":${stateText(operation.balanceAfter)},` +
  `"status":{"code":"APPROVED","description":"APPROVED"},"accountId":"${operation.accountId}",` +
  `"accountAlias":${quote(operation.accountAlias)},"balanceId":"${operation.balanceId}",` +
  `"balanceKey":${quote(operation.balanceKey)},${tail}`;

function effectText({ type, direction }: OperationRecord): string {
  if (type === 'DEBIT' && direction === 'debit') return '"type":"DEBIT","direction":"debit"';
  if (type === 'CREDIT' && direction === 'credit') return '"type":"CREDIT","direction":"credit"';
  return `"type":"${type}","direction":"${direction}"`;
}

function stateText({ available, onHold, version, overdraftUsed }: BalanceState): string {
  const number = String(version);
  return onHold === '0' && overdraftUsed === '0'
    ? `{"available":"${available}","onHold":"0","version":${number},"overdraftUsed":"0"}`
    : `{"available":"${available}","onHold":"${onHold}","version":${number},` +
        `"overdraftUsed":"${overdraftUsed}"}`;
}

/** The last text is remembered, because transactions of one ledger follow each other. */
function placesText(organizationId: Uuid, ledgerId: Uuid): string {
  if (organizationId !== lastPlaces.organizationId || ledgerId !== lastPlaces.ledgerId) {
    const text = [`"organizationId":"${organizationId}"`, `"ledgerId":"${ledgerId}"`].join();
    lastPlaces = { organizationId, ledgerId, text };
  }
  return lastPlaces.text;
}
let lastPlaces = { organizationId: '', ledgerId: '', text: '' };

type Quote = (text: string) => string;

const inQuotes: Quote = (text) => `"${text}"`;

const listText = (texts: readonly string[], quote: Quote): string =>
  texts.length === 1 ? `[${quote(texts[0]!)}]` : `[${texts.map(quote).join(',')}]`;

/** Returns whether all words that clients chose are ASCII, with nothing that JSON escapes. */
const hasUsualWords = (record: TransactionRecord): boolean =>
  isUsual(record.description ?? '') &&
  isUsual(record.assetCode) &&
  record.source.every(isUsual) &&
  record.destination.every(isUsual) &&
  record.operations.every(
    ({ accountAlias, balanceKey }) =>
      isUsual(accountAlias) && (balanceKey === 'default' || isUsual(balanceKey)),
  );

const isUsual = (text: string): boolean => USUAL.test(text);
const USUAL = /^[ !#-[\]-~]*$/;

function count(record: object): number {
  let members = 0;
  for (const _ in record) members += 1;
  return members;
}

/** The members that every record has; a plain posting has no others but a description. */
const MEMBERS = 11;
const OPERATION_MEMBERS = 11;
