import type { CompactOperation } from './compact-form.ts';
import { usualPosting, type UsualPosting } from './scan-posting.ts';
import { wholePosting } from './whole-posting.ts';

/**
 * Returns the text of the transaction in data of schema version 2. Without anything unusual it is written member by member,
 * in less than half of the time; the result is the same, byte for byte.
 */
export function postingText(data: string): string {
  const usual = usualPosting(data);
  return usual !== undefined ? usualText(usual) : JSON.stringify(wholePosting(data).transaction);
}

/** Nothing has to be escaped: a record with such a text is not compact. */
function usualText({ posted, postings, more: { description, metadata } }: UsualPosting): string {
  const [id, organizationId, ledgerId, createdAt, assetCode, amount] = posted;
  const whole = id.slice(0, -4);
  let [source, destination, operations, ordinal] = ['', '', '', 0];
  for (const posting of postings) {
    const alias = posting[2];
    if (posting[0] === 'D') source += source === '' ? `"${alias}"` : `,"${alias}"`;
    else destination += destination === '' ? `"${alias}"` : `,"${alias}"`;
    ordinal += 1;
    operations += `${ordinal === 1 ? '' : ','}{"id":"${whole}000${ordinal.toString(16)}",${operationText(posting)}}`;
  }
  return (
    `{"id":"${id}","organizationId":"${organizationId}","ledgerId":"${ledgerId}",` +
    (description === undefined ? '' : `"description":"${description}",`) +
    `"status":"APPROVED","amount":"${amount}","assetCode":"${assetCode}",` +
    `"source":[${source}],"destination":[${destination}],` +
    (metadata === undefined ? '' : `"metadata":${JSON.stringify(metadata)},`) +
    `"operations":[${operations}],` +
    `"createdAt":"${createdAt}","updatedAt":"${createdAt}"}`
  );
}

const operationText = (posting: CompactOperation): string => {
  const [side, accountId, accountAlias, amount, before, after, version] = posting;
  const how = side === 'D' ? '"type":"DEBIT","direction":"debit"' : CREDITED;
  return (
    `${how},"origin":"request","amount":"${amount}",` +
    `"accountId":"${accountId}","accountAlias":"${accountAlias}",` +
    `"balanceId":"${accountId.slice(0, -4)}0001","balanceKey":"default",` +
    `"balance":{"available":"${before}","onHold":"0","version":${version - 1},"overdraftUsed":"0"},` +
    `"balanceAfter":{"available":"${after}","onHold":"0","version":${version},"overdraftUsed":"0"}`
  );
};

const CREDITED = '"type":"CREDIT","direction":"credit"';
