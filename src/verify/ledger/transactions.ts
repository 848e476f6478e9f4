import { add, negate, parseAmount, ZERO, type Amount } from '#src/kernel/amount.ts';
import { partId, type Uuid } from '#src/kernel/ids.ts';
import { differ } from '#src/verify/difference.ts';
import type { Books } from './books.ts';
import {
  checkAliases,
  fixedDigest,
  fixedHead,
  fixedText,
  legsDigest,
  wholeLegs,
} from './digests.ts';
import { bookedLegs, GroupParts, isReceived, legList, unheld } from './group-parts.ts';
import { isOfDebts, type FeeDebts } from './fee-debts.ts';
import type { Exceptions } from './exceptions.ts';
import { Settled } from './settled.ts';
import type { AuditedAwaitingLeg, AuditedOperation, AuditedTransaction } from './shapes.ts';
import { amountOf, type StepKind } from './operation.ts';
import { applyStep, checkTotals, type Holds } from './step.ts';

/** A transaction on hold, with the facts that its commit or cancellation must match. */
type PendingTransaction = {
  readonly head: string;
  readonly operations: readonly string[];
  readonly holds: Holds;
  readonly awaiting: readonly AuditedAwaitingLeg[] | undefined;
  /** The amount that will be debited without a hold. */
  readonly unheld: Amount;
  readonly fixed: bigint;
};

/** The life cycle of every transaction of one ledger. */
export class Transactions {
  readonly #books: Books;
  readonly #exceptions: Exceptions;
  readonly #pending = new Map<string, PendingTransaction>();
  readonly #parts = new GroupParts();
  readonly #settled = new Settled();
  readonly #debts: FeeDebts;

  constructor(books: Books, exceptions: Exceptions, debts: FeeDebts) {
    this.#books = books;
    this.#debts = debts;
    this.#exceptions = exceptions;
  }

  get count(): number {
    return this.#settled.count + this.#pending.size;
  }

  posted(transaction: AuditedTransaction, exceptionId?: string): void {
    const { id, operations, parentTransactionId } = transaction;
    this.#begins(transaction, 'APPROVED');
    if (transaction.groupId !== undefined) this.#parts.posted(transaction);
    const passing = this.#passing(transaction, operations, exceptionId);
    applyStep(this.#books, transaction, operations, 'posted', { passing });
    this.#checkSides(transaction, operations);
    this.#debts.changed(transaction, operations, parentTransactionId !== undefined);
    if (parentTransactionId !== undefined) this.#reverts(transaction, parentTransactionId);
    const fate = parentTransactionId === undefined ? 'approved' : 'reversal';
    this.#settled.set(id, fate, digestsOf(transaction));
  }

  /** `exceptionId` is reserved for a part of a group. */
  held(transaction: AuditedTransaction, exceptionId?: string): void {
    const { id, operations, awaiting, source, destination } = transaction;
    this.#begins(transaction, 'PENDING');
    const outside = (awaiting ?? []).filter((leg) => !isReceived(leg));
    const debited = unheld(outside);
    const passing = exceptionId && this.#exceptions.keep(exceptionId, transaction);
    const more = { unheld: debited, passing };
    const holds = applyStep(this.#books, transaction, operations, 'held', more);
    checkAliases(source, [...wholeLegs(operations).filter(isDebit), ...outside], 'source');
    if (awaiting !== undefined) {
      const received = awaiting.filter(isReceived);
      checkAliases(destination, received, 'destination');
      const due = received.reduce((sum, { amount }) => add(sum, parseAmount(amount)), ZERO);
      checkTotals({ debit: due, credit: due }, parseAmount(transaction.amount), 'posted');
    }
    this.#pending.set(id, {
      head: fixedHead(transaction),
      operations: operations.map((operation) => fixedText(operation, transaction)),
      holds,
      awaiting,
      unheld: debited,
      fixed: fixedDigest(transaction),
    });
  }

