import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { readSettings } from '#src/bootstrap/settings.ts';

const root = join(import.meta.dirname, '..', '..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

describe('the documentation of settings', () => {
  const docs = ['README.md', ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`)]
    .filter((name) => name.endsWith('.md'))
    .map(read)
    .join('\n');

  it('has every setting that the program reads', () => {
    const documented = new Set(docs.match(/\b[A-Z][A-Z0-9_]+\b/g));
    const missing = [...namesRead()].filter((name) => !documented.has(name));
    expect(missing).to.deep.equal([]);
  });

  it('has no setting in its tables that the program does not read', () => {
    const cells = [...docs.matchAll(/^\| ((?:`[A-Z][A-Z0-9_]+`(?:, )?)+) \|/gm)];
    const tabled = cells.flatMap(([, cell = '']) => [...cell.matchAll(/`(\w+)`/g)]);
    expect(tabled).to.have.length.above(60);
    const known = namesRead();
    expect(tabled.map(([, name = '']) => name).filter((name) => !known.has(name))).to.deep.equal(
      [],
    );
  });
});

/** The names are read in any case, whether the features that they belong to are on or off. */
function namesRead(): ReadonlySet<string> {
  const names = new Set<string>();
  const env = new Proxy<Record<string, string | undefined>>(
    {},
    {
      get(_, name) {
        names.add(String(name));
        return undefined;
      },
    },
  );
  readSettings(env, () => undefined);
  return names;
}
