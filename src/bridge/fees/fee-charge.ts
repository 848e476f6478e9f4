import type { Definition } from '#src/bridge/definition.ts';
import { instant, uuid } from '#src/bridge/payload-members.ts';
import { payloadOf } from '#src/bridge/payload-schema.ts';
import type { TransactionEvent } from '#src/events/ledger/transaction.ts';

/**
 * The ledger charged a fee. It is published once for each transaction, when its funds are settled: a hold has not paid yet,
 * and a reversal names no package (contract events §6.3, P42).
 */
export const feeCharge: Definition = {
  key: 'fee-charge.applied',
  schemaVersion: '1.0.0',
  tail: 'fee_charge.applied',
  description: 'A transaction was posted with a fee that the ledger charged',
  payload: payloadOf({
    ...{ transactionId: uuid, organizationId: uuid, ledgerId: uuid, feePackageId: uuid },
    appliedAt: instant,
  }),
  subject: 'transactionId',
  partitionKey: 'parentTransactionId, or transactionId without one',
  enabled: true,
  types: ['TransactionPosted', 'TransactionCommitted'] satisfies TransactionEvent['type'][],
  emissions({ data, recordedAt }) {
    const { transaction } = data as TransactionEvent['data'];
    const { id, parentTransactionId, organizationId, ledgerId, feePackage } = transaction;
    if (feePackage?.charged !== true) return [];
    const payload = {
      ...{ transactionId: id, organizationId, ledgerId, feePackageId: feePackage.id },
      appliedAt: recordedAt,
    };
    return [{ subject: id, recordKey: parentTransactionId ?? id, payload }];
  },
};
