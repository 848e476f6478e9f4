import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import ts from 'typescript';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const ENTRY = 'src/library/client.ts';
const files = [ENTRY, ...globSync('src/library/client/*.ts', { cwd: ROOT })];

describe('the sources of the client', () => {
  it('import nothing but each other', () => {
    const imported = files.flatMap(
      (file) => ts.preProcessFile(readFileSync(join(ROOT, file), 'utf8')).importedFiles,
    );
    expect(imported.length).to.be.above(10);
    const others = imported.filter(({ fileName }) => !/^\.\/(client\/)?[\w-]+\.ts$/.test(fileName));
    expect(others).to.deep.equal([]);
  });

  it('use nothing that a browser or Node 20 does not have', () => {
    const program = ts.createProgram([join(ROOT, ENTRY)], {
      ...{ target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, types: [] },
      lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
      moduleResolution: ts.ModuleResolutionKind.Bundler,
      ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
      ...{ noEmit: true, allowImportingTsExtensions: true, skipLibCheck: true },
    });
    const messages = ts
      .getPreEmitDiagnostics(program)
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
    expect(messages).to.deep.equal([]);
  });
});
