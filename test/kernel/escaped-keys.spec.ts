import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import fc from 'fast-check';

describe('names of members with escapes', () => {
  it('are read as they are, whatever was read before', () => {
    const name = fc.oneof(
      fc.constantFrom(
        '"',
        '\\',
        '\\"',
        '"]',
        '\\n',
        '\n',
        '\\u0022',
        'a',
        'a\\',
        'a"',
        '{"',
        '":',
        '',
      ),
      fc.string({ unit: fc.constantFrom('"', '\\', 'n', ':', ',', '{', ' ', '\u2028', '😀') }),
      fc.string(),
    );
    const value = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom(null, true, false, 0, -1.5e-7, 'a\\', '":', ' '),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(name, tie('value'), { maxKeys: 5 }),
      ),
    })).value;
    fc.assert(
      fc.property(value, fc.constantFrom(undefined, 2), (read, indent) => {
        const text = JSON.stringify(read, null, indent);
        expect(JSON.stringify(JSON.parse(text), null, indent)).to.equal(text);
      }),
      { numRuns: 20_000 },
    );
  });

  it('may be repeated, and may be that of the prototype', () => {
    expect(JSON.stringify(JSON.parse('{"\\"":1,"__proto__":{"a":2},"\\u0022":3}'))).to.equal('{"\\"":3,"__proto__":{"a":2}}'); // prettier-ignore
    expect(JSON.parse('{"\\"":1,"__proto__":{"a":2}}')).not.to.have.property('a');
  });

  it('are refused in a text that is not JSON', () => {
    for (const text of [
      '{"\\"":}',
      '{"\\"":1',
      '{"\\":1}',
      '{"\\x":1}',
      '["\\":1]',
      '{"\\"":1}}',
    ]) {
      expect(() => JSON.parse(text) as unknown, text).to.throw(SyntaxError);
    }
  });

  it('are still misread by the engine: when this fails, src/escaped-keys.js has had its day', () => {
    const read = runInNewContext(`
      JSON.parse('{"h":[],"\\\\\\\\":0}');
      Object.keys(JSON.parse('{"h":1,"\\\\"":2}'))[1];
    `) as unknown;
    expect(read).to.equal('\\');
  });
});
