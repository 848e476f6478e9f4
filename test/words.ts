import { globSync, readFileSync } from 'node:fs';
import ts from 'typescript';

const isTypeDeclaration = (node: ts.Statement) =>
  ts.isTypeAliasDeclaration(node) || ts.isInterfaceDeclaration(node) || ts.isClassDeclaration(node);

const productFiles = () =>
  globSync('{src,commands,projections,queries}/**/*.ts').filter(
    (file) => !GENERATED.includes(file),
  );
const textOf = (file: string) => readFileSync(file, 'utf8');

const GENERATED = ['src/library/client/api.ts'];
const FRAGMENT = /^\s*(\/\*)?\*+\s*(What|Of|Where|The same|Who|Whoever|How|Whether)\b/;

function* repeatedTypeNames(): Iterable<string> {
  const declared = productFiles().flatMap((file) =>
    ts
      .createSourceFile(file, textOf(file), ts.ScriptTarget.Latest)
      .statements.filter(isTypeDeclaration)
      .map(({ name }) => ({ name: name?.text, file })),
  );
  for (const [name, places] of Map.groupBy(declared, ({ name }) => name)) {
    if (places.length === 1) continue;
    yield `Type ${String(name)} is declared in ${places.map(({ file }) => file).join(', ')}`;
  }
}

function* fragments(): Iterable<string> {
  for (const file of productFiles()) {
    const lines = textOf(file).split('\n');
    for (const [at, line] of lines.entries()) {
      const opening = line.trim() === '/**' ? (lines[at + 1] ?? '') : line;
      if (!line.trim().startsWith('/**') || !FRAGMENT.test(opening)) continue;
      yield `${file}:${String(at + 1)} begins a comment with a fragment: ${opening.trim()}`;
    }
  }
}

/**
 * Prints what a stranger would stumble over, and fails if there is any: a type name that two product files declare, and
 * a doc comment that begins like an answer to a question instead of a sentence.
 */
const findings = [...repeatedTypeNames(), ...fragments()];
for (const finding of findings) console.log(finding);
console.log(`${String(findings.length)} findings`);
process.exitCode = findings.length === 0 ? 0 : 1;
