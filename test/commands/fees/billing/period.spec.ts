import { expect } from 'chai';
import fc from 'fast-check';
import { readPeriod } from '#commands/fees/billing/period.ts';

describe('billing periods', () => {
  for (const [text, before, first, last] of [
    ['2026-01', '2025-12-31', '2026-01-01', '2026-01-31'],
    ['2026-02', '2026-01-31', '2026-02-01', '2026-02-28'],
    ['2024-02', '2024-01-31', '2024-02-01', '2024-02-29'],
    ['2026-12', '2026-11-30', '2026-12-01', '2026-12-31'],
    ['2024-02-29', '2024-02-28', '2024-02-29', '2024-02-29'],
    ['2026-W01', '2025-12-28', '2025-12-29', '2026-01-04'],
    ['2026-W53', '2026-12-27', '2026-12-28', '2027-01-03'],
    ['2020-W53', '2020-12-27', '2020-12-28', '2021-01-03'],
    ['2021-W01', '2021-01-03', '2021-01-04', '2021-01-10'],
    ['1969-W52', '1969-12-21', '1969-12-22', '1969-12-28'],
    ['9999-12', '9999-11-30', '9999-12-01', '9999-12-31'],
  ] as const) {
    it(`has ${text} from ${first} to ${last}`, () => {
      expect(readPeriod(text)).to.deep.equal({ before, first, last });
    });
  }

  for (const text of [
    ...['2026-00', '2026-13', '2026-1', '2026', '', 'x', '2026-01 ', '2026-01\n', '02026-01'],
    ...['2026-02-29', '2026-02-30', '2026-04-31', '2026-01-00', '2026-01-32'],
    ...['2026-W00', '2026-W54', '2025-W53', '2026-W1', '2026-w01', '9999-W52-1'],
  ]) {
    it(`has no ${JSON.stringify(text)}`, () => {
      expect(readPeriod(text)).to.equal(undefined);
    });
  }

  it('have weeks that each begin on the day after the week before', () => {
    const year = fc.integer({ min: 1, max: 9998 });
    fc.assert(
      fc.property(year, (of) => {
        const text = String(of).padStart(4, '0');
        const weeks = Array.from({ length: 53 }, (_, n) =>
          readPeriod(`${text}-W${String(n + 1).padStart(2, '0')}`),
        ).filter((week) => week !== undefined);
        expect(weeks.length).to.be.oneOf([52, 53]);
        weeks.slice(1).forEach(({ before }, n) => expect(before).to.equal(weeks[n]!.last));
      }),
      { numRuns: 50 },
    );
  });
});