  /** `stepOperations` is the number of operations that the commit added at the end. */
  committed(transaction: AuditedTransaction, stepOperations: number, exceptionId?: string): void {
    const booked = transaction.operations.slice(-stepOperations);
    const passing = this.#passing(transaction, booked, exceptionId);
    const { awaiting } = this.#ends(transaction, stepOperations, 'committed', 'APPROVED', passing);
    if (awaiting !== undefined) {
      const legs = bookedLegs(ownLegs(booked), awaiting);
      if (legList(legs) !== legList(awaiting)) differ('it credits other legs than were waiting');
    }
    const { id, parentTransactionId } = transaction;
    this.#debts.changed(transaction, booked, parentTransactionId !== undefined);
    if (parentTransactionId !== undefined) this.#reverts(transaction, parentTransactionId);
    const fate = parentTransactionId === undefined ? 'approved' : 'reversal';
    this.#settled.set(id, fate, digestsOf(transaction));
  }

  canceled(transaction: AuditedTransaction, stepOperations: number): void {
    this.#ends(transaction, stepOperations, 'canceled', 'CANCELED');
    this.#exceptions.giveBack(transaction.id);
    this.#settled.set(transaction.id, 'canceled', digestsOf(transaction));
  }

  /** Takes a part of a group before it is posted; a hold stays unchanged. */
  prepared(transaction: AuditedTransaction, binding: boolean, exceptionId?: string): void {
    const { id, status } = transaction;
    if (status !== 'PENDING') differ(`its status is ${status}, not PENDING`);
    if (this.#settled.get(id) !== undefined) differ(`there is a transaction ${id} already`);
    if (this.#pending.has(id)) this.reworded(transaction);
    else this.#parts.prepared(transaction, binding);
    if (!binding) this.#exceptions.giveBack(id);
    if (exceptionId !== undefined) this.#exceptions.keep(exceptionId, transaction);
  }

  /** Takes a part that will not be posted. */
  released({ id }: Pick<AuditedTransaction, 'id'>): void {
    if (this.#pending.has(id) || this.#settled.get(id) !== undefined) {
      differ(`transaction ${id} is there, and cannot be given up`);
    }
    this.#parts.released({ id });
    this.#exceptions.giveBack(id);
  }

  /** Takes an annotation: its operations change no balance and record zeros. */
  noted(transaction: AuditedTransaction): void {
    const { id, operations, assetCode, amount } = transaction;
    this.#begins(transaction, 'NOTED');
    const totals = { debit: ZERO, credit: ZERO };
    for (const operation of operations) {
      const { internal } = this.#books.of(operation, assetCode);
      if (internal) differ('an annotation names an overdraft');
      if (operation.balanceAffected !== false) differ('an annotation moves a balance');
      for (const state of [operation.balance, operation.balanceAfter]) {
        const { available, onHold, version } = state;
        if (available !== '0' || onHold !== '0' || version !== 0) {
          differ('an annotation shows a state that is not zero');
        }
      }
      totals[operation.direction] = add(totals[operation.direction], amountOf(operation));
    }
    checkTotals(totals, parseAmount(amount), 'posted');
    this.#checkSides(transaction, operations);
    this.#settled.set(id, 'noted', digestsOf(transaction));
  }

  /** Takes a new description or new metadata of a transaction or one of its operations. */
  reworded(transaction: AuditedTransaction): void {
    const { id } = transaction;
    const known = this.#pending.get(id) ?? this.#settled.get(id);
    if (known === undefined) differ(`there is no transaction ${id}`);
    if (known.fixed !== fixedDigest(transaction)) differ('more than its words changed');
  }

  /** The account whose block an exception lets a debit pass. */
  #passing(
    { id, groupId, updatedAt }: AuditedTransaction,
    operations: readonly AuditedOperation[],
    exceptionId: string | undefined,
  ): string | undefined {
    if (groupId !== undefined) {
      this.#exceptions.spend(exceptionId, id);
      return undefined; // A decided part of a group passes every block.
    }
    if (exceptionId === undefined) return undefined;
    return this.#exceptions.use(exceptionId, updatedAt, operations);
  }

  #begins(transaction: AuditedTransaction, status: string): void {
    const { id, operations } = transaction;
    if (this.#pending.has(id) || this.#settled.get(id) !== undefined) {
      differ(`there is a transaction ${id} already`);
    }
    if (transaction.status !== status) differ(`its status is ${transaction.status}, not ${status}`);
    if (parseAmount(transaction.amount) <= ZERO) differ(`its amount is ${transaction.amount}`);
    checkIds(id, operations);
  }

