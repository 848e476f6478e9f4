import { expect } from 'chai';
import fc from 'fast-check';
import { memberText } from '#src/kernel/member-text.ts';

describe('the text of a member of JSON', () => {
  it('is what parsing finds, whatever other members and texts look like', () => {
    const texts = fc.oneof(
      fc.string({ maxLength: 6 }),
      fc.constantFrom('key', 'key":"', '"key":"x"', '\\"key', 'my key', 'keykey', '"'),
    );
    const names = fc.constantFrom('key', 'mykey', 'keykey', 'keys', 'y', 'other key');
    fc.assert(
      fc.property(fc.dictionary(names, texts), (members) => {
        expect(memberText(JSON.stringify(members), 'key')).to.equal(members['key']);
      }),
      { numRuns: 2000 },
    );
  });
});
