import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { until } from '#test/support/until.ts';
import { BROKERS, describeOnKafka } from './kafka.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const run = promisify(execFile);

/** The programs of the guide, by file name. */
const programs = [
  ...readFileSync(join(ROOT, 'docs', 'events-guide.md'), 'utf8').matchAll(
    /^```ts (\S+)\n([^]*?)^```$/gm,
  ),
].map(([, name = '', text = '']) => ({ name, text }));

/** As a user's project has them: strict, and with Node's own way of running TypeScript. */
const TSCONFIG = {
  compilerOptions: {
    ...{ module: 'NodeNext', target: 'es2025', lib: ['esnext'], types: ['node'], noEmit: true },
    ...{ strict: true, skipLibCheck: true, erasableSyntaxOnly: true },
    ...{ allowImportingTsExtensions: true, verbatimModuleSyntax: true },
  },
  files: programs.map(({ name }) => name),
};

describeOnKafka('the guide to events', () => {
  let dir: string;
  /** A project of a user, with the package linked from a clone. */
  before(() => {
    dir = mkdtempSync(join(tmpdir(), 'events-guide-'));
    mkdirSync(join(dir, 'node_modules', '@types'), { recursive: true });
    symlinkSync(ROOT, join(dir, 'node_modules', 'quipu'));
    symlinkSync(
      join(ROOT, 'node_modules', '@types', 'node'),
      join(dir, 'node_modules', '@types', 'node'),
    );
    writeFileSync(join(dir, 'package.json'), '{"type":"module"}');
    writeFileSync(join(dir, 'tsconfig.json'), JSON.stringify(TSCONFIG));
    for (const { name, text } of programs) writeFileSync(join(dir, name), text);
  });
  after(() => {
    rmSync(dir, { recursive: true });
  });

  it('has programs whose types are those of the package', async () => {
    expect(programs.map(({ name }) => name)).to.deep.equal(['consume.ts', 'produce.ts']);
    const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
    const outcome = await run(process.execPath, [tsc, '-p', dir]).catch((error: unknown) => error);
    expect((outcome as { stdout: string }).stdout).to.equal('');

    // A check that finds no wrong use would say nothing.
    const wrong = "import { createProducer } from 'quipu/streaming';\nvoid createProducer(1);\n";
    writeFileSync(join(dir, 'wrong.ts'), wrong);
    const files = { ...TSCONFIG, files: ['wrong.ts'] };
    writeFileSync(join(dir, 'tsconfig.wrong.json'), JSON.stringify(files));
    const refused = await run(process.execPath, [
      ...[tsc, '-p', join(dir, 'tsconfig.wrong.json')],
    ]).catch((error: unknown) => error);
    expect((refused as { stdout: string }).stdout).to.match(/wrong\.ts\(2.*TS2345/);
  });

  it('has a producer whose event its consumer handles', async () => {
    const source = `guide-${randomUUID().slice(0, 8)}`;
    const env = {
      ...process.env,
      ...{ STREAMING_ENABLED: 'true', STREAMING_CLOUDEVENTS_SOURCE: source },
      ...{ STREAMING_BROKERS: BROKERS.join(','), STREAMING_TOPICS_AUTOCREATE: 'true' },
      STREAMING_CONSUMER_BROKERS: BROKERS.join(','),
      STREAMING_CONSUMER_GROUP: source,
      STREAMING_CONSUMER_TOPICS: `${source}.match.completed`,
    };
    const options = { cwd: dir, env };
    let id = '';
    // The first event may be logged while its topic is created; the producer publishes it after its next start.
    for (let outcome = ''; outcome !== 'sent';) {
      const { stdout } = await run(process.execPath, ['produce.ts'], options);
      [outcome = '', id = ''] = stdout.trim().split(' ');
      expect(['sent', 'logged']).to.include(outcome);
    }
    const consumer = spawn(process.execPath, ['consume.ts'], { ...options, stdio: 'pipe' });
    let said = '';
    consumer.stdout.on('data', (chunk) => (said += String(chunk)));
    try {
      await until(() => said.includes(`handled match.completed ${id}\n`), 60_000, 'it is handled');
    } finally {
      const ended = new Promise((resolve) => consumer.once('exit', resolve));
      consumer.kill('SIGTERM');
      expect(await ended).to.equal(0);
    }
  });
});