  #ends(
    transaction: AuditedTransaction,
    steps: number,
    kind: StepKind,
    status: string,
    passing?: string,
  ): PendingTransaction {
    const { id, operations } = transaction;
    const pending = this.#pending.get(id);
    if (pending === undefined) differ(`there is no transaction ${id} on hold`);
    if (transaction.status !== status) differ(`its status is ${transaction.status}, not ${status}`);
    const before = operations.length - steps;
    if (before !== pending.operations.length) {
      differ(`it repeats ${before} operations of ${pending.operations.length}`);
    }
    const hold = { ...transaction, status: 'PENDING' };
    const repeated = operations.slice(0, before).map((operation) => fixedText(operation, hold));
    if (fixedHead(transaction) !== pending.head || repeated.join() !== pending.operations.join()) {
      differ('it differs from what was recorded when it was put on hold');
    }
    checkIds(id, operations);
    const { unheld: less } = pending;
    const step = operations.slice(before);
    const freed = applyStep(this.#books, transaction, step, kind, { passing, unheld: less });
    if (!undo(pending.holds, freed)) differ('it frees other amounts than were put on hold');
    this.#pending.delete(id);
    return pending;
  }

  /** Checks a reversal: it reverts once, never another reversal, and mirrors what was recorded. */
  #reverts(transaction: AuditedTransaction, parentId: string): void {
    const parent = this.#settled.get(parentId);
    if (parent === undefined) differ(`there is no settled transaction ${parentId} to revert`);
    if (parent.fate !== 'approved') differ(`transaction ${parentId} is ${parent.fate}`);
    if (parent.legs !== legsDigest(transaction, 'mirrored')) {
      differ(`it is no mirror of transaction ${parentId}`);
    }
    this.#settled.set(parentId, 'reverted', parent);
  }

  #checkSides(
    { source, destination }: AuditedTransaction,
    operations: readonly AuditedOperation[],
  ): void {
    const legs = ownLegs(operations);
    checkAliases(source, legs.filter(isDebit), 'source');
    checkAliases(destination, legs.filter(isCredit), 'destination');
    for (const alias of [...source, ...destination]) {
      if (!this.#books.hasAlias(alias)) differ(`there is no account ${alias}`);
    }
  }
}

/** The legs of the transaction itself, without those that debts add; a collection has only these. */
function ownLegs(operations: readonly AuditedOperation[]): readonly AuditedOperation[] {
  const legs = wholeLegs(operations);
  const own = legs.filter((leg) => !isOfDebts(leg));
  return own.length > 0 ? own : legs;
}

const isDebit = ({ direction }: AuditedOperation): boolean => direction === 'debit';
const isCredit = ({ direction }: AuditedOperation): boolean => direction === 'credit';

const digestsOf = (transaction: AuditedTransaction) => ({
  fixed: fixedDigest(transaction),
  legs: legsDigest(transaction, 'own'),
});

function checkIds(id: string, operations: readonly AuditedOperation[]): void {
  for (const [n, operation] of operations.entries()) {
    if (operation.id !== partId(id as Uuid, n + 1)) differ(`operation ${operation.id} is misnamed`);
  }
}

const undo = (held: Holds, freed: Holds): boolean =>
  held.size === freed.size &&
  [...held].every(([balance, amount]) => freed.get(balance) === negate(amount));
