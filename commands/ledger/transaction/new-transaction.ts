import { formatAmount } from '#src/kernel/amount.ts';
import type { Stamp } from '#src/kernel/decider.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { Instant } from '#src/kernel/instant.ts';
import type {
  AppliedFeePackage,
  AwaitingLeg,
  TransactionRecord,
} from '#src/events/ledger/transaction.ts';
import type { RunningDebts } from '#commands/ledger/fee-debts/running-debts.ts';
import type { Ledger } from '#commands/ledger/state/ledger-state.ts';
import { detailsOf } from './booking.ts';
import { aliasesOf, type Leg } from './legs.ts';
import type { SkippedSteps } from './prepare.ts';

/** The members that the record has only if the request, or the transaction that it reverts, has them. */
export type TransactionDetails = Readonly<{
  [
    Name in
      | 'parentTransactionId'
      | 'groupId'
      | 'description'
      | 'chartOfAccountsGroupName'
      | 'code'
      | 'route'
      | 'scheme'
      | 'metadata'
  ]?: TransactionRecord[Name] | undefined;
}>;

type NewTransaction = Pick<TransactionRecord, 'id' | 'status' | 'amount' | 'assetCode'> &
  Readonly<{
    details: TransactionDetails;
    routeId?: Uuid | undefined;
    skipped?: SkippedSteps | undefined;
    feePackage?: AppliedFeePackage | undefined;
    /** All legs, sources first. */
    legs: readonly Leg[];
    /** The legs that are booked later; absent for a transaction that settles at once. */
    awaiting?: readonly Leg[] | undefined;
    operations: TransactionRecord['operations'];
    /** The client's own date; absent for the moment of recording. */
    createdAt?: Instant;
  }>;

/** The record of a new transaction, its members in the order in which they are stored. */
export function newTransaction(
  { id: ledgerId, organizationId }: Ledger,
  { instant }: Stamp,
  {
    id,
    status,
    amount,
    assetCode,
    details,
    routeId,
    skipped,
    feePackage,
    ...booked
  }: NewTransaction,
): TransactionRecord {
  const { parentTransactionId, groupId, description, chartOfAccountsGroupName } = details;
  const { code, route, scheme, metadata } = details;
  const { legs, awaiting, operations, createdAt = instant } = booked;
  return {
    id,
    organizationId,
    ledgerId,
    ...(parentTransactionId !== undefined && { parentTransactionId }),
    ...(groupId !== undefined && { groupId }),
    ...(description !== undefined && { description }),
    status,
    amount,
    assetCode,
    ...(chartOfAccountsGroupName !== undefined && { chartOfAccountsGroupName }),
    ...(code !== undefined && { code }),
    source: aliasesOf(legs, 'debit'),
    destination: aliasesOf(legs, 'credit'),
    ...(route !== undefined && { route }),
    ...(routeId !== undefined && { routeId }),
    ...(scheme !== undefined && { scheme }),
    ...skipped,
    ...(feePackage !== undefined && { feePackage }),
    ...(metadata !== undefined && { metadata }),
    ...(awaiting !== undefined && { awaiting: awaiting.map(awaitingLeg) }),
    operations,
    createdAt,
    updatedAt: instant,
  };
}

/** Adds the changes of debts, if there are any; a record without them keeps the usual form. */
export function withDebtChanges(
  transaction: TransactionRecord,
  debts: Pick<RunningDebts, 'taken'>,
): TransactionRecord {
  const feeDebts = debts.taken();
  return feeDebts === undefined ? transaction : { ...transaction, feeDebts };
}

/** A leg without an amount is kept too: the request named it, although its commit books nothing. */
const awaitingLeg = ({
  direction,
  amount,
  account,
  balance,
  origin,
  details,
}: Leg): AwaitingLeg => ({
  ...(direction === 'debit' && { direction }),
  amount: formatAmount(amount),
  accountId: account.id,
  accountAlias: account.alias,
  balanceKey: balance.key,
  ...detailsOf(details),
  ...(origin !== 'request' && { origin }),
});
