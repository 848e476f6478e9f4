import type { BookedLedger } from './booked.ts';

/** Whether something was true of what stops an account, or of how it stood, at some moment after `head`. */
export function stopped<Item extends Readonly<{ revision: number }>>(
  items: readonly Item[],
  head: number,
  holds: (item: Item) => boolean,
): boolean {
  return items.some((item, n) => holds(item) && (items[n + 1]?.revision ?? Infinity) > head);
}

/** Whether an account awaited a part of a group at some moment after `head`. */
export const isAwaited = (ledger: BookedLedger | undefined, alias: string, head: number): boolean =>
  [...(ledger?.parts.values() ?? [])].some(
    ({ accounts, states }) =>
      accounts.has(alias) && stopped(states, head, ({ is }) => is === 'bound'),
  );
