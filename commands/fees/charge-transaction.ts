import { refuse } from '#src/events/fees/refusals.ts';
import type { FeeCharge, TransactionToCharge } from '#src/kernel/fee-charge.ts';
import { applicablePackage, sharedSegment } from './calculation/applicable-package.ts';
import { chargeFees } from './calculation/charge-fees.ts';
import type { PreparedPackage } from './calculation/prepared-package.ts';
import { feeMetadata } from './calculation/transaction-with-fees.ts';

/**
 * Calculates the fees of a transaction that a ledger posts, among the packages of the ledger and without rounding (contract
 * registry-and-fees §B8); undefined if no package applies. Errors: FEE_PACKAGES_AMBIGUOUS, FEE_DEDUCTION_TOO_LARGE,
 * FEE_NOT_COMPUTABLE, FEE_CREDIT_ACCOUNT_NOT_FOUND.
 */
export function chargeTransaction(
  packages: readonly PreparedPackage[],
  transaction: TransactionToCharge,
): FeeCharge | undefined {
  if (packages.length === 0) return undefined;
  const segmentId = sharedSegment(transaction.from);
  const applied = applicablePackage(packages, { ...transaction, segmentId });
  if (applied === undefined) return undefined;
  const charged = chargeFees(applied, transaction, undefined);
  for (const { alias } of charged.feesTo) {
    if (transaction.hasAccount(alias)) continue;
    const detail = `The ledger has no account ${alias}, which a fee of the package is credited to.`;
    throw refuse('FEE_CREDIT_ACCOUNT_NOT_FOUND', detail);
  }
  const { value, to, feesFrom, feesTo, isCharged } = charged;
  const metadata = feeMetadata(applied.id, charged, false);
  return { packageId: applied.id, isCharged, metadata, value, to, feesFrom, feesTo };
}
