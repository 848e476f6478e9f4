import { expect } from 'chai';
import { runsOf } from '#test/support/random.ts';
import { KeyFilter } from '#src/journal/key-filter.ts';

const COUNT = runsOf(1_000_000);

/** Keys as clients make them. */
const makers: Readonly<Record<string, (n: number) => string>> = {
  'counted keys': (n) => `order-${String(n)}`,
  'padded keys': (n) => `inv/2026/${String(n).padStart(12, '0')}`,
  'UUIDs that differ at the end': (n) =>
    `01935f2a-7b10-7${n.toString(16).padStart(3, '0').slice(-3)}-8000-${n.toString(16).padStart(12, '0')}`,
};

const filterOf = (make: (n: number) => string, count: number): KeyFilter => {
  const filter = new KeyFilter();
  for (let n = 0; n < count; n += 1) filter.add(make(n));
  return filter;
};

describe('key filter', () => {
  for (const [what, make] of Object.entries(makers)) {
    it(`never denies one of many ${what}, and is wrong about fewer than 2 % of others`, () => {
      const filter = filterOf(make, COUNT);
      let denied = 0;
      for (let n = 0; n < COUNT; n += 1) if (!filter.mayHave(make(n))) denied += 1;
      expect(denied).to.equal(0);

      const others = runsOf(200_000);
      let wrong = 0;
      for (let n = 0; n < others; n += 1) if (filter.mayHave(make(COUNT + n))) wrong += 1;
      expect(wrong / others).to.be.below(0.02);
      expect(wrong, 'a filter that is never wrong would be a set').to.be.above(0);
    });
  }

  it('denies everything while it is empty', () => {
    const filter = new KeyFilter();
    expect(filter.mayHave('a')).to.equal(false);
    expect(filter.mayHave('')).to.equal(false);
  });

  it('takes any text for a key', () => {
    const keys = ['', 'a', 'A', '\u0000', 'ключ', '🪢', '\ud800', 'x'.repeat(10_000)];
    const filter = new KeyFilter();
    for (const key of keys) {
      filter.add(key);
      expect(filter.mayHave(key)).to.equal(true);
    }
  });

  it('stays small for a journal with few keys', () => {
    const bytes = filterOf(String, 1_000).toSnapshot().join('').length;
    expect(bytes).to.be.below(32 * 1024);
  });

  it('takes a few bytes a key, counting its newest layer, which may be nearly empty', () => {
    const bytes = filterOf(String, COUNT).toSnapshot().join('').length * 0.75; // Base64
    expect(bytes / COUNT).to.be.below(6);
  });

  it('is the same after freeze and thaw, and goes on growing', () => {
    const make = makers['counted keys']!;
    for (const count of [0, 1, 5_000, 200_000]) {
      const filter = filterOf(make, count);
      const thawed = KeyFilter.fromSnapshot(
        JSON.parse(JSON.stringify(filter.toSnapshot())) as string[],
      );
      expect(thawed.toSnapshot(), `${String(count)} keys`).to.deep.equal(filter.toSnapshot());

      for (let n = count; n < count + 20_000; n += 1) {
        filter.add(make(n));
        thawed.add(make(n));
      }
      expect(thawed.toSnapshot(), `${String(count)} keys and more`).to.deep.equal(
        filter.toSnapshot(),
      );
      expect(thawed.mayHave(make(0))).to.equal(true);
    }
  });
});
