import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { openBook, posted, transfer } from '#test/e2e/books.ts';
import { newUsersEnvironment, ROOT } from '#test/readme/fresh-copy.ts';
import { clientOf } from '#test/support/client.ts';
import { freePort, removeFolder, temporaryFolder } from '#test/support/server.ts';

const run = promisify(execFile);

/** A program that uses the libraries of the package, checked as strictly as TypeScript can. */
const PROGRAM = `
import { createConsumer } from 'quipu/consumer';
import { createProducer } from 'quipu/streaming';
export const made: readonly ((...args: never[]) => unknown)[] = [createConsumer, createProducer];
`;

describe('the package', function () {
  this.timeout(600_000);
  const env = newUsersEnvironment();
  const folder = temporaryFolder();
  const inFolder = async (command: string, ...args: string[]) =>
    (await run(command, args, { cwd: folder, env })).stdout;

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

  it('has a server whose log verifies', async () => {
    const port = await freePort();
    const settings = { PORT: String(port), DATA_DIR: 'data' };
    const server = spawn('npx', ['quipu', 'serve'], {
      ...{ cwd: folder, detached: true, stdio: ['ignore', 'pipe', 'inherit'] },
      env: { ...env, ...settings },
    });
    const ended = once(server, 'exit');
    try {
      const [line] = (await once(server.stdout, 'data')) as [Buffer];
      expect(line.toString()).to.contain(`Quipu is ready at http://127.0.0.1:${port},`);
      const client = clientOf(() => ({ port }));
      const book = await openBook(client, { accounts: ['@bob'], funds: { '@alice': '500' } });
      await posted(client, book.at, transfer('@alice', '@bob', '120.04'));
      client.close();
    } finally {
      process.kill(-server.pid!, 'SIGINT'); // As Ctrl-C does in a terminal.
      await ended;
    }
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
    const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
    const types = ['--types', 'node', '--typeRoots', join(ROOT, 'node_modules', '@types')];
    const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess'];
    const target = ['--module', 'NodeNext', '--target', 'es2025', '--lib', 'esnext'];
    await inFolder('node', tsc, 'program.ts', '--skipLibCheck', ...types, ...strict, ...target);
    expect(await inFolder('npx', 'node', 'program.js')).to.equal('');
  });
});
