import { expect } from 'chai';
import { assert, property, string } from 'fast-check';
import { detached } from '#src/kernel/detached.ts';

describe('a detached text', () => {
  it('is the same text, whatever its characters and its length', () => {
    assert(
      property(string({ unit: 'binary', maxLength: 400 }), (text) => {
        expect(detached(text)).to.equal(text);
        expect(detached(`é${text}`)).to.equal(`é${text}`);
      }),
    );
    for (const length of [0, 1, 255, 256, 257, 70_000]) {
      expect(detached('ÿ'.repeat(length))).to.equal('ÿ'.repeat(length));
      expect(detached('Ā'.repeat(length))).to.equal('Ā'.repeat(length));
    }
  });
});
