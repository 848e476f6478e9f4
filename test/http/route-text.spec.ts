import { expect } from 'chai';
import { routeRows } from '#src/http/route-rows.ts';
import { routeText } from '#src/http/route-text.ts';
import { routes } from '#src/bootstrap/routes.ts';

describe('the list of operations for people', () => {
  const rows = routeRows(routes);

  for (const width of [60, 80, 100, 200]) {
    it(`fits ${width} columns, and leaves nothing out`, () => {
      const text = routeText(rows, width);
      for (const line of text.split('\n')) expect(line.length, line).to.be.at.most(width);
      const [words, path] = [text.replaceAll(/\s+/g, ' '), text.replaceAll(/\s+/g, '')];
      for (const row of rows) {
        const names = [row.method, row.operationId, ...row.versions].filter(Boolean).join(' ');
        expect(words).to.include(` ${names} ${row.permission} ${row.summary}`);
        expect(path).to.include(row.path.replace(/^\/v\d+/, ''));
      }
    });
  }

  it('names a path once, above its operations', () => {
    const lines = routeText(rows, 100).split('\n');
    const at = lines.indexOf('/organizations');
    expect(lines.lastIndexOf('/organizations')).to.equal(at);
    const next = lines.indexOf('', at);
    const operations = lines.slice(at, next).filter((line) => /^ {2}[A-Z]/.test(line));
    expect(operations.map((line) => line.trim().split(/\s+/)[1])).to.deep.equal([
      'listOrganizations',
      'createOrganization',
    ]);
  });
});
