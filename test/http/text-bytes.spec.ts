import { expect } from 'chai';
import { TextBytes } from '#src/http/text-bytes.ts';

describe('bytes of texts', () => {
  it('are those of all texts in UTF-8, however many there are', () => {
    for (const expectedBytes of [0, 7, 1000]) {
      const text = new TextBytes(expectedBytes);
      const texts = ['plain', '', 'zwölf', '€'.repeat(300), '💶', 'end'];
      for (const one of texts) text.add(one);
      expect(Buffer.from(text.bytes).toString()).to.equal(texts.join(''));
    }
  });

  it('are none for no text', () => {
    expect(new TextBytes(10).bytes).to.have.length(0);
  });
});
