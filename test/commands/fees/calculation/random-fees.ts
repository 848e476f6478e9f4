import { expect } from 'chai';
import { Rational } from '#test/support/rational.ts';
import { chanceOf } from '#test/support/random.ts';
import { anyFees } from './any-fees.ts';
import { charged } from './charged.ts';
import { oracle, type OracleCase, type OracleOutcome } from './fee-oracle.ts';

/** Compares the calculator with the oracle on so many random packages; answers how each kind of outcome occurred. */
export function compareOnRandomFees(seed: number, count: number): ReadonlyMap<string, number> {
  const chance = chanceOf(seed);
  const outcomes = new Map<string, number>();
  for (let n = 0; n < count; n += 1) {
    const asked = anyFees(chance);
    const expected = oracle(asked);
    const found = charged(asked);
    const same = JSON.stringify(found) === JSON.stringify(expected);
    if (!same) expect(found, `${n}: ${JSON.stringify(asked)}`).to.deep.equal(expected);
    if (typeof found !== 'string') checkMoney(asked, found);
    const kind =
      typeof found === 'string' ? found : (found.reason ?? (found.charged ? 'charged' : 'nothing'));
    outcomes.set(kind, (outcomes.get(kind) ?? 0) + 1);
  }
  return outcomes;
}

/** Both sides add up to the value; the fees paid are the fees received, and the parts of each their total. */
function checkMoney(asked: OracleCase, { value, from, to, amounts }: OracleOutcome): void {
  const sums = [from, to].map((side) => sumOf(side.map(amountIn)));
  const fees = sumOf(to.slice(asked.to.length).map(amountIn));
  const isSound =
    sums.every((sum) => sum === value) &&
    fees === sumOf(Object.values(amounts)) &&
    to.every(
      (leg, n) =>
        n >= asked.to.length ||
        !Rational.of(amountIn(leg)).isAbove(Rational.of(asked.to[n]!.amount)),
    );
  if (!isSound) throw new Error(`Money is lost: ${JSON.stringify([asked, from, to, value])}`);
}

const amountIn = (line: string): string => line.split(' ')[1]!;

const sumOf = (amounts: readonly string[]): string =>
  amounts.reduce((sum, one) => sum.plus(Rational.of(one)), new Rational(0n)).text(40)!;
