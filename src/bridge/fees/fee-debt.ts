import type { Definition } from '#src/bridge/definition.ts';
import { decimal, inLedger, instant, text, uuid } from '#src/bridge/payload-members.ts';
import { payloadOf } from '#src/bridge/payload-schema.ts';
import { DEBT_CHANGES, type DebtBalance, type FeeDebtChange } from '#src/events/ledger/fee-debt.ts';
import type { TransactionEvent } from '#src/events/ledger/transaction.ts';

const payload = payloadOf({
  ...{ ...inLedger, debtorBalance: text, creditBalance: text, originTransactionId: uuid },
  ...{ transactionId: uuid, assetCode: text, amount: decimal, remaining: decimal },
  ...{ occurredAt: instant, id: text },
});

/** The changes of fee debts, from the events of the transactions that made them (contract events §7). */
export const feeDebtChanges: readonly Definition[] = DEBT_CHANGES.map((kind) => ({
  key: `fee-debts.${kind}`,
  schemaVersion: '1.0.0',
  tail: `fee_debts.${kind}`,
  description: `A fee debt was ${kind}`,
  payload,
  subject: 'id',
  partitionKey: 'id',
  enabled: false,
  types: ['TransactionPosted', 'TransactionCommitted'] satisfies TransactionEvent['type'][],
  emissions({ data, recordedAt }) {
    const { transaction } = data as TransactionEvent['data'];
    const { id: transactionId, organizationId, ledgerId, feeDebts = [] } = transaction;
    return feeDebts.filter(isOf(kind)).map(({ amount, debt }) => ({
      subject: debt.id,
      recordKey: debt.id,
      part: debt.id,
      payload: {
        ...{ id: debt.id, organizationId, ledgerId },
        ...{ debtorBalance: nameOf(debt.debtor), creditBalance: nameOf(debt.creditor) },
        ...{ originTransactionId: debt.originTransactionId, transactionId },
        ...{ assetCode: debt.assetCode, amount, remaining: debt.remaining },
        occurredAt: recordedAt,
      },
    }));
  },
}));

const isOf =
  (wanted: FeeDebtChange['kind']) =>
  ({ kind }: FeeDebtChange): boolean =>
    kind === wanted;

const nameOf = ({ alias, key }: DebtBalance): string => `${alias}#${key}`;
