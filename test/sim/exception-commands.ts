import type { Uuid } from '#src/kernel/ids.ts';
import type { BookedLedger } from './booked.ts';
import type { Random } from './random.ts';

export type Passing = Readonly<{ id: Uuid; alias: string; value: string }>;

/** A new one, or any one, whatever has become of it. */
export function someException(random: Random, { exceptions }: BookedLedger): Passing | undefined {
  const all = [...exceptions.values()];
  if (all.length === 0) return undefined;
  const left = all.filter(({ usedBy }) => usedBy === undefined);
  const from = left.length === 0 || random.oneIn(4) ? all : left.slice(-3);
  const { id, alias, amount } = random.pick(from);
  return { id: id as Uuid, alias, value: String(amount / UNIT) };
}

/** Whole amounts are granted here. */
const UNIT = 10n ** 34n;
