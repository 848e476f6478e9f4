import { expect } from 'chai';
import { FilterWatch } from '#src/journal/filter-watch.ts';
import { KeyFilter } from '#src/journal/key-filter.ts';

describe('filter watch', () => {
  it('takes the first key that a nearly empty filter has and the index lacks for an alarm', () => {
    const filter = new KeyFilter();
    for (let n = 0; n < 250; n += 1) filter.add(`key ${n}`);
    const watch = new FilterWatch();
    watch.asked();
    expect(watch.lacks('key 1', filter.errorRate)).to.equal(true);
  });

  it('is silent while keys are lacking as often as the filter errs', () => {
    const watch = new FilterWatch();
    for (let n = 1; n <= 200_000; n += 1) {
      watch.asked();
      if (n % 100 === 0) expect(watch.lacks(`key ${n}`, 0.01), String(n)).to.equal(false);
    }
  });

  it('sounds within some hundred look-ups when every tenth key is lacking', () => {
    const watch = new FilterWatch();
    let asked = 0;
    for (let alarm = false; !alarm; asked += 1) {
      watch.asked();
      alarm = asked % 10 === 0 && watch.lacks(`key ${asked}`, 0.01);
    }
    expect(asked).to.be.below(500);
  });

  it('does not count keys that were taken back', () => {
    const watch = new FilterWatch();
    watch.asked();
    watch.excuse(['key']);
    expect(watch.lacks('key', 0)).to.equal(false);
  });

  it('knows how often the filter errs', () => {
    const filter = new KeyFilter();
    for (let n = 0; n < 30_000; n += 1) filter.add(`key ${n}`);
    const wrong = Array.from({ length: 100_000 }, (_, n) => filter.mayHave(`other ${n}`)).filter(
      Boolean,
    ).length;
    expect(wrong / 100_000).to.be.within(filter.errorRate / 2, filter.errorRate * 2);
  });
});
