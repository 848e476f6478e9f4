import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { newUsersEnvironment, ROOT } from '#test/readme/fresh-copy.ts';
import { freePort, removeFolder, temporaryFolder } from '#test/support/server.ts';

const run = promisify(execFile);

/** A program that uses the libraries of the package. */
const PROGRAM = `
import { createConsumer } from 'quipu/consumer';
import { createProducer } from 'quipu/streaming';
export const made: readonly ((...args: never[]) => unknown)[] = [createConsumer, createProducer];
`;

/** Returns the blocks of TypeScript on a page, which form one program. */
function programOf(page: string): string {
  const text = readFileSync(join(ROOT, page), 'utf8');
  return [...text.matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, block]) => block).join('\n');
}

describe('the package', function () {
  this.timeout(600_000);
  const env = newUsersEnvironment();
  const folder = temporaryFolder();
  const inFolder = async (command: string, ...args: string[]) =>
    (await run(command, args, { cwd: folder, env })).stdout;
  /** Checks a program as strictly as TypeScript can, and compiles it. */
  const compile = (file: string, ...options: readonly string[]) => {
    const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
    const types = ['--types', 'node', '--typeRoots', join(ROOT, 'node_modules', '@types')];
    const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess'];
    return inFolder('node', tsc, file, '--module', 'NodeNext', ...types, ...strict, ...options);
  };

  before(() => {
    execFileSync('npm', ['run', '-s', 'build'], { cwd: ROOT, stdio: 'inherit' });
    execFileSync('npm', ['pack', './dist', '--pack-destination', folder], { cwd: ROOT });
    const [archive = ''] = readdirSync(folder);
    writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}');
    execFileSync('npm', ['install', '--no-audit', '--no-fund', `./${archive}`], {
      cwd: folder,
      env,
    });
  });
  after(() => removeFolder(folder));

  it('has a server, a client whose page works as it stands, and a log that verifies', async () => {
    for (const page of ['README', 'docs/client']) {
      const name = page.toLowerCase().replace('docs/', '');
      writeFileSync(join(folder, `${name}.ts`), programOf(`${page}.md`));
      await compile(`${name}.ts`, '--target', 'es2022', '--lib', 'es2022');
    }

    const port = await freePort();
    const settings = { PORT: String(port), DATA_DIR: 'data' };
    const server = spawn('npx', ['quipu', 'serve'], {
      ...{ cwd: folder, detached: true, stdio: ['ignore', 'pipe', 'inherit'] },
      env: { ...env, ...settings },
    });
    const ended = once(server, 'exit');
    const runs: string[] = [];
    try {
      const [line] = (await once(server.stdout, 'data')) as [Buffer];
      expect(line.toString()).to.contain(`Quipu is ready at http://127.0.0.1:${port},`);
      const QUIPU_URL = `http://127.0.0.1:${port}`;
      for (const program of ['readme.js', 'client.js']) {
        const { stdout } = await run('node', [program], {
          cwd: folder,
          env: { ...env, QUIPU_URL },
        });
        runs.push(stdout);
      }
    } finally {
      process.kill(-server.pid!, 'SIGINT'); // As Ctrl-C does in a terminal.
      await ended;
    }
    const [readme = '', page = ''] = runs;
    expect(readme).to.match(/^[0-9a-f-]{36}\n$/);
    const lines = page.trimEnd().split('\n');
    expect(lines.slice(0, 2)).to.deep.equal(['120.04', 'true']);
    expect(lines.slice(2, 6)).to.deep.equal([
      '10 APPROVED',
      '120.04 APPROVED',
      '500 APPROVED',
      '3',
    ]);
    expect(lines.filter((line) => /^\d+ TransactionPosted$/.test(line))).to.have.length(3);
    expect(lines.at(-2)).to.match(/^422 LDG-0018 ./);
    expect(lines.at(-1)).to.equal('true');
    expect(await inFolder('npx', 'quipu', 'verify', 'data')).to.match(
      /^ledger-\S+ .*[0-9a-f]{64}/m,
    );
  });

  it('runs on the release that it brings, whichever Node starts it', async () => {
    const bin = join('node_modules', 'quipu', 'src', 'cli', 'bin.js');
    expect(await inFolder('node', bin, '--version')).to.match(/^quipu \d/);
  });

  it('has libraries with types', async () => {
    writeFileSync(join(folder, 'program.ts'), PROGRAM);
    await compile('program.ts', '--skipLibCheck', '--target', 'es2025', '--lib', 'esnext');
    expect(await inFolder('npx', 'node', 'program.js')).to.equal('');
  });
});
