import { add, formatAmount, parseAmount } from '#src/kernel/amount.ts';
import { differ } from '#src/verify/difference.ts';
import { isInternal } from './books.ts';
import { digest } from './settled.ts';
import type { AuditedOperation, AuditedTransaction } from './shapes.ts';

/** What of a transaction may change by itself: words, never money. */
const WORDS = { description: undefined, metadata: undefined, updatedAt: undefined };

/** What may never change of a record, however often its words are edited. */
export const fixedDigest = (transaction: AuditedTransaction): bigint =>
  digest(
    fixedHead(transaction) +
      transaction.status +
      transaction.operations.map((operation) => fixedText(operation, transaction)).join(),
  );

/** The same without what a commit or cancellation adds: status, operations, and the legs that waited. */
export const fixedHead = (transaction: AuditedTransaction): string =>
  JSON.stringify({
    ...transaction,
    ...WORDS,
    status: undefined,
    operations: undefined,
    awaiting: undefined,
  });

/** What an operation does not say itself is what `whole` says: a commit spells out what was the hold's. */
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

/** The movements of a settled transaction, in no order; for a reversal those it must undo. */
export function legsDigest({ operations }: AuditedTransaction, side: 'own' | 'mirrored'): bigint {
  const moved = wholeLegs(operations).filter(
    ({ type }) => type !== 'ON_HOLD' && type !== 'RELEASE',
  );
  const legs = moved.map(({ accountId, balanceKey, direction, amount }) => {
    const shown = side === 'own' ? direction : OPPOSITE[direction];
    return `${accountId} ${balanceKey} ${shown} ${amount}`;
  });
  return digest(legs.sort().join('\n'));
}

/** Operations by leg, in their order: what overdraft took over of one is its own. */
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

/** Aliases of a side: every operation's is among them; those beyond are of legs without an amount. */
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
