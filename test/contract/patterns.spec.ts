import { expect } from 'chai';
import { publishedPatterns } from '#test/support/published-patterns.ts';

/**
 * What ECMAScript, Python, Java, RE2 (Go) and Rust read in the same way: characters, classes of characters and ranges,
 * plain groups, choices and greedy repetition. Not what one of them lacks (lookaround, references, `[^]`, more than 1000
 * repetitions) or takes for something else (`\d`, `\s`, `\w`, `\p`, `.`).
 */
const ESCAPE = String.raw`\\(?:[tnfr]|x[0-9a-f]{2}|[.*+?^$(){}|[\]\\/-])`;
const PORTABLE = new RegExp(
  `^(?:(?:${ESCAPE}|\\[\\^?(?:${ESCAPE}|[^[\\]\\\\])+\\]|[()|^$]|[^\\\\[\\](){}*+?|^$.])` +
    `(?:[*+?]|\\{\\d{1,3}(?:,\\d{0,3})?\\})?)+$`,
  'u',
);
/** `(?` begins what is no plain group, `[^]` is one of ECMAScript's alone, the others are operations on classes. */
const SPECIAL = ['(?', '[^]', '--', '&&', '~~'];
const isPortable = (pattern: string): boolean =>
  PORTABLE.test(pattern) && !SPECIAL.some((one) => pattern.includes(one));

describe('published patterns', () => {
  for (const pattern of publishedPatterns()) {
    it(`${pattern} means the same to every engine`, () => {
      expect(isPortable(pattern)).to.equal(true);
      expect(() => new RegExp(pattern)).not.to.throw();
    });
  }

  it('would be refused in a form that an engine lacks or reads in its own way', () => {
    const others = [
      ...['^\\p{L}*$', '^[^]*$', '^\\S+$', '\\d', '[\\w]', '^(?!a)', '(?<n>a)', '(a)\\1', 'a*?'],
      ...['^.$', '^[!-~]{0,1024}$', '[a&&b]', '[a--b]', '\\u00e9', '[[:alpha:]]', 'a++', '['],
    ];
    expect(others.filter(isPortable)).to.deep.equal([]);
  });
});
