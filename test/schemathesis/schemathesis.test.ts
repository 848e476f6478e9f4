import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect } from 'chai';
import { ADMIN, FIRST_ACCESS, LOGIN } from '#test/support/local-access.ts';
import { pythonWith } from '#test/support/python.ts';
import { quipu } from '#test/support/quipu.ts';
import { serverOfBlock, stopServer, temporaryFolder } from '#test/support/server.ts';

/** Pinned: another version generates other requests from the same seed. */
const VERSION = '4.32.5';
const HERE = import.meta.dirname;

/**
 * A foreign fuzzer reads the API description and sends what it allows and what it forbids, also along its links. What
 * it finds is a fault of the description or of the server; schemathesis/ states which findings are neither, and why.
 */
describe(`schemathesis ${VERSION} over every operation`, function () {
  this.timeout(28 * 60_000);
  const server = serverOfBlock({
    // The description states the most of a batch; a deployment may take fewer.
    env: { TRANSACTION_BATCH_MAX_SIZE: '50', ...FIRST_ACCESS },
  });

  it('finds nothing', async () => {
    const python = await pythonWith('schemathesis', join(HERE, 'requirements.txt'));
    const { code, output } = await attack(python, `http://127.0.0.1:${server().port}`);
    console.log(summaryOf(output));
    expect(code, output).to.equal(0);
    expect(output).to.match(/Operations:\s+(\d+) selected \/ \1 total/);
    const [, covered = '0'] = /API Links:\s+(\d+) covered/.exec(output) ?? [];
    expect(Number(covered), 'links followed').to.be.above(LINKS_LEAST);
  });

  it('leaves a sound folder', async () => {
    await stopServer(server());
    const said = await quipu(['verify', server().dataDir]);
    expect(said, said.stderr).to.include({ code: 0 });
    expect(said.stdout).to.match(/Sound: \d+ events in \d+ journals\.\n$/);
  });
});

async function attack(python: string, address: string) {
  const login = { url: address + LOGIN, body: { grantType: 'password', ...ADMIN } };
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(
    python,
    [
      ...['-m', 'schemathesis.cli', '--no-color'],
      ...['--config-file', join(HERE, 'schemathesis.toml')],
      ...['run', `${address}/openapi.json`],
    ],
    {
      env: {
        ...{ PATH, HOME, PYTHONDONTWRITEBYTECODE: '1' },
        SCHEMATHESIS_HOOKS: join(HERE, 'hooks.py'),
        SCHEMATHESIS_LOGIN: JSON.stringify(login),
      },
      cwd: temporaryFolder(), // It leaves notes of its own.
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  const { promise, resolve, reject } = Promise.withResolvers<number | null>();
  child.once('close', resolve).once('error', reject);
  return { code: await promise, output };
}

const summaryOf = (output: string): string =>
  output
    .split('\n')
    .filter((line) =>
      /Operations:|API Links:|generated|(Examples|Coverage|Fuzzing|Stateful) \(/.test(line),
    )
    .map((line) => `    ${line.trim()}`)
    .join('\n');

/** Of 647: a run that never got past ids would follow none. */
const LINKS_LEAST = 60;
