import { expect } from 'chai';
import {
  exactInstant,
  formatInstant,
  isFuture,
  parseInstant,
  type Instant,
  type Micros,
} from '#src/kernel/instant.ts';
import { chanceOf, seedOfRun } from '#test/support/random.ts';

const micros = (count: number): Micros => count as Micros;

describe('instant', () => {
  for (const [count, text] of [
    [0, '1970-01-01T00:00:00.000000Z'],
    [1, '1970-01-01T00:00:00.000001Z'],
    [-1, '1969-12-31T23:59:59.999999Z'],
    [999_999, '1970-01-01T00:00:00.999999Z'],
    [1_767_607_200_000_042, '2026-01-05T10:00:00.000042Z'],
  ] as const) {
    it(`${text} is ${String(count)} microseconds, and back`, () => {
      expect(formatInstant(micros(count))).to.equal(text);
      expect(parseInstant(text as Instant)).to.equal(count);
      expect(exactInstant(text)).to.equal(count);
    });
  }

  for (const text of [
    '2026-01-05T10:00:60.000000Z',
    '2026-01-05T10:00:00.00000Z',
    '2026-01-05T10:00:00.0000000',
    '2026-01-05T10:00:00,000000Z',
    '2026-01-05T10:00:00.00.000Z',
    '2026-01-05T10:00:00.000000z',
    '2026-02-30T10:00:00.000000Z',
    '2026-01-05 10:00:00.000000Z',
    '',
  ]) {
    it(`${text} is not exactly of its form, neither at first nor within a minute that was read`, () => {
      expect(exactInstant('2030-01-05T10:00:00.000000Z')).to.be.a('number');
      expect(exactInstant(text)).to.equal(undefined);
      expect(exactInstant('2026-01-05T10:00:59.999999Z')).to.equal(1_767_607_259_999_999);
      expect(exactInstant(text)).to.equal(undefined);
    });
  }

  it('keeps every microsecond, and its text keeps the order of time', () => {
    const seed = seedOfRun(3);
    const chance = chanceOf(seed);
    for (let n = 0; n < 50_000; n += 1) {
      const early = micros(chance.int(0, 2 ** 52));
      const late = micros(early + chance.int(1, 2_000_000));
      const [first, second] = [formatInstant(early), formatInstant(late)];
      const sound =
        parseInstant(first) === early &&
        parseInstant(second) === late &&
        exactInstant(first) === early &&
        exactInstant(second) === late;
      if (!sound || first >= second) expect.fail(`${first}, ${second}, SEED=${String(seed)}`);
    }
  });

  it('is not in the future within the millisecond that runs', () => {
    const now = formatInstant(micros(1_767_607_200_001_000));
    expect(isFuture('2026-01-05T10:00:00.001999Z' as Instant, now)).to.equal(false);
    expect(isFuture('2026-01-05T10:00:00.002000Z' as Instant, now)).to.equal(true);
  });
});
