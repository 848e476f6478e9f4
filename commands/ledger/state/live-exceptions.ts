import { formatAmount, parseAmount, type Amount } from '#src/kernel/amount.ts';
import { detached } from '#src/kernel/detached.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { Instant } from '#src/kernel/instant.ts';
import type { BlockExceptionRecord } from '#src/events/ledger/account.ts';
import type { ByException } from '#src/events/ledger/transaction.ts';

/** The exceptions that can still be used, in the order in which they were granted. */
export type BlockExceptions = Map<Uuid, BlockException>;
export type BlockException = Readonly<{ accountId: Uuid; amount: Amount; expiresAt: Instant }>;

/**
 * Adds exceptions and drops expired ones, the oldest first. A long-lived one also retains those granted after it,
 * for a day at most, so memory is bounded by the exceptions granted in a day.
 */
export function evolveBlockExceptions(
  live: BlockExceptions,
  granted: readonly BlockExceptionRecord[],
): void {
  const now = granted[0]?.createdAt ?? '';
  for (const [id, { expiresAt }] of live) {
    if (expiresAt > now) break;
    live.delete(id);
  }
  for (const { id, accountId, amount, expiresAt } of granted) {
    live.set(detached(id), {
      accountId: detached(accountId),
      amount: parseAmount(amount),
      expiresAt: detached(expiresAt),
    });
  }
}

/** Only a successful debit uses an exception. */
export function useUp(live: BlockExceptions, { accountBlockExceptionId: id }: ByException): void {
  if (id !== undefined) live.delete(id);
}

export type ExceptionSnapshot = [id: Uuid, accountId: Uuid, amount: string, expiresAt: Instant];

export const exceptionsToSnapshot = (live: BlockExceptions): ExceptionSnapshot[] =>
  Array.from(live, ([id, { accountId, amount, expiresAt }]) => {
    return [id, accountId, formatAmount(amount), expiresAt];
  });

export function exceptionsFromSnapshot(
  live: BlockExceptions,
  frozen: readonly ExceptionSnapshot[],
): void {
  for (const [id, accountId, amount, expiresAt] of frozen) {
    live.set(id, { accountId, amount: parseAmount(amount), expiresAt });
  }
}
