import type { RequestedLeg, TransactionRequest } from '#commands/ledger/transaction/commands.ts';
import { units } from './booked.ts';

/** What a request moves where, worked out by the simulator itself; the sources first. */
export type AskedLine = Readonly<{ side: 'source' | 'destination'; alias: string; amount: bigint }>;

export function linesOf({ send }: TransactionRequest): AskedLine[] {
  const value = units(send.value ?? '0');
  return [
    ...sideOf('source', send.source.from, value),
    ...sideOf('destination', send.distribute.to, value),
  ];
}

function sideOf(
  side: AskedLine['side'],
  legs: readonly RequestedLeg[],
  value: bigint,
): AskedLine[] {
  const own = legs.map(({ amount, share }) => {
    if (amount !== undefined) return units(amount.value);
    return share === undefined ? undefined : (value * BigInt(share.percentage)) / 100n;
  });
  const rest = own.reduce<bigint>((left, amount) => left - (amount ?? 0n), value);
  return legs.map(({ accountAlias }, n) => ({ side, alias: accountAlias, amount: own[n] ?? rest }));
}
