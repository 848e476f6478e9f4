import { add, parseAmount, ZERO, type Amount } from '#src/kernel/amount.ts';
import { differ } from '#src/verify/difference.ts';
import { fixedHead, wholeLegs } from './digests.ts';
import type { AuditedAwaitingLeg, AuditedOperation, AuditedTransaction } from './shapes.ts';
import { checkTotals } from './step.ts';

/** Parts of groups that hold nothing and are not posted yet, by transaction. */
export class GroupParts {
  readonly #parts = new Map<string, PreparedPart>();

  /** Takes a prepared part; when it is bound or unbound, it must be the same again. */
  prepared(transaction: AuditedTransaction, binding: boolean): void {
    const { id, operations, awaiting = [], amount, groupId } = transaction;
    if (groupId === undefined) differ('a part of no group was prepared');
    if (operations.length > 0)
      differ(`a part that is not on hold has ${operations.length} operations`);
    const totals = { debit: unheld(awaiting), credit: total(awaiting.filter(isReceived)) };
    checkTotals(totals, parseAmount(amount), 'posted');
    const part = { ...partOf(transaction), legs: legList(awaiting), binding };
    const known = this.#parts.get(id);
    if (known !== undefined && (known.head !== part.head || known.legs !== part.legs)) {
      differ('it differs from the part as it was prepared');
    }
    this.#parts.set(id, part);
  }

  released({ id }: Pick<AuditedTransaction, 'id'>): void {
    this.#parts.delete(id);
  }

  /** Errors: Differs unless the part was prepared like this and is bound. */
  posted(transaction: AuditedTransaction): void {
    const { id, operations } = transaction;
    const part = this.#parts.get(id);
    if (part?.binding !== true) differ(`no part ${id} was to be posted`);
    const legs = legList(wholeLegs(operations).map(legOf));
    if (part.head !== partOf(transaction).head || part.legs !== legs) {
      differ('it differs from the part as it was prepared');
    }
    this.#parts.delete(id);
  }
}

type PreparedPart = Readonly<{ head: string; legs: string; binding: boolean }>;

/** The creation time is not compared, because posting sets it. */
const partOf = (transaction: AuditedTransaction) => ({
  head: fixedHead({ ...transaction, createdAt: '' }),
});

/** The amount that is debited without a hold. */
export const unheld = (awaiting: readonly AuditedAwaitingLeg[]): Amount =>
  total(awaiting.filter((leg) => !isReceived(leg)));

export const isReceived = ({ direction }: Pick<AuditedAwaitingLeg, 'direction'>): boolean =>
  direction !== 'debit';

const total = (legs: readonly AuditedAwaitingLeg[]): Amount =>
  legs.reduce((sum, { amount }) => add(sum, parseAmount(amount)), ZERO);

const legOf = ({ direction, ...operation }: AuditedOperation): AuditedAwaitingLeg =>
  direction === 'debit' ? { ...operation, direction } : operation;

/** Skips legs without an amount, which book no operation. */
export const legList = (legs: readonly AuditedAwaitingLeg[]): string =>
  legs
    .filter(({ amount }) => amount !== '0')
    .map(({ direction = 'credit', accountAlias, balanceKey, amount }) => {
      return `${direction} ${accountAlias} ${balanceKey} ${amount}`;
    })
    .sort()
    .join('\n');

/** The legs that a commit books in addition to the holds. */
export const bookedLegs = (
  operations: readonly AuditedOperation[],
  awaiting: readonly AuditedAwaitingLeg[],
): AuditedAwaitingLeg[] => {
  const outside = new Set(
    awaiting.filter((leg) => !isReceived(leg)).map((leg) => leg.accountAlias),
  );
  return operations
    .filter(({ direction, accountAlias }) => direction === 'credit' || outside.has(accountAlias))
    .map(legOf);
};
