import { expect } from 'chai';
import fc from 'fast-check';
import { decodeKey, encodeKey } from '#src/adapters/embedded/index-key.ts';

/** Texts that are almost UUIDs. */
const nearly = fc
  .tuple(fc.uuid(), fc.nat(35), fc.string({ minLength: 1, maxLength: 1 }))
  .map(([id, at, other]) => id.slice(0, at) + other + id.slice(at + 1));

describe('a key of the journal index', () => {
  it('is stored as sixteen bytes if it is a UUID, in the order of its text', () =>
    fc.assert(
      fc.property(fc.uuid(), fc.uuid(), (a, b) => {
        const [first, second] = [encodeKey(a), encodeKey(b)] as [Uint8Array, Uint8Array];
        expect(Buffer.from(first).toString('hex')).to.equal(a.replaceAll('-', ''));
        expect(Math.sign(Buffer.compare(first, second))).to.equal(a < b ? -1 : a > b ? 1 : 0);
      }),
    ));

  it('is what it was when it is read back, whatever text it is', () =>
    fc.assert(
      fc.property(fc.oneof(fc.uuid(), nearly, fc.string({ unit: 'binary' })), (key) => {
        expect(decodeKey(encodeKey(key))).to.equal(key);
      }),
      { numRuns: 1000 },
    ));

  for (const key of [
    '0190A000-0000-7000-8000-000000000001',
    '0190a000-0000-7000-8000+000000000001',
  ]) {
    it(`is stored as text if it is not a UUID in its canonical form: ${key}`, () => {
      expect(encodeKey(key)).to.equal(key);
    });
  }
});
