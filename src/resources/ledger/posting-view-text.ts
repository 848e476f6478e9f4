import { recordedTransaction } from '#src/events/ledger/recorded-transaction.ts';
import type { CompactOperation } from '#src/kernel/compact-form.ts';
import { usualPosting, type UsualPosting } from '#src/kernel/scan-posting.ts';
import type { Version } from '#src/kernel/schema-fragments.ts';
import { storedTransactionText } from './transaction-text.ts';

/**
 * Makes the text of a stored transaction's view from the data of its last event. That of a usual posting is written from
 * its compact form, in a third of the time that its record takes, which has most texts twice and in another order. The
 * result is that of storedTransactionText, byte for byte. Errors: SyntaxError, Error for a damaged event.
 */
export function loggedTransactionText(data: string, version: Version): string {
  const usual = usualPosting(data);
  return usual === undefined
    ? storedTransactionText(recordedTransaction(data), version)
    : transactionText(usual, version);
}

/** Nothing has to be escaped: a record with such a text is not compact. */
function transactionText(posting: UsualPosting, version: Version): string {
  const { posted, postings, more } = posting;
  const [id, organizationId, ledgerId, createdAt, assetCode, amount] = posted;
  const { description = '', metadata } = more;
  const write = operationWriter(posting, version);
  let [source, destination, operations] = ['', '', ''];
  for (const [n, operation] of postings.entries()) {
    const alias = operation[2];
    if (operation[0] === 'D') source += source === '' ? `"${alias}"` : `,"${alias}"`;
    else destination += destination === '' ? `"${alias}"` : `,"${alias}"`;
    operations += n === 0 ? write(operation, 1) : `,${write(operation, n + 1)}`;
  }
  const sides =
    version === 1
      ? `"chartOfAccountsGroupName":"","source":[${source}],"destination":[${destination}],"route":""`
      : `"debit":[${source}],"credit":[${destination}]`;
  return (
    `{"id":"${id}","organizationId":"${organizationId}","ledgerId":"${ledgerId}",` +
    `"description":"${description}",${STATUS},"amount":"${amount}","assetCode":"${assetCode}",` +
    `${sides},"feesSkipped":false,"tracerSkipped":false,` +
    (metadata === undefined ? '' : `"metadata":${JSON.stringify(metadata)},`) +
    `"createdAt":"${createdAt}","updatedAt":"${createdAt}","deletedAt":null,` +
    `"operations":[${operations}]}`
  );
}

/** Writes the view of one operation of a usual posting; the ordinal counts from 1. */
export type OperationWriter = (operation: CompactOperation, ordinal: number) => string;

/** Prepares what all operations of a posting have in common, because the pieces of a text cost more than its characters. */
export function operationWriter({ posted, more }: UsualPosting, version: Version): OperationWriter {
  const [id, organizationId, ledgerId, createdAt, assetCode] = posted;
  const { description = '' } = more;
  const whole = `{"id":"${id.slice(0, -4)}000`;
  const ofTransaction = `","transactionId":"${id}","description":"${description}",`;
  const asset =
    version === 1
      ? `,"assetCode":"${assetCode}","chartOfAccounts":"","amount":{"value":"`
      : `,"assetCode":"${assetCode}","amount":{"value":"`;
  const end =
    `0001","balanceKey":"default","organizationId":"${organizationId}","ledgerId":"${ledgerId}",` +
    `"balanceAffected":true${version === 1 ? ',"route":""' : ''},"metadata":{},` +
    `"createdAt":"${createdAt}","updatedAt":"${createdAt}","deletedAt":null}`;

  return ([side, accountId, accountAlias, amount, before, after, balanceVersion], ordinal) =>
    `${whole}${ordinal.toString(16)}${ofTransaction}${side === 'D' ? DEBIT : CREDIT}${asset}${amount}"},` +
    `"balance":{"available":"${before}","onHold":"0","version":${balanceVersion - 1},"overdraftUsed":"0"},` +
    `"balanceAfter":{"available":"${after}","onHold":"0","version":${balanceVersion},"overdraftUsed":"0"},` +
    `${STATUS},"accountId":"${accountId}","accountAlias":"${accountAlias}",` +
    `"balanceId":"${accountId.slice(0, -4)}${end}`;
}

const STATUS = '"status":{"code":"APPROVED","description":"APPROVED"}';
const DEBIT = '"type":"DEBIT","direction":"debit"';
const CREDIT = '"type":"CREDIT","direction":"credit"';
