import { expect } from 'chai';
import { guidesOf, prose } from '#src/http/pages/prose.ts';

describe('prose of descriptions', () => {
  it('becomes paragraphs, lists and code, and nothing in it is markup', () => {
    expect(prose('One `a<b>` &\ntwo.\n\n- x\n- y\n').markup).to.equal(
      '<p>One <code>a&#60;b&#62;</code> &#38;\ntwo.</p><ul><li>x</li><li>y</li></ul>',
    );
  });

  it('links codes of errors', () => {
    expect(prose('See `LDG-0018`.').markup).to.equal(
      '<p>See <a href="/docs/errors/LDG-0018"><code>LDG-0018</code></a>.</p>',
    );
  });

  it('is divided into guides by headings', () => {
    const { intro, guides } = guidesOf('Before.\n\n## One and two\n\nText.\n\n## Three\n\n- x');
    expect(intro.markup).to.equal('<p>Before.</p>');
    expect(guides.map(({ title, id }) => [title, id])).to.deep.equal([
      ['One and two', 'guide-one-and-two'],
      ['Three', 'guide-three'],
    ]);
    expect(guides[1]?.content.markup).to.equal('<ul><li>x</li></ul>');
  });
});
