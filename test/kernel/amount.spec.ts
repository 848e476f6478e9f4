import Big from 'big.js';
import { expect } from 'chai';
import {
  add,
  formatAmount,
  negate,
  parseAmount,
  readAmount,
  share,
  subtract,
  withinRange,
  ZERO,
  type Amount,
} from '#src/kernel/amount.ts';
import { cpuMs } from '#test/support/cpu.ts';
import { chanceOf, runsOf, seedOfRun, type Chance } from '#test/support/random.ts';

const amount = (text: string): Amount => {
  const read = readAmount(text);
  if (typeof read === 'string') throw new Error(`${text} is ${read}`);
  return read;
};

const shown = (text: string): string => (text.length > 48 ? `${text.slice(0, 45)}…` : text);

describe('amount', () => {
  describe('reads what people write', () => {
    const taken: readonly (readonly [text: string, plain: string])[] = [
      ['0', '0'],
      ['-0', '0'],
      ['+0', '0'],
      ['-0.00', '0'],
      ['0e999', '0'],
      ['0.000e-999', '0'],
      ['-0E+999', '0'],
      ['01', '1'],
      ['1.', '1'],
      ['.5', '0.5'],
      ['-.5', '-0.5'],
      ['+1', '1'],
      ['1E-2', '0.01'],
      ['1e+2', '100'],
      ['100.00', '100'],
      ['-12.340', '-12.34'],
      ['12.5e1', '125'],
      ['0.00012e4', '1.2'],
      ['120e-1', '12'],
      ['1e29', '1' + '0'.repeat(29)],
      ['1e-30', '0.' + '0'.repeat(29) + '1'],
      ['9'.repeat(30), '9'.repeat(30)],
      ['0.' + '9'.repeat(30), '0.' + '9'.repeat(30)],
      ['0'.repeat(40) + '7', '7'], // Zeros that carry no value do not count,
      ['7.' + '0'.repeat(40), '7'], // on either side.
      ['1' + '0'.repeat(40) + 'e-40', '1'],
      ['0.' + '0'.repeat(40) + '1e41', '1'],
      ['0.' + '0'.repeat(30) + '1e1', '0.' + '0'.repeat(29) + '1'],
      ['123456789012345678901234567890e-30', '0.12345678901234567890123456789'],
      ['0.' + '0'.repeat(500), '0'],
    ];
    for (const [text, plain] of taken) {
      it(`takes ${shown(text)} for ${shown(plain)}`, () => {
        expect(formatAmount(amount(text))).to.equal(plain);
      });
    }
  });

  describe('has a range of 30 integer and 30 fractional digits', () => {
    const beyond = [
      '1e30',
      '1e400',
      '1e-31',
      '1e-999',
      '-1e30',
      '9'.repeat(31),
      '0.' + '0'.repeat(30) + '1',
      '1.' + '0'.repeat(30) + '1',
      '1'.repeat(31) + '.5',
      '123456789012345678901234567890e1',
      '123456789012345678901234567891e-31',
    ];
    for (const text of beyond) {
      it(`finds ${shown(text)} out of range`, () => {
        expect(readAmount(text)).to.equal('out-of-range');
      });
    }

    it('lets a balance grow to 30 integer digits and no further, on both sides of zero', () => {
      const largest = amount('9'.repeat(30) + '.' + '9'.repeat(30));
      const step = amount('1e-30');
      expect(withinRange(largest)).to.equal(true);
      expect(withinRange(negate(largest))).to.equal(true);
      expect(withinRange(add(largest, step))).to.equal(false);
      expect(withinRange(negate(add(largest, step)))).to.equal(false);
    });
  });

  describe('refuses what is no decimal', () => {
    const malformed = [
      ...['', ' ', '.', '-', '+', '+-1', '--1', ',', '1,5', '1_000', ' 1', '1 ', '1\n', '1\u0000'],
      ...['e5', '.e5', '1e', '1e+', '1e1000', '1e-1000', '1e1.5', '1.2.3', '0x10', '1n'],
      ...['NaN', 'Infinity', '-Infinity', 'null', '٣', '１', '1e５'],
    ];
    for (const text of malformed) {
      it(`finds ${JSON.stringify(text)} malformed`, () => {
        expect(readAmount(text)).to.equal('malformed');
      });
    }
  });

  it('reads a short text as it reads the same amount in a long one', () => {
    const short = [
      '0',
      '7',
      '007',
      '12.34',
      '0.0000000000001',
      '999999999999999',
      '9.9999999999999',
    ];
    for (const text of short.flatMap((one) => [one, `-${one}`])) {
      const long = text.replace(/\d+/, (digits) => digits.padStart(16, '0'));
      expect(amount(text), text).to.equal(amount(long));
      expect(parseAmount(text), text).to.equal(amount(long));
    }
    for (const text of ['', '-', '.', '5.', '.5', '1.2.3', '1-2']) {
      expect(() => parseAmount(text), text).to.throw('Not an amount');
    }
  });

  it('answers a megabyte of digits at once', () => {
    const size = 1_000_000;
    const spent = cpuMs(() => {
      expect(readAmount('1' + '0'.repeat(size) + '1')).to.equal('out-of-range');
      expect(readAmount('0.' + '0'.repeat(size) + '1')).to.equal('out-of-range');
      expect(readAmount('10'.repeat(size / 2) + '1')).to.equal('out-of-range');
      expect(readAmount('9'.repeat(size))).to.equal('out-of-range');
      expect(readAmount('0'.repeat(size) + 'x')).to.equal('malformed');
      expect(readAmount('0'.repeat(size))).to.equal(ZERO);
      expect(formatAmount(amount('0'.repeat(size) + '1.5' + '0'.repeat(size)))).to.equal('1.5');
    });
    expect(spent).to.be.below(1000);
  });

  it('stops at an amount the log should not hold', () => {
    const digits = ['1.' + '1'.repeat(35), '1'.repeat(33)];
    for (const text of [
      '',
      '-',
      '.',
      '-.5',
      '1e5',
      '+1',
      '.5',
      '1.',
      '1.2.3',
      ' 1',
      '1 ',
      ...digits,
    ]) {
      expect(() => parseAmount(text), text).to.throw('Not an amount');
    }
  });

  it('comes back from the log, however long', () => {
    for (const digits of [
      '7',
      '10',
      '1234567',
      '90071992547409',
      '123456789012345',
      '9'.repeat(30),
    ]) {
      for (const fraction of ['', '.5', '.05', '.0000001', `.${'0'.repeat(33)}1`]) {
        for (const text of [digits + fraction, `-${digits}${fraction}`]) {
          expect(formatAmount(parseAmount(text))).to.equal(text);
        }
      }
    }
    expect(parseAmount('-0')).to.equal(ZERO);
  });

  describe('shares', () => {
    for (const [value, percentage, of, part] of [
      ['300.10', 30, 0, '90.03'],
      ['300.10', 70, 100, '210.07'],
      ['300.10', 50, 50, '75.025'],
      ['1', 1, 1, '0.0001'],
      ['1e-30', 1, 1, '0.' + '0'.repeat(33) + '1'],
      ['9'.repeat(30), 100, 100, '9'.repeat(30)],
    ] as const) {
      it(`gives ${part} for ${percentage} % of ${of || 100} % of ${value}`, () => {
        expect(formatAmount(share(amount(value), percentage, of))).to.equal(part);
      });
    }
  });

  it('agrees with an independent decimal library over many operations', function () {
    this.timeout(60_000);
    const seed = seedOfRun(20_260_105);
    const chance = chanceOf(seed);
    let operations = 0;
    const enough = runsOf(1_000_000);
    while (operations < enough) operations += compareOnce(chance, seed);
    expect(operations).to.be.at.least(enough);
  });
});

