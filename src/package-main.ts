import { execFileSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';

/**
 * Writes the package into dist/: JavaScript, the types of what it exports, and a manifest of its own, because Node strips
 * no types below node_modules. `npm pack ./dist` makes the archive.
 */
const OUT = 'dist';
const FOLDERS = ['src', 'commands', 'projections', 'queries'];
const NOT_SHIPPED = /^src\/\w+-main\.ts$/;

type Manifest = Readonly<{
  exports: Readonly<Record<string, string>>;
  scripts: unknown;
  devDependencies: unknown;
}>;
const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest;
const libraries = Object.values(manifest.exports).filter((file) => file.endsWith('.ts'));

rmSync(OUT, { recursive: true, force: true });
for (const file of FOLDERS.flatMap((folder) => globSync(`${folder}/**/*.{ts,js,json}`))) {
  if (NOT_SHIPPED.test(file)) continue;
  mkdirSync(dirname(join(OUT, file)), { recursive: true });
  if (file.endsWith('.ts')) writeFileSync(join(OUT, scriptOf(file)), javascriptOf(file));
  else cpSync(file, join(OUT, file));
}
for (const file of ['LICENSE', 'README.md', 'CHANGELOG.md']) cpSync(file, join(OUT, file));
execFileSync(process.execPath, [
  ...['node_modules/typescript/bin/tsc', '--ignoreConfig', ...libraries],
  ...['--module', 'NodeNext', '--target', 'es2025', '--lib', 'esnext', '--types', 'node'],
  ...['--strict', '--exactOptionalPropertyTypes', '--allowImportingTsExtensions', '--skipLibCheck'],
  ...['--declaration', '--emitDeclarationOnly', '--rootDir', '.', '--outDir', OUT],
]);
writeFileSync(join(OUT, 'package.json'), JSON.stringify(manifestOf(manifest), null, 2) + '\n');

function javascriptOf(file: string): string {
  const compilerOptions: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2025,
    module: ts.ModuleKind.ESNext,
    verbatimModuleSyntax: true,
    rewriteRelativeImportExtensions: true,
  };
  return ts.transpileModule(readFileSync(file, 'utf8'), { compilerOptions }).outputText;
}

/** Sources name their imports with the extension of TypeScript, which the manifest maps. */
function manifestOf({ scripts: _, devDependencies: _dev, ...rest }: Manifest): object {
  const shipped = (file: string): object => ({
    types: file.replace(/\.ts$/, '.d.ts'),
    default: scriptOf(file),
  });
  return {
    ...rest,
    bin: { quipu: './src/cli/bin.js' },
    imports: Object.fromEntries(
      FOLDERS.flatMap((folder): [string, unknown][] => [
        [`#${folder}/*.ts`, shipped(`./${folder}/*.ts`)],
        [`#${folder}/*.json`, `./${folder}/*.json`],
      ]),
    ),
    exports: Object.fromEntries(
      Object.entries(rest.exports).map(([name, file]) => [
        name,
        file.endsWith('.ts') ? shipped(file) : file,
      ]),
    ),
  };
}

function scriptOf(file: string): string {
  return file.replace(/\.ts$/, '.js');
}
