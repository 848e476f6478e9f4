import { Rational } from '#test/support/rational.ts';
import type { Chance } from '#test/support/random.ts';
import type { OracleCase, OracleFee, OracleLeg } from './fee-oracle.ts';

const SEGMENTS = [undefined, 'a', 'b'];
const SOURCES = ['@a', '@b', '@c', '@external/BRL', '@fees'];
const TARGETS = ['@x', '@y', '@z', '@external/BRL', '@tax'];
const CREDITS = ['@fees', '@tax', '@house', '@x', '@a'];
const WAIVABLE = [...SOURCES, ...TARGETS, 'segment:a', 'segment:b', 'segment:c'];

/** A random package, and a random transaction that adds up. */
export function anyFees(chance: Chance): OracleCase {
  const scale = chance.is(0.5) ? chance.pick([0, 0, 2, 2, 2, 3, 6, 8, 18]) : undefined;
  const digits = chance.is(0.7) ? Math.min(scale ?? 2, 2) : chance.int(0, 8);
  const value = decimal(chance, chance.int(1, 12), digits, true);
  const priorities = Array.from({ length: chance.int(1, 4) }, (_, n) => n + 1);
  return {
    value,
    from: legs(chance, value, SOURCES),
    to: legs(chance, value, TARGETS),
    waived: chance.is(0.4)
      ? Array.from({ length: chance.int(1, 6) }, () => chance.pick(WAIVABLE))
      : [],
    fees: priorities
      .map((priority) => fee(chance, priority))
      .sort((a, b) => (a.key < b.key ? -1 : 1)),
    scale,
  };
}

function fee(chance: Chance, priority: number): OracleFee {
  const deductible = chance.is(0.35);
  const rule = chance.pick(['flatFee', 'percentual', 'percentual', 'maxBetweenTypes']);
  const types =
    rule === 'maxBetweenTypes'
      ? Array.from({ length: chance.int(2, 4) }, () => chance.pick(['flat', 'percentage']))
      : [rule === 'flatFee' ? 'flat' : 'percentage'];
  const calculations = types.map((type) => ({
    type,
    value: decimal(chance, chance.int(1, type === 'flat' ? 4 : 2), chance.int(0, 6), false),
  }));
  return {
    key: `${chance.digits(3)}-${priority}`,
    priority,
    rule,
    calculations,
    reference:
      deductible || priority === 1 || chance.is(0.5) ? 'originalAmount' : 'afterFeesAmount',
    deductible,
    credit: chance.pick(CREDITS),
    ...(chance.is(0.5) && { routeFrom: 'R1' }),
    ...(chance.is(0.5) && { routeTo: 'R2' }),
  };
}

/** Cuts the value into parts, of which one may be nothing; equal parts are frequent. */
function legs(chance: Chance, value: string, aliases: readonly string[]): readonly OracleLeg[] {
  const count = chance.pick([1, 1, 2, 2, 3, 5, 8]);
  const total = Rational.of(value);
  const weights = Array.from({ length: count }, () => BigInt(chance.pick([0, 1, 1, 1, 2, 3, 70])));
  weights[0] = weights[0]! + 1n;
  const sum = weights.reduce((all, one) => all + one, 0n);
  let left = total;
  const amounts = weights.slice(1).map((weight) => {
    const part = total.times(new Rational(weight, sum)).cut(chance.pick([0, 2, 10]));
    left = left.minus(part);
    return part;
  });
  return [left, ...amounts].map((amount) => ({
    alias: chance.pick(aliases),
    segment: chance.pick(SEGMENTS),
    amount: amount.text(34)!,
  }));
}

function decimal(chance: Chance, whole: number, fraction: number, above: boolean): string {
  const text = `${chance.digits(whole)}.${chance.digits(fraction)}0`;
  const read = Rational.of(text);
  return above && read.isZero ? '1' : read.text(34)!;
}
