import { expect } from 'chai';
import { keyHash } from '#src/journal/key-hash.ts';
import { RecentKeys, type KnownKey } from '#src/journal/recent-keys.ts';
import { chanceOf, seedOfRun } from '#test/support/random.ts';

const known = (revision: number): KnownKey => ({ revision, requestHash: `hash ${revision}` });

describe('recent keys', () => {
  it('know what a key stood for', () => {
    const keys = new RecentKeys();
    keys.add('a', known(3));
    expect(keys.get('a')).to.deep.equal(known(3));
    expect(keys.get('b')).to.equal(undefined);
    expect(keys.size).to.equal(1);
  });

  it('forget what the index holds: everything up to a revision, and nothing above', () => {
    const keys = new RecentKeys();
    for (const [n, key] of ['a', 'b', 'c'].entries()) keys.add(key, known(n * 10));
    keys.trim(-1);
    expect(keys.size).to.equal(3);
    keys.trim(10);
    expect(keys.get('b')).to.equal(undefined);
    expect(keys.get('c')).to.deep.equal(known(20));
    keys.trim(19);
    expect(keys.size).to.equal(1);
    keys.trim(1_000);
    expect(keys.size).to.equal(0);
  });

  it('keep the later use of a key when the earlier one is in the index', () => {
    const keys = new RecentKeys();
    keys.add('a', known(1));
    keys.add('a', known(5));
    keys.trim(1);
    expect(keys.get('a')).to.deep.equal(known(5));
    keys.trim(5);
    expect(keys.get('a')).to.equal(undefined);
  });

  it('are what they were before, when what came after a revision did not happen', () => {
    const keys = new RecentKeys();
    keys.add('a', known(1));
    keys.add('b', known(2));
    keys.add('a', known(3));
    keys.add('c', known(4));
    keys.takeBack(2);
    expect(keys.get('a')).to.deep.equal(known(1));
    expect(keys.get('b')).to.deep.equal(known(2));
    expect(keys.get('c')).to.equal(undefined);
    keys.trim(1);
    expect(keys.get('a')).to.equal(undefined);
    expect(keys.size).to.equal(1);
  });

  it('are not unsettled by a revision trimmed before', () => {
    const keys = new RecentKeys();
    keys.add('a', known(5));
    keys.trim(5);
    keys.trim(2);
    keys.add('b', known(6));
    expect(keys.get('b')).to.deep.equal(known(6));
  });

  it('say the same as a list that is searched from its end, over many uses', () => {
    const seed = seedOfRun(7);
    const chance = chanceOf(seed);
    const keys = new RecentKeys();
    let plain: { key: string; revision: number }[] = [];
    let trimmed = -1;
    for (let revision = 0; revision < 20_000; revision += 1) {
      const key = `key-${chance.int(0, 2_000)}`;
      keys.add(key, known(revision));
      plain.push({ key, revision });
      if (chance.is(0.002)) {
        trimmed = Math.max(trimmed, revision - chance.int(0, 6_000));
        keys.trim(trimmed);
        plain = plain.filter((one) => one.revision > trimmed);
      }
      if (chance.is(0.01)) {
        revision = Math.max(trimmed, revision - chance.int(0, 100));
        const lost = plain.filter((one) => one.revision > revision).map((one) => one.key);
        expect(keys.takeBack(revision)).to.deep.equal(new Set(lost.toReversed()));
        plain = plain.filter((one) => one.revision <= revision);
      }
      const asked = `key-${chance.int(0, 2_000)}`;
      const last = plain.findLast((one) => one.key === asked);
      expect(keys.get(asked)?.revision, `SEED=${String(seed)}`).to.equal(last?.revision);
      expect(keys.size).to.equal(plain.length);
    }
  });

  it('find keys that were chosen to share a hash, however many they are', () => {
    const keys = new RecentKeys();
    const same = keysOfOneSlot(500);
    for (const [revision, key] of same.entries()) {
      keys.add(key, known(revision));
      keys.add(`other ${revision}`, known(revision));
    }
    expect(keys.get('never used')).to.equal(undefined);
    for (const [revision, key] of same.entries()) {
      expect(keys.get(key)).to.deep.equal(known(revision));
      expect(keys.get(`other ${revision}`)).to.deep.equal(known(revision));
    }
    keys.add(same[0]!, known(1_000));
    expect(keys.get(same[0]!)).to.deep.equal(known(1_000));
    keys.takeBack(999);
    expect(keys.get(same[0]!)).to.deep.equal(known(0));
  });
});

/** Keys whose hashes are equal in the bits that find their place, whatever the size of the table. */
function keysOfOneSlot(count: number): string[] {
  const bits = 0x1fff;
  const found: string[] = [];
  for (let n = 0; found.length < count; n += 1) {
    if ((keyHash(`key ${n}`).a & bits) === 7) found.push(`key ${n}`);
  }
  return found;
}
