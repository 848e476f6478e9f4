import { expect } from 'chai';
import { ordinalOf, parseUuid, partId, PARTS_MAX, wholeId, type Uuid } from '#src/kernel/ids.ts';

const WHOLE = '01935f2a-7b10-7abc-8def-0123456f0000' as Uuid;

describe('UUID', () => {
  it('is read in any version and lowered', () => {
    const upper = 'F47AC10B-58CC-4372-A567-0E02B2C3D479';
    expect(parseUuid(upper)).to.equal(upper.toLowerCase());
    for (const version of '13457') {
      const text = `00000000-0000-${version}000-8000-000000000000`;
      expect(parseUuid(text)).to.equal(text);
    }
  });

  for (const text of [
    '',
    'x',
    WHOLE.slice(1),
    `${WHOLE}0`,
    ` ${WHOLE}`,
    `${WHOLE}\n`,
    `{${WHOLE}}`,
    WHOLE.replaceAll('-', ''),
    WHOLE.replace('a', 'g'),
  ]) {
    it(`is none in ${JSON.stringify(text)}`, () => {
      expect(parseUuid(text)).to.equal(undefined);
    });
  }
});

describe('id of a part', () => {
  it('is the id of the whole with its number at the end, and leads back to it', () => {
    expect(partId(WHOLE, 1)).to.equal('01935f2a-7b10-7abc-8def-0123456f0001');
    expect(partId(WHOLE, PARTS_MAX)).to.equal('01935f2a-7b10-7abc-8def-0123456fffff');
    for (const ordinal of [1, 15, 16, 1_000, PARTS_MAX]) {
      const part = partId(WHOLE, ordinal);
      expect(parseUuid(part)).to.equal(part);
      expect(wholeId(part)).to.equal(WHOLE);
      expect(ordinalOf(part)).to.equal(ordinal);
    }
  });

  it('has no number when it is no id', () => {
    for (const tail of ['', '1', '000g', '00:1', '000A', '00001', '001!']) {
      expect(ordinalOf((WHOLE.slice(0, 32) + tail) as Uuid), tail).to.be.NaN;
    }
  });

  it('has a number from 1 to 65,535', () => {
    for (const ordinal of [0, -1, PARTS_MAX + 1]) {
      expect(() => partId(WHOLE, ordinal)).to.throw('No part');
    }
  });
});
