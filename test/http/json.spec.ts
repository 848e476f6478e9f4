import { expect } from 'chai';
import fc from 'fast-check';
import { Refusal } from '#src/kernel/errors.ts';
import { parse, parseBytes, type JsonHints } from '#src/http/json.ts';
import { runsOf } from '#test/support/random.ts';

const amounts: JsonHints = {
  members: new Map([
    ['amount', { decimal: true }],
    ['metadata', { free: true }],
    ['legs', { items: { members: new Map([['value', { decimal: true as const }]]) } }],
  ]),
  others: { decimal: true },
};

describe('JSON reader', () => {
  it('reads what JSON.parse reads', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), (text) => {
        const expected: unknown = JSON.parse(text);
        if (text.includes('__proto__') || text.includes('\\u0000') || hasLoneSurrogate(expected))
          return;
        expect(outcome(text)).to.deep.equal({ value: expected });
      }),
      { numRuns: runsOf(2000) },
    );
  });

  it('reads the same from bytes, of ASCII alone or not, with texts of any length', () => {
    const words = fc.string({ unit: fc.constantFrom('a', 'Z', '~', ' ', 'é', '𝄞'), maxLength: 30 });
    fc.assert(
      fc.property(fc.dictionary(words, fc.array(words)), (value) => {
        const text = JSON.stringify(value);
        expect(parseBytes(Buffer.from(text), text)).to.deep.equal(value);
      }),
    );
    const text = JSON.stringify({ description: 'of ASCII, and longer than a word' });
    expect(parseBytes(Buffer.from(text), text)).to.deep.equal(JSON.parse(text));
  });

  it('refuses what JSON.parse refuses, and reads nothing else into broken text', () => {
    const character = fc.constantFrom(
      ...'{}[]",:.-+eE0123456789 \n\ttrufalsn\\/b\u0001é'.split(''),
    );
    const broken = fc.array(character, { maxLength: 12 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(broken, (text) => {
        const ours = outcome(text);
        if ('value' in ours) expect(ours.value).to.deep.equal(JSON.parse(text));
        else if (ours.refused === 'BODY_UNREADABLE' && !duplicates(text)) {
          expect(() => JSON.parse(text) as unknown, text).to.throw(SyntaxError);
        }
      }),
      { numRuns: runsOf(20_000) },
    );
  });

  it('refuses what a valid text becomes when one character is changed, as JSON.parse does', () => {
    const text = '{"a":[1,-2.5e+3,"x\\n\\u00e9",true,null],"b":{"c":"d"}}';
    fc.assert(
      fc.property(fc.nat(text.length - 1), fc.string({ maxLength: 2 }), (at, put) => {
        const changed = text.slice(0, at) + put + text.slice(at + 1);
        const ours = outcome(changed);
        if ('value' in ours) expect(ours.value).to.deep.equal(JSON.parse(changed));
        else if (ours.refused === 'BODY_UNREADABLE' && !duplicates(changed)) {
          expect(() => JSON.parse(changed) as unknown, changed).to.throw(SyntaxError);
        }
      }),
      { numRuns: runsOf(5000) },
    );
  });

  it('gives the text of a number where an exact decimal stands', () => {
    const text =
      '{"amount":100000000000000000000000000.000000000001,"n":1.50,"legs":[{"value":1e2}]}';
    expect(parse(text, amounts)).to.deep.equal({
      amount: '100000000000000000000000000.000000000001',
      n: '1.50',
      legs: [{ value: '1e2' }],
    });
    expect(parse('{"n":1.50}')).to.deep.equal({ n: 1.5 });
  });

  it('gives no number where an integer stands and it would be rounded to one', () => {
    const integer: JsonHints = { integer: true };
    for (const whole of ['100', '100.0', '1e2', '1.0e2', '1000E-1', '-0', '0.0e-5', '12.50e1']) {
      expect(parse(whole, integer), whole).to.equal(Number(whole));
    }
    const zeros = '0'.repeat(200_000);
    for (const rounded of ['99.99999999999999999999', '-1e-400', `1${zeros}.${zeros}1e-200000`]) {
      expect(parse(rounded, integer), rounded).to.be.NaN;
      expect(parse(rounded), rounded).to.equal(Number(rounded));
    }
    expect(parse('1.5', integer)).to.equal(1.5);
  });

  it('makes no work of an exponent beyond all bounds', () => {
    expect(parse('{"amount":1e1000000}', amounts)).to.deep.equal({ amount: '1e999' });
    expect(parse('{"amount":-1E-1000000}', amounts)).to.deep.equal({ amount: '-1e-999' });
    expect(parse('{"amount":0.0e1000000}', amounts)).to.deep.equal({ amount: '0' });
    expect(parse('{"amount":5e000001}', amounts)).to.deep.equal({ amount: '5e1' });
    expect(parse('{"n":1e1000000}')).to.deep.equal({ n: Infinity });
    expect((parse(`[${'9'.repeat(500_000)}]`) as number[])[0]).to.equal(Infinity);
  });

  it('refuses a member that comes twice, at any depth, and names it', () => {
    expect(refusalOf('{"a":1,"a":1}')).to.include({ refusal: 'BODY_UNREADABLE' });
    const { details } = refusalOf('{"send":{"legs":[{},{"x":1,"y":2,"x":3}]}}');
    expect(details.findings?.[0]?.location).to.equal('send.legs[1].x');
    expect(refusalOf('{"a":1,"\\u0061":2}')).to.include({ refusal: 'BODY_UNREADABLE' });
  });

  it('refuses __proto__, however it is written, and takes other inherited names as data', () => {
    expect(refusalOf('{"__proto__":{"admin":true}}')).to.include({ refusal: 'BODY_UNREADABLE' });
    expect(refusalOf('{"a":{"\\u005f_proto__":1}}')).to.include({ refusal: 'BODY_UNREADABLE' });
    const read = parse('{"constructor":1,"toString":2,"hasOwnProperty":3}');
    expect(Object.keys(read as object)).to.deep.equal([
      'constructor',
      'toString',
      'hasOwnProperty',
    ]);
    expect(refusalOf('{"toString":2,"toString":3}')).to.include({ refusal: 'BODY_UNREADABLE' });
  });

  it('goes ten levels deep and no further, whatever comes after', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    expect(outcome(nested(10))).to.have.property('value');
    expect(outcome(nested(11))).to.deep.equal({ refused: 'TOO_DEEP' });
    expect(outcome('[{"a":'.repeat(200_000))).to.deep.equal({ refused: 'TOO_DEEP' });
  });

  it('takes a hundred keys in a free-form object', () => {
    const keys = (n: number) => Array.from({ length: n }, (_, i) => `"k${i}":${i}`).join(',');
    expect(outcome(`{"metadata":{${keys(100)}}}`, amounts)).to.have.property('value');
    expect(outcome(`{"metadata":{${keys(101)}}}`, amounts)).to.deep.equal({
      refused: 'TOO_MANY_KEYS',
    });
    expect(outcome(`{"a":{${keys(101)}}}`)).to.have.property('value');
  });

  it('refuses a NUL character and text that is not Unicode', () => {
    const { refusal, details } = refusalOf('{"a":{"b":"x\\u0000y"}}');
    expect(refusal).to.equal('MALFORMED_FIELD');
    expect(details.findings?.[0]?.location).to.equal('a.b');
    expect(outcome('{"a\\u0000":1}')).to.deep.equal({ refused: 'MALFORMED_FIELD' });
    expect(outcome('"\\ud800"')).to.deep.equal({ refused: 'BODY_UNREADABLE' });
    expect(outcome('"\\ud83d\\ude00"')).to.deep.equal({ value: '😀' });
  });

  it('says where it stopped', () => {
    expect(refusalOf('{\n  "a": 1,\n  "b" 2\n}').message).to.equal(
      'The body is not JSON: unexpected "2" at line 3, column 7.',
    );
    expect(refusalOf('{"a":').message).to.include('it ends too early, at line');
    expect(refusalOf('1 2').message).to.include('line 1, column 3');
  });
});

function outcome(text: string, places?: JsonHints): { value: unknown } | { refused: string } {
  try {
    return { value: parse(text, places) };
  } catch (error) {
    if (error instanceof Refusal) return { refused: error.refusal };
    throw error;
  }
}

function refusalOf(text: string): Refusal {
  try {
    parse(text);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error('It was read');
}

/** Tells whether JSON.parse may read a text that we refuse for a repeated or reserved member, or lone surrogate. */
function duplicates(text: string): boolean {
  try {
    const names = [...text.matchAll(/"((?:[^"\\]|\\.)*)"\s*:/g)].map(([, name]) => name);
    return new Set(names).size < names.length || /__proto__|\\u[dD][89a-fA-F]/.test(text);
  } catch {
    return false;
  }
}

function hasLoneSurrogate(value: unknown): boolean {
  if (typeof value === 'string') return !value.isWellFormed();
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(
    ([name, member]) => !name.isWellFormed() || hasLoneSurrogate(member),
  );
}
