import type { OperationRecord, TransactionRecord } from '#src/events/ledger/transaction.ts';

/**
 * Writes the text that compactPosting makes of a plain posting, for a third of the cost: the form of the record is known.
 * Returns undefined if it has more than two operations, a description that JSON escapes, or anything unusual in a balance
 * or an alias.
 */
export function compactPlain(transaction: TransactionRecord): string | undefined {
  const { id, organizationId, ledgerId, description, amount, assetCode } = transaction;
  const [first, second, third] = transaction.operations;
  if (!isUsual(first) || !isUsual(second) || third !== undefined) return undefined;
  const more =
    description === undefined ? '' : `,"more":{"description":${JSON.stringify(description)}}`;
  if (more.includes('\\')) return undefined;
  return (
    `{"posted":["${id}","${organizationId}","${ledgerId}","${transaction.createdAt}",` +
    `"${assetCode}","${amount}"],"postings":[${compact(first)},${compact(second)}]${more}}`
  );
}

const isUsual = (operation: OperationRecord | undefined): operation is OperationRecord =>
  operation?.balanceKey === 'default' &&
  operation.balanceId.endsWith('0001') &&
  operation.balance.onHold === '0' &&
  USUAL_ALIAS.test(operation.accountAlias);

const compact = (operation: OperationRecord): string => {
  const { direction, accountId, accountAlias, amount, balance, balanceAfter } = operation;
  return (
    `["${direction === 'debit' ? 'D' : 'C'}","${accountId}","${accountAlias}","${amount}",` +
    `"${balance.available}","${balanceAfter.available}",${balanceAfter.version}]`
  );
};

/** JSON escapes none of these. */
const USUAL_ALIAS = /^[\w@:./-]*$/;
