import { parseAmount, ZERO, type Amount } from '#src/kernel/amount.ts';
import { differ } from '#src/verify/difference.ts';
import type { AuditedOperation } from './shapes.ts';

export type StepKind = 'posted' | 'held' | 'committed' | 'canceled';

/** The amount of an operation; zero if the companion balance took all of it over. */
export function amountOf({ amount: text }: AuditedOperation): Amount {
  const amount = parseAmount(text);
  return amount >= ZERO ? amount : differ(`an operation has the amount ${text}`);
}

export const named = ({ type, direction }: AuditedOperation): string => `${type} ${direction}`;

export const noPart = ({ type, direction }: AuditedOperation): never =>
  differ(`${type} with direction ${direction} is no part of this step`);
