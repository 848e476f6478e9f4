import type { BalanceState } from '#src/events/ledger/account.ts';
import type { OperationRecord, TransactionRecord } from '#src/events/ledger/transaction.ts';
import type { Version } from '#src/kernel/schema-fragments.ts';
import { transactionView } from './transaction.ts';

/**
 * Writes the response to a creation: `JSON.stringify(transactionView(record, { as: 'created', version }))`, byte for
 * byte. The record of a plain posting is written member by member, in two thirds of the time; any other is viewed.
 */
export const createdTransactionText = (record: TransactionRecord, version: Version): string =>
  plainText(record, version) ?? JSON.stringify(transactionView(record, { as: 'created', version }));

/** Returns undefined if the record or an operation has a member that a plain posting has not. */
export function plainText(record: TransactionRecord, version: Version): string | undefined {
  const { id, organizationId, ledgerId, description = '', status, amount, operations } = record;
  const { createdAt, updatedAt } = record;
  const members = record.description === undefined ? MEMBERS : MEMBERS + 1;
  if (status !== 'APPROVED' || count(record) !== members) return undefined;
  const words = JSON.stringify(description);
  const asset = JSON.stringify(record.assetCode);
  const source = JSON.stringify(record.source);
  const destination = JSON.stringify(record.destination);
  const places = `"organizationId":"${organizationId}","ledgerId":"${ledgerId}"`;
  const times = `"createdAt":"${createdAt}","updatedAt":"${updatedAt}","deletedAt":null`;
  const first = version === 1;

  const head = `"transactionId":"${id}","description":${words}`;
  const middle = `"assetCode":${asset},${first ? '"chartOfAccounts":"",' : ''}"amount":{"value":"`;
  const tail = `${places},"balanceAffected":true${first ? ',"route":""' : ''},"metadata":{},${times}}`;
  let list = '';
  for (const operation of operations) {
    if (count(operation) !== OPERATION_MEMBERS) return undefined;
    if (list !== '') list += ',';
    list += operationText(operation, head, middle, tail);
  }
  const sides = first
    ? `"chartOfAccountsGroupName":"","source":${source},"destination":${destination},"route":""`
    : `"debit":${source},"credit":${destination}`;
  return (
    `{"id":"${id}",${places},"description":${words},` +
    `"status":{"code":"CREATED","description":"CREATED"},"amount":"${amount}",` +
    `"assetCode":${asset},${sides},"feesSkipped":false,"tracerSkipped":false,${times},` +
    `"operations":[${list}]}`
  );
}

/** The three parts are the same for all operations of a transaction. Ids and amounts have nothing to escape. */
const operationText = (
  operation: OperationRecord,
  head: string,
  middle: string,
  tail: string,
): string =>
  `{"id":"${operation.id}",${head},"type":"${operation.type}",` +
  `"direction":"${operation.direction}",${middle}${operation.amount}"},` +
  `"balance":${stateText(operation.balance)},"balanceAfter":${stateText(operation.balanceAfter)},` +
  `"status":{"code":"APPROVED","description":"APPROVED"},"accountId":"${operation.accountId}",` +
  `"accountAlias":${JSON.stringify(operation.accountAlias)},"balanceId":"${operation.balanceId}",` +
  `"balanceKey":${JSON.stringify(operation.balanceKey)},${tail}`;

const stateText = ({ available, onHold, version, overdraftUsed }: BalanceState): string =>
  `{"available":"${available}","onHold":"${onHold}","version":${String(version)},` +
  `"overdraftUsed":"${overdraftUsed}"}`;

function count(record: object): number {
  let members = 0;
  for (const _ in record) members += 1;
  return members;
}

/** The members that every record has; a plain posting has no others but a description. */
const MEMBERS = 11;
const OPERATION_MEMBERS = 11;
