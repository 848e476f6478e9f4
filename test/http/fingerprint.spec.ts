import { createHash } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { canonical, fingerprint } from '#src/http/fingerprint.ts';

/** Canonical JSON as RFC 8785 words it: sort the members of every object, then stringify. */
function defined(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(defined).join(',')}]`;
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${defined(member)}`);
  return `{${members.join(',')}}`;
}

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string(),
  fc.constantFrom('\ud800', '\u007f', '\u2028', '"', '\\', '\n', 'é', '€', '💶', '10', '9'),
);
const anyValue = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    text,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(text, fc.option(tie('value'), { nil: undefined }), { maxKeys: 20 }),
  ),
})).value;

describe('canonical JSON', () => {
  it('is what sorting all members and stringifying them gives', () =>
    fc.assert(
      fc.property(anyValue, (value) => {
        expect(canonical(value)).to.equal(defined(value));
      }),
      { numRuns: 1000 },
    ));

  it('has the fingerprint of its UTF-8 text, of any length', () =>
    fc.assert(
      fc.property(anyValue, fc.nat({ max: 100_000 }), (value, length) => {
        const body = { value, long: '€'.repeat(length / 3), plain: 'x'.repeat(length) };
        const hash = createHash('sha256')
          .update(`createSomething\n${defined(body)}`)
          .digest('hex');
        expect(fingerprint('createSomething', body)).to.equal(hash);
      }),
      { numRuns: 200 },
    ));
});
