import type { TransactionRecord } from '#src/events/ledger/transaction.ts';
import type { Version } from '#src/kernel/schema-fragments.ts';
import { transactionView } from './transaction.ts';

/**
 * Makes the text of a stored transaction's view from the record's own text, which makes a page of a hundred more than
 * twice as fast as parsing and stringifying. A record in another form than deciders write is parsed. Either way the
 * result is `JSON.stringify(transactionView(record, { as: 'stored', version }))`, byte for byte, since JSON.stringify
 * wrote both texts.
 */
export const storedTransactionText = (record: string, version: Version): string =>
  rewritten(record, version) ??
  JSON.stringify(
    transactionView(JSON.parse(record) as TransactionRecord, { as: 'stored', version }),
  );

/** Returns undefined for a record in another form. */
export function rewritten(record: string, version: Version): string | undefined {
  HEAD.lastIndex = 0;
  const head = HEAD.exec(record);
  if (head === null) return undefined;
  const [, id = '', organization = '', ledger = '', parent, groupId, description = '""'] = head;
  const [status = '', amount = '', asset = '', group = '""', source = '', destination = ''] =
    head.slice(7);
  const [route = '""', routeId, scheme, feesSkipped, tracerSkipped, metadata] = head.slice(13);
  const first = version === 1;

  const all = record.slice(record.lastIndexOf(CREATED));
  const tail = TAIL.exec(all);
  if (tail === null) return undefined;
  const [, times = ''] = tail;
  const statusText = `{"code":${status},"description":${status}}`;
  const places = `"organizationId":${organization},"ledgerId":${ledger}`;

  let operations = '';
  OPERATION.lastIndex = HEAD.lastIndex;
  for (;;) {
    const at = OPERATION.exec(record);
    if (at === null) return undefined;
    const [, opId = '', kind = '', value = '', account = '', balanceRef = ''] = at;
    const [balance = '', balanceAfter = '', words = description, chart = '""'] = at.slice(6);
    const [opRoute = '""', opRouteId, opMetadata = '{}', mark] = at.slice(10);
    operations +=
      `{"id":${opId},"transactionId":${id},"description":${words},${kind},"assetCode":${asset},` +
      (first ? `"chartOfAccounts":${chart},` : '') +
      `"amount":{"value":${value}},"balance":${balance},` +
      `"balanceAfter":${balanceAfter},"status":${statusText},${account},${balanceRef},${places},` +
      `"balanceAffected":true` +
      (first ? `,"route":${opRoute}` : '') +
      (opRouteId === undefined ? '' : `,"routeId":${opRouteId}`) +
      `,"metadata":${opMetadata},${times},"deletedAt":null}`;
    if (mark === ']') break;
    operations += ',';
  }
  if (OPERATION.lastIndex !== record.length - all.length) return undefined;

  return (
    `{"id":${id},${places}` +
    (parent === undefined ? '' : `,"parentTransactionId":${parent}`) +
    (groupId === undefined ? '' : `,"groupId":${groupId}`) +
    `,"description":${description},"status":${statusText},"amount":${amount},` +
    `"assetCode":${asset},` +
    (first
      ? `"chartOfAccountsGroupName":${group},"source":${source},"destination":${destination},` +
        `"route":${route}`
      : `"debit":${source},"credit":${destination}`) +
    (routeId === undefined ? '' : `,"routeId":${routeId}`) +
    (first || scheme === undefined ? '' : `,"scheme":${scheme}`) +
    `,"feesSkipped":${feesSkipped ?? 'false'},"tracerSkipped":${tracerSkipped ?? 'false'}` +
    (metadata === undefined ? '' : `,"metadata":${metadata}`) +
    `,${times},"deletedAt":null,"operations":[${operations}]}`
  );
}

const TEXT = '"[^"\\\\]*(?:\\\\.[^"\\\\]*)*"';
const SCALARS = `\\{(?:${TEXT}:(?:${TEXT}|[^"{},]+),?)*\\}`;
const TEXTS = `\\[(?:${TEXT},?)*\\]`;
const STATE = `\\{"available":${TEXT},"onHold":${TEXT},"version":\\d+,"overdraftUsed":${TEXT}\\}`;
const member = (name: string, form = TEXT): string => `"${name}":(${form})`;
const perhaps = (name: string, form = TEXT): string => `(?:${member(name, form)},)?`;
const orElse = (name: string, form = TEXT): string => `(?:,${member(name, form)})?`;

const HEAD = new RegExp(
  `\\{${member('id')},${member('organizationId')},${member('ledgerId')},` +
    `${perhaps('parentTransactionId')}${perhaps('groupId')}${perhaps('description')}` +
    `${member('status')},${member('amount')},${member('assetCode')},` +
    `${perhaps('chartOfAccountsGroupName')}(?:"code":${TEXT},)?${member('source', TEXTS)},` +
    `${member('destination', TEXTS)},${perhaps('route')}${perhaps('routeId')}` +
    `${perhaps('scheme')}${perhaps('feesSkipped', 'true')}${perhaps('tracerSkipped', 'true')}` +
    `(?:"feePackage":\\{[^{}]*\\},)?${perhaps('metadata', SCALARS)}"operations":\\[`,
  'y',
);
const OPERATION = new RegExp(
  `\\{${member('id')},("type":${TEXT},"direction":${TEXT}),"origin":${TEXT},${member('amount')},` +
    `("accountId":${TEXT},"accountAlias":${TEXT}),("balanceId":${TEXT},"balanceKey":${TEXT}),` +
    `${member('balance', STATE)},${member('balanceAfter', STATE)}(?:,"overdraftLimit":${TEXT})?${orElse('description')}` +
    `${orElse('chartOfAccounts')}${orElse('route')}${orElse('routeId')}` +
    `${orElse('metadata', SCALARS)}\\}([,\\]])`,
  'y',
);
const CREATED = ',"createdAt":';
const TAIL = new RegExp(`^,("createdAt":${TEXT},"updatedAt":${TEXT})\\}$`);
