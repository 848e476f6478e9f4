import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import ts from 'typescript';
import { clientSample } from '#src/http/pages/client-sample.ts';
import type { Description } from '#src/http/pages/description.ts';
import { apiReference } from '#src/http/pages/reference.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');

describe('the TypeScript samples of the reference', function () {
  this.timeout(300_000);

  it('compile against the client of the package', () => {
    const description = JSON.parse(
      readFileSync(join(ROOT, 'docs/openapi.json'), 'utf8'),
    ) as Description;
    const { operations } = apiReference(description, []);
    const samples = new Map(
      Array.from(operations, ([id, placed]) => {
        const sample = clientSample(placed, description.components.schemas);
        return [join(ROOT, 'samples', `${id}.ts`), sample ?? 'export {};'] as const;
      }),
    );
    expect(samples.size).to.equal(operations.size).and.above(300);
    expect(errorsIn(samples)).to.deep.equal([]);
    const [first] = samples.keys();
    const wrong = new Map([[first!, samples.get(first!)!.replace('legalName', 'legalNam')]]);
    expect(errorsIn(wrong)).to.have.length(1);
  });
});

/** Compiles sources that are in no file. */
function errorsIn(sources: ReadonlyMap<string, string>): string[] {
  const options: ts.CompilerOptions = {
    ...{ target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, types: ['node'] },
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    paths: { 'quipu/client': [join(ROOT, 'src/library/client.ts')] },
    ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
    ...{ noEmit: true, allowImportingTsExtensions: true, skipLibCheck: true },
  };
  const disk = ts.createCompilerHost(options);
  const host: ts.CompilerHost = {
    ...disk,
    fileExists: (file) => sources.has(file) || disk.fileExists(file),
    getSourceFile(file, target, ...others) {
      const text = sources.get(file);
      return text === undefined
        ? disk.getSourceFile(file, target, ...others)
        : ts.createSourceFile(file, text, target);
    },
  };
  return ts
    .getPreEmitDiagnostics(ts.createProgram([...sources.keys()], options, host))
    .map(
      ({ file, messageText }) =>
        `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
    );
}
