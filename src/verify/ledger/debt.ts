import { add, formatAmount, parseAmount, ZERO, type Amount } from '#src/kernel/amount.ts';
import { differ } from '#src/verify/difference.ts';
import type { Books, BookedBalance } from './books.ts';
import type { AuditedOperation } from './shapes.ts';
import { amountOf, named, noPart, type StepKind } from './operation.ts';

/** The change of available and onHold of a credit balance, as multiples of the amount. */
export type EffectSigns = readonly [available: number, onHold: number];

/** The debt that an operation must record before and after it. */
export type ExpectedDebt = Readonly<{ before: string; after: string }>;

/**
 * The effects on a companion balance, by step, type and direction: the change of available and onHold of a credit
 * balance, and of the debt that it shows (contract ledger §7.5).
 */
const EFFECTS: Readonly<
  Record<StepKind, Readonly<Record<string, readonly [number, number, number]>>>
> = {
  posted: { 'OVERDRAFT debit': [-1, 0, 1], 'OVERDRAFT credit': [1, 0, -1] },
  held: { 'ON_HOLD debit': [-1, 1, 1], 'DEBIT debit': [-1, 0, 1], 'ON_HOLD credit': [0, 1, 0] },
  committed: {
    'DEBIT debit': [0, -1, 0],
    'ON_HOLD debit': [0, -1, 0],
    'OVERDRAFT credit': [1, 0, -1],
  },
  canceled: {
    'RELEASE credit': [1, -1, -1],
    'RELEASE debit': [0, -1, 0],
    'CREDIT credit': [1, 0, -1],
    // Debt that was repaid during the hold becomes available and is no longer held.
    'DEBIT debit': [0, -1, 0],
  },
};

export const companionEffect = (operation: AuditedOperation, kind: StepKind): EffectSigns => {
  const [available, onHold] = EFFECTS[kind][named(operation)] ?? noPart(operation);
  return [available, onHold];
};

/** For a client's balance: the operation right after it, on the companion balance, says how the debt changes. */
export function debtOf(
  { state: { overdraftUsed: before } }: BookedBalance,
  operation: AuditedOperation,
  companion: AuditedOperation | undefined,
  kind: StepKind,
): ExpectedDebt {
  if (companion === undefined) return { before, after: before };
  if (companion.accountId !== operation.accountId) {
    differ('it draws on the overdraft of another account');
  }
  const givesBack = kind === 'canceled' && named(companion) === 'DEBIT debit';
  if (companion.direction !== (givesBack ? 'debit' : operation.direction)) {
    differ(`a ${operation.direction} draws on an overdraft, or repays it, the wrong way round`);
  }
  const [, , sign] = EFFECTS[kind][named(companion)] ?? noPart(companion);
  const change = (amountOf(companion) * BigInt(sign)) as Amount;
  return { before, after: formatAmount(add(parseAmount(before), change)) };
}

/** For a companion balance: its operation repeats the debt of the operation right before it. */
export function debtShown(
  operation: AuditedOperation,
  last: AuditedOperation | undefined,
): ExpectedDebt {
  if (last?.accountId !== operation.accountId) {
    return differ(`${operation.accountAlias}#${operation.balanceKey} moves by itself`);
  }
  return { before: last.balance.overdraftUsed, after: last.balanceAfter.overdraftUsed };
}

/** Debt may be drawn only when nothing is available, within the limit, and a credit repays it before anything else. */
export function checkDebt(
  { overdraft, available, direction, external, alias, key }: BookedBalance,
  operation: AuditedOperation,
  [rises]: EffectSigns,
  companion: AuditedOperation | undefined,
  kind: StepKind,
): void {
  const [before, after] = [operation.balance, operation.balanceAfter].map(({ overdraftUsed }) =>
    parseAmount(overdraftUsed),
  ) as [Amount, Amount];
  const name = `${alias}#${key}`;
  if (amountOf(operation) === ZERO && companion === undefined) differ(`${name} moves by nothing`);
  if (after < ZERO) differ(`${name} owes less than nothing`);
  if (after > before) {
    const { allowed, limit } = overdraft;
    if (!allowed || external || direction === 'debit') differ(`${name} may not owe`);
    if (limit !== undefined && after > limit) differ(`${name} owes more than its limit`);
    if (available !== ZERO) differ(`${name} owes while it has funds`);
  }
  const arrives = rises === 1 && direction === 'credit' && operation.type !== 'RELEASE';
  if (arrives && kind !== 'canceled' && after !== ZERO && amountOf(operation) !== ZERO) {
    differ(`${name} has funds while it owes`);
  }
}

/** A companion balance shows the sum of its account's debt. */
export function checkShown(books: Books, companion: BookedBalance): void {
  const { alias, key, available } = companion;
  const owed = books.owedBy(companion);
  if (available === owed) return;
  differ(`${alias}#${key} shows ${formatAmount(available)}, ${formatAmount(owed)} are owed`);
}