/** One pair of random decimals, through every operation; answers how many operations that were. */
function compareOnce(chance: Chance, seed: number): number {
  const [left, right] = [randomDecimal(chance), randomDecimal(chance)];
  const [a, b] = [amount(left), amount(right)];
  const [bigA, bigB] = [bigOf(left), bigOf(right)];
  const percentage = chance.int(1, 100);
  const of = chance.int(0, 100);
  const check = (what: string, found: string, expected: string): void => {
    if (found === expected) return;
    expect(found, `${what} of ${left} and ${right}, SEED=${String(seed)}`).to.equal(expected);
  };

  const [plainA, plainB] = [formatAmount(a), formatAmount(b)];
  check('the first', plainA, plain(bigA));
  check('the second', plainB, plain(bigB));
  if (parseAmount(plainA) !== a || parseAmount(plainB) !== b) {
    expect.fail(`${left} or ${right} does not survive the log, SEED=${String(seed)}`);
  }
  check('the sum', formatAmount(add(a, b)), plain(bigA.plus(bigB)));
  check('the difference', formatAmount(subtract(a, b)), plain(bigA.minus(bigB)));
  const part = bigA.times(percentage * (of || 100)).times('0.0001');
  check(`${percentage} % of ${of} %`, formatAmount(share(a, percentage, of)), plain(part));
  check('the order', String(a < b ? -1 : a > b ? 1 : 0), String(bigA.cmp(bigB)));
  return 10; // Two read, two written, two parsed again, one of each other kind.
}

/** big.js takes the same spellings but for a leading `+`. */
const bigOf = (text: string): Big => new Big(text.replace(/^\+/, ''));

/** big.js keeps the sign of a zero; a ledger knows only one. */
const plain = (big: Big): string => (big.eq(0) ? '0' : big.toFixed());

/** Up to 30 + 30 digits, in every spelling the grammar takes; many short, many at the edges. */
function randomDecimal(chance: Chance): string {
  const length = (): number => chance.pick([0, 1, 2, 3, 9, 10, 17, 29, 30, chance.int(0, 30)]);
  const fraction = chance.is(0.3) ? '0'.repeat(chance.int(0, 5)) : chance.digits(length());
  const whole = chance.digits(length()) || (fraction === '' ? '0' : '');
  const sign = chance.pick(['', '', '-', '+']);
  const point = fraction === '' ? chance.pick(['', '.']) : '.';
  const zeros = chance.is(0.1) ? '0'.repeat(chance.int(1, 5)) : '';
  const text = `${sign}${zeros}${whole}${point}${fraction}`;
  if (!chance.is(0.2)) return text;
  // The same digits under a power of ten that keeps them in range.
  const up = 30 - whole.length;
  const down = 30 - fraction.length;
  return `${text}${chance.pick(['e', 'E'])}${String(chance.int(-down, up))}`;
}
