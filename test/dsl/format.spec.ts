import { expect } from 'chai';
import fc from 'fast-check';
import { formatScript } from '#test/support/format-script.ts';
import { parseScript } from '#src/dsl/parse.ts';
import { anyScript } from '#test/support/any-script.ts';
import { split } from './scripts.ts';

describe('formatted script', () => {
  it('says what it was made from, whatever that is', () => {
    fc.assert(
      fc.property(anyScript, (said) => {
        expect(parseScript(formatScript(said))).to.deep.equal(said);
      }),
      { numRuns: 100 },
    );
  });

  it('is laid out one clause a line', () => {
    expect(formatScript(parseScript(split.replaceAll(/\s+/g, ' ')))).to.equal(split);
  });

  it('is not made of what the grammar cannot say', () => {
    const said = parseScript(split);
    for (const wrong of [
      { chartOfAccountsGroupName: 'a b' },
      { chartOfAccountsGroupName: '' },
      { description: 'He said "no"' },
      { code: 'não' },
      { metadata: { key: '' } },
      { send: { ...said.send, value: '1e3' } },
      { send: { ...said.send, value: '-1' } },
      { send: { ...said.send, source: { from: [{ accountAlias: 'a:b', remaining: 'x' }] } } },
    ]) {
      expect(() => formatScript({ ...said, ...wrong })).to.throw(TypeError, 'A script cannot say');
    }
  });
});
