import { execFile, execFileSync } from 'node:child_process';
import { cpSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fetched } from '#test/support/fetched.ts';

/** Returns the programs that the machine must have and has not. */
export const missingPrograms = (): readonly string[] =>
  Object.entries(PROGRAMS).flatMap(([program, version]) => {
    try {
      execFileSync(program, [version], { stdio: 'ignore' });
      return [];
    } catch {
      return [program];
    }
  });

const PROGRAMS = { java: '-version', mvn: '--version', go: 'version', python3: '--version' };

/** Installs the linter and generators that run on Node apart from the project: one needs an older TypeScript. */
export async function nodeModules(): Promise<string> {
  const inputs = ['package.json', 'package-lock.json'].map((name) => join(TOOLS, name));
  const folder = await fetched('generated-clients-npm', inputs, async (partial) => {
    for (const input of inputs) cpSync(input, join(partial, input.slice(TOOLS.length)));
    await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: partial });
  });
  return join(folder, 'node_modules');
}

/** Fetches the jar of the OpenAPI Generator. */
export async function jarOfGenerator(): Promise<string> {
  const pom = join(TOOLS, 'pom.xml');
  const folder = await fetched('generated-clients-jar', [pom], (partial) =>
    run('mvn', [
      ...['--batch-mode', '--quiet', '-f', pom, 'dependency:copy-dependencies'],
      `-DoutputDirectory=${partial}`,
    ]),
  );
  const [jar = ''] = readdirSync(folder).filter((name) => name.endsWith('.jar'));
  return join(folder, jar);
}

const run = promisify(execFile);
const TOOLS = join(import.meta.dirname, 'tools');
