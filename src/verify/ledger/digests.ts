import { add, formatAmount, parseAmount } from '#src/kernel/amount.ts';
import { differ } from '#src/verify/difference.ts';
import { isInternal } from './books.ts';
import { isOfDebts } from './fee-debts.ts';
import { digest } from './settled.ts';
import type { AuditedOperation, AuditedTransaction } from './shapes.ts';

/** The members that an update may change. */
const WORDS = { description: undefined, metadata: undefined, updatedAt: undefined };

/** A digest of the members that an update must not change. */
export const fixedDigest = (transaction: AuditedTransaction): bigint =>
  digest(
    fixedHead(transaction) +
      JSON.stringify(transaction.feeDebts ?? null) +
      transaction.status +
      transaction.operations.map((operation) => fixedText(operation, transaction)).join(),
  );

/** The fixed members without those that a commit or cancellation changes: status, operations and awaiting legs. */
export const fixedHead = (transaction: AuditedTransaction): string =>
  JSON.stringify({
    ...transaction,
    ...WORDS,
    status: undefined,
    operations: undefined,
    awaiting: undefined,
    feeDebts: undefined,
  });

/** The fixed members of an operation; status and time are inherited from `whole` unless it has its own. */
export const fixedText = (
  { status, createdAt, ...operation }: AuditedOperation,
  whole: Pick<AuditedTransaction, 'status' | 'createdAt'>,
): string =>
  JSON.stringify({
    ...operation,
    ...WORDS,
    status: status ?? whole.status,
    createdAt: createdAt ?? whole.createdAt,
  });

/** A digest of the movements of a settled transaction, or of those that its reversal must make. */
export function legsDigest({ operations }: AuditedTransaction, side: 'own' | 'mirrored'): bigint {
  const moved = wholeLegs(operations).filter(
    ({ type }) => type !== 'ON_HOLD' && type !== 'RELEASE' && !isOfDebts({ type }),
  );
  const legs = moved.map(({ accountId, balanceKey, direction, amount }) => {
    const shown = side === 'own' ? direction : OPPOSITE[direction];
    return `${accountId} ${balanceKey} ${shown} ${amount}`;
  });
  return digest(legs.sort().join('\n'));
}

/** The operations of legs, each with the amount that an overdraft took over from it. */
export function wholeLegs(operations: readonly AuditedOperation[]): readonly AuditedOperation[] {
  const legs: AuditedOperation[] = [];
  for (const operation of operations) {
    const last = legs.at(-1);
    if (!isInternal(operation.balanceKey)) legs.push(operation);
    else if (last === undefined) differ('it begins by an overdraft');
    else {
      const whole = add(parseAmount(last.amount), parseAmount(operation.amount));
      legs[legs.length - 1] = { ...last, amount: formatAmount(whole) };
    }
  }
  return legs;
}

const OPPOSITE = { debit: 'credit', credit: 'debit' } as const;

/** Checks the aliases of a side: each operation's must be listed; further ones are of legs without an amount. */
export function checkAliases(
  listed: readonly string[],
  moved: readonly Readonly<{ accountAlias: string }>[],
  what: string,
): void {
  const left = [...listed];
  for (const { accountAlias } of moved) {
    const at = left.indexOf(accountAlias);
    if (at < 0) differ(`${accountAlias} moved and is not listed as ${what}`);
    left.splice(at, 1);
  }
}
