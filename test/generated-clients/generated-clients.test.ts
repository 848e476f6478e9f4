import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { serverOfBlock, temporaryFolder } from '#test/support/server.ts';
import { generators } from './generators.ts';
import { missingPrograms, nodeModules } from './tools.ts';

/** Every story reports these facts: the same bank in each language. */
const TOLD = {
  repeated: true,
  amount: '100.000000000000000000001',
  direct: ['@alice'],
  refusal: 'LDG-0018',
  listed: ['deposit', 'transfer', 'direct'],
  balances: ['899.899999999999999999999', '100.100000000000000000001'],
};

/**
 * Generators of clients read the API description as its users do. Each client is compiled with a story, which sends and
 * reads what a small bank does, and is told to a running server.
 */
describe('clients generated from the API description', function () {
  this.timeout(10 * 60_000);
  const server = serverOfBlock();
  let description = '';
  before(async function () {
    const missing = missingPrograms();
    if (missing.length > 0 && process.env['REQUIRE_CLIENTS'] !== '1') this.skip();
    expect(missing, 'programs that this machine lacks').to.deep.equal([]);
    const response = await fetch(`http://127.0.0.1:${server().port}/openapi.json`);
    description = join(temporaryFolder(), 'openapi.json');
    writeFileSync(description, await response.text());
  });

  it('pass the recommended rules of Redocly without a warning', async () => {
    const redocly = join(await nodeModules(), '@redocly', 'cli', 'bin', 'cli.js');
    const config = join(import.meta.dirname, 'redocly.yaml');
    const args = [redocly, 'lint', description, '--config', config, '--format', 'json'];
    const quiet = { REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', REDOCLY_TELEMETRY: 'off' };
    const { stdout } = await promisify(execFile)(process.execPath, args, {
      ...{ env: { ...process.env, ...quiet }, maxBuffer: 64 * 1024 * 1024 },
    }).catch((error: unknown) => error as { stdout: string });
    const { problems } = JSON.parse(stdout) as { problems: { ruleId: string; message: string }[] };
    const found = problems.map(({ ruleId, message }) => `${ruleId}: ${message}`);
    expect(found).to.deep.equal([]);
  });

  for (const [name, tell] of Object.entries(generators)) {
    it(`${name}: compiles, and tells the story of a bank`, async () => {
      const env = { ...process.env, QUIPU_URL: `http://127.0.0.1:${server().port}` };
      const told = await tell({ description, folder: temporaryFolder(), env });
      expect(JSON.parse(told)).to.deep.equal(TOLD);
    });
  }
});
