import { expect } from 'chai';
import { hash } from 'node:crypto';
import type { Consumed } from '../kafka.ts';
import { SOURCE } from './cluster.ts';
import type { Posted } from './money.ts';

/* Contract events §2 and §6.5, P23 and P27, written down a second time, for a plain transfer. */

/** The record of `transaction.posted`: its headers and its payload, all of them. */
export function expectPosted(record: Consumed | undefined, platform: string, of: Posted): void {
  const { transaction } = of;
  const { id, organizationId, ledgerId, assetCode, amount, createdAt, updatedAt } = transaction;
  const aliasOf = (type: string) =>
    transaction.operations.find((operation) => operation.type === type)?.accountAlias;
  const status = { code: 'APPROVED', description: 'APPROVED' };
  expect(record).to.include({ key: id });
  expect(record?.headers).to.deep.equal(headersOf(platform, 'transaction.posted', of, id));
  expect(JSON.parse(record?.value ?? '')).to.deep.equal({
    ...{ id, organizationId, ledgerId, status, amount, assetCode },
    source: [aliasOf('DEBIT')],
    destination: [aliasOf('CREDIT')],
    operations: transaction.operations.map((operation) => ({
      ...{ id: operation.id, transactionId: id, description: '', type: operation.type },
      ...{ assetCode, chartOfAccounts: '', amount: { value: operation.amount } },
      balance: stateOf(operation.balance),
      balanceAfter: stateOf(operation.balanceAfter),
      ...{ status, accountId: operation.accountId, accountAlias: operation.accountAlias },
      ...{ balanceKey: 'default', balanceId: operation.balanceId, organizationId, ledgerId },
      ...{ route: '', balanceAffected: true, direction: operation.type.toLowerCase() },
      ...{ routeId: '', routeCode: '', routeDescription: '', createdAt, updatedAt },
      ...{ deletedAt: null, metadata: {} },
    })),
    ...{ feesSkipped: false, tracerSkipped: false, createdAt, updatedAt },
  });
}

/** The record of `balance.changed` for one operation of it. */
export function expectChanged(
  record: Consumed | undefined,
  platform: string,
  of: Posted,
  operationNumber: number,
): void {
  const { transaction, recordedAt } = of;
  const { id, organizationId, ledgerId, assetCode } = transaction;
  const operation = transaction.operations[operationNumber]!;
  const { available, onHold, version } = operation.balanceAfter;
  expect(record).to.include({ key: operation.balanceId });
  expect(record?.headers).to.deep.equal(
    headersOf(platform, 'balance.changed', of, `${id}:${operation.id}`, operation.id),
  );
  expect(JSON.parse(record?.value ?? '')).to.deep.equal({
    ...{ organizationId, ledgerId, accountId: operation.accountId },
    ...{ balanceId: operation.balanceId, alias: operation.accountAlias, assetCode },
    ...{ balanceKey: 'default', available, onHold, version },
    reason: operation.type.toLowerCase(),
    operationType: operation.type,
    direction: operation.type.toLowerCase(),
    amount: operation.amount,
    ...{ transactionId: id, operationId: operation.id, occurredAt: recordedAt },
  });
}

const stateOf = ({ available, onHold, version }: Readonly<Record<string, unknown>>) => ({
  ...{ available, onHold, version },
});

function headersOf(
  platform: string,
  key: string,
  { eventId, recordedAt }: Posted,
  subject: string,
  part = '',
): Record<string, string> {
  const [resource = '', event = ''] = key.split('.');
  const bits = BigInt(`0x${hash('sha256', `${eventId}\n${key}\n${part}`).slice(0, 20)}`) >> 6n;
  const ms = BigInt(Date.parse(recordedAt));
  const uuid = (ms << 80n) | (7n << 76n) | ((bits >> 62n) << 64n) | (2n << 62n) | (bits & LOW);
  const hex = uuid.toString(16).padStart(32, '0');
  return {
    'ce-specversion': '1.0',
    'ce-id': hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
    'ce-source': SOURCE,
    'ce-type': `studio.${platform}.${key}`,
    'ce-time': recordedAt,
    'ce-resourcetype': resource,
    'ce-eventtype': event,
    'ce-schemaversion': '1.0.0',
    'ce-subject': subject,
    'ce-datacontenttype': 'application/json',
  };
}

const LOW = (1n << 62n) - 1n;
