import { expect } from 'chai';
import { Refusal } from '#src/kernel/errors.ts';
import { mergedMetadata } from '#src/kernel/patch.ts';
import { keys } from '#test/support/metadata-samples.ts';

describe('merged metadata', () => {
  it('sets what has a value, removes what is null, and keeps the rest', () => {
    expect(mergedMetadata({ a: 1, b: 2 }, { b: null, c: 3 })).to.deep.equal({ a: 1, c: 3 });
    expect(mergedMetadata({ a: 1 }, {})).to.deep.equal({ a: 1 });
    expect(mergedMetadata({ a: 1 }, undefined)).to.deep.equal({ a: 1 });
    expect(mergedMetadata({ a: 1 }, { a: null })).to.equal(undefined);
    expect(mergedMetadata({ a: 1 }, null)).to.equal(undefined);
  });

  it('has 100 keys at most, those that stay included', () => {
    expect(mergedMetadata(keys(40), keys(60, 40))).to.deep.equal(keys(100));
    expect(mergedMetadata(keys(100), { ...keys(1, 100), k0: null })).to.deep.equal(keys(100, 1));
    expect(mergedMetadata(keys(100), keys(100))).to.deep.equal(keys(100));
    expectTooMany(keys(40), keys(61, 40));
    expectTooMany(keys(100), { k100: 1, unheard: null });
  });

  it('may keep as many as it has, where that is more from before there was a limit', () => {
    expect(mergedMetadata(keys(130), { k0: 'new' })).to.deep.equal({ ...keys(130), k0: 'new' });
    expect(mergedMetadata(keys(130), { ...keys(1, 130), k0: null })).to.deep.equal(keys(130, 1));
    expect(mergedMetadata(keys(130), { k129: null })).to.deep.equal(keys(129));
    expectTooMany(keys(130), keys(1, 130));
  });
});

const expectTooMany = (...[before, changes]: Parameters<typeof mergedMetadata>): void => {
  expect(() => mergedMetadata(before, changes))
    .to.throw(Refusal)
    .with.property('refusal', 'TOO_MANY_KEYS');
};
